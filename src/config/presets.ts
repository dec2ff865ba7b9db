import { acpFor, KNOWN } from '../adapters/agent-cli/known.ts'
import { acpSchema, agentSchema } from './sections/agent-schema.ts'
import type { AcpConfig, AgentConfig, Config } from './schema.ts'

/**
 * [agents.NAME] tables that are there without being written: one for each agent CLI exomonad knows.
 * What the configuration says about one of them counts key by key; the rest stays as it is there. An
 * [agents.OTHER] with the same adapter starts from the same keys.
 */
export const AGENT_PRESETS = Object.fromEntries(KNOWN.map(({ name, preset }) => [name, preset]))

/**
 * [acp.NAME] tables that are there without being written, key by key as with agents. Each belongs
 * to an agent CLI; first come those that speak themselves, for which nothing more is installed.
 */
export const ACP_PRESETS = Object.fromEntries(
  [true, false].flatMap((themselves) =>
    KNOWN.flatMap(({ name, acp }) =>
      acp === undefined || (acp.name === name) !== themselves
        ? []
        : [[acp.name, { command: acp.command }] as const],
    ),
  ),
)

const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Of that name itself: not what every object has. */
const presetOf = <Preset>(presets: Readonly<Record<string, Preset>>, name: string) =>
  Object.hasOwn(presets, name) ? presets[name] : undefined

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
    acp[name] = isTable(table) ? { ...presetOf(ACP_PRESETS, name), ...table } : table
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
    const preset = typeof adapter === 'string' ? presetOf(AGENT_PRESETS, adapter) : undefined
    agents[name] = { ...preset, ...table }
  }
  return { ...raw, agents }
}

/**
 * Whether this [agents.NAME] is there only because exomonad knows the program: nothing of it was
 * written.
 */
export function isUntouchedPreset(name: string, agent: AgentConfig): boolean {
  const preset = presetOf(AGENT_PRESETS, name)
  return preset !== undefined && isSame(agent, agentSchema.parse(preset))
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
  const preset = presetOf(ACP_PRESETS, name)
  return preset !== undefined && isSame(acp, acpSchema.parse(preset))
}

const isSame = (one: object, other: object): boolean =>
  JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))

const sorted = (table: object): [string, unknown][] =>
  Object.entries(table).sort(([a], [b]) => (a < b ? -1 : 1))
