import { acpFor } from '../domain/acp-names.ts'
import { acpSchema, agentSchema } from './agent-schema.ts'
import type { AcpConfig, AgentConfig, Config } from './schema.ts'

/**
 * [agents.NAME] tables that are there without being written: one for each agent CLI exomonad knows.
 * What the configuration says about one of them counts key by key; the rest stays as it is here. An
 * [agents.OTHER] with the same adapter starts from the same keys.
 */
export const AGENT_PRESETS = {
  claude: {
    adapter: 'claude',
    command: ['claude'],
    acks: true,
    reports_state: true,
    enter_delay_ms: 300,
  },
  gemini: {
    adapter: 'gemini',
    command: ['gemini'],
    acks: true,
    reports_state: true,
    enter_delay_ms: 300,
  },
  codex: {
    adapter: 'codex',
    command: ['codex'],
    acks: true,
    reports_state: true,
    enter_delay_ms: 300,
  },
  opencode: {
    adapter: 'opencode',
    command: ['opencode'],
    acks: true,
    reports_state: true,
    enter_delay_ms: 300,
  },
} as const

/**
 * [acp.NAME] tables that are there without being written, key by key as with agents. Each belongs
 * to the agent CLI of its name.
 */
export const ACP_PRESETS = {
  gemini: { command: ['gemini', '--acp'] },
  opencode: { command: ['opencode', 'acp'] },
  'claude-agent-acp': { command: ['claude-agent-acp'] },
  'codex-acp': { command: ['codex-acp'] },
} as const

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * A configuration as parsed from TOML, with the presets under what it says. Whatever has an odd
 * shape is left for the schema to refuse.
 */
export function withPresets(raw: Record<string, unknown>): Record<string, unknown> {
  return withAgents(withAcp(raw))
}

function withAcp(raw: Record<string, unknown>): Record<string, unknown> {
  const written = raw['acp'] ?? {}
  if (!isTable(written)) return raw
  const acp: Record<string, unknown> = { ...ACP_PRESETS }
  for (const [name, table] of Object.entries(written)) {
    const preset = Object.hasOwn(ACP_PRESETS, name)
      ? ACP_PRESETS[name as keyof typeof ACP_PRESETS]
      : {}
    acp[name] = isTable(table) ? { ...preset, ...table } : table
  }
  return { ...raw, acp }
}

function withAgents(raw: Record<string, unknown>): Record<string, unknown> {
  const written = raw['agents'] ?? {}
  if (!isTable(written)) return raw
  const agents: Record<string, unknown> = { ...AGENT_PRESETS }
  for (const [name, table] of Object.entries(written)) {
    if (!isTable(table)) {
      agents[name] = table
      continue
    }
    const adapter = table['adapter'] ?? name
    const preset =
      typeof adapter === 'string' && Object.hasOwn(AGENT_PRESETS, adapter)
        ? AGENT_PRESETS[adapter as keyof typeof AGENT_PRESETS]
        : {}
    agents[name] = { ...preset, ...table }
  }
  return { ...raw, agents }
}

/**
 * Whether this [agents.NAME] is there only because exomonad knows the program: nothing of it was
 * written.
 */
export function isUntouchedPreset(name: string, agent: AgentConfig): boolean {
  if (!Object.hasOwn(AGENT_PRESETS, name)) return false
  const preset = agentSchema.parse(AGENT_PRESETS[name as keyof typeof AGENT_PRESETS])
  return JSON.stringify(sorted(agent)) === JSON.stringify(sorted(preset))
}

/**
 * Names of [agents.NAME] that somebody chose: a role runs it, or the configuration says something
 * about it.
 */
export function chosenAgents(config: Config): string[] {
  const roles = new Set(
    Object.values(config.roles).flatMap(({ agent, runtime }) =>
      agent === undefined || runtime === 'acp' ? [] : [agent],
    ),
  )
  return Object.keys(config.agents).filter(
    (name) => roles.has(name) || !isUntouchedPreset(name, config.agents[name] as AgentConfig),
  )
}

/**
 * Names of [acp.NAME] that somebody chose: a role runs it, sessions are to, or the configuration
 * says something about it.
 */
export function chosenAcp(config: Config): string[] {
  const roles = Object.values(config.roles).flatMap(({ agent, runtime }) =>
    agent === undefined || runtime !== 'acp' ? [] : [acpFor(config, agent)],
  )
  const chosen = new Set([...roles, config.headless.acp])
  return Object.keys(config.acp).filter(
    (name) => chosen.has(name) || !isUntouchedAcp(name, config.acp[name] as AcpConfig),
  )
}

function isUntouchedAcp(name: string, acp: AcpConfig): boolean {
  if (!Object.hasOwn(ACP_PRESETS, name)) return false
  return (
    JSON.stringify(sorted(acp)) ===
    JSON.stringify(sorted(acpSchema.parse(ACP_PRESETS[name as keyof typeof ACP_PRESETS])))
  )
}

const sorted = (table: object): [string, unknown][] =>
  Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1))
