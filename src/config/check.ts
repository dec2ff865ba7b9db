import { acpFor } from '../adapters/agent-cli/known.ts'
import { acpNameOf } from '../domain/acp-names.ts'
import type { AgentConfig, Config } from './schema.ts'
import { nearestKey } from './nearest-key.ts'

/** A fault that the shape of a configuration doesn’t show. */
export interface SemanticFault {
  readonly path: readonly PropertyKey[]
  readonly problem: string
}

/** What may stand in double braces in an agent’s argv. */
export const PLACEHOLDERS = [
  'prompt',
  'prompt_file',
  'worktree',
  'branch',
  'name',
  'agent_id',
  'role',
  'session_id',
  'transcript',
  'node',
] as const
export type Placeholder = (typeof PLACEHOLDERS)[number]

/**
 * References that lead nowhere: agents of roles, placeholders, tools of custom roles and of agents
 * (checked where the names are given).
 */
export function checkReferences(config: Config, toolNames?: readonly string[]): SemanticFault[] {
  return [
    ...roleFaults(config, toolNames),
    ...headlessFaults(config),
    ...toolFaults('agents', config.agents, toolNames),
    ...toolFaults('acp', config.acp, toolNames),
    ...placeholderFaults(config),
  ]
}

/**
 * Keys of [agents.NAME] that were written and say nothing with its adapter. `written`: the document
 * as parsed, without presets and defaults.
 */
export function* checkApplicable(
  config: Config,
  written: Readonly<Record<string, unknown>>,
): Generator<SemanticFault> {
  const tables = isTable(written['agents']) ? written['agents'] : {}
  for (const [name, table] of Object.entries(tables)) {
    const adapter = config.agents[name]?.adapter
    if (adapter === undefined || !isTable(table)) continue
    for (const key of adapter === 'command' ? ONLY_OF_CLIS : ONLY_OF_COMMANDS) {
      if (!(key in table)) continue
      const why =
        adapter === 'command'
          ? `says nothing with adapter "command": put it into the command itself`
          : `says nothing with adapter ${JSON.stringify(adapter)}: exomonad knows it of this program. It is for adapter "command"`
      yield { path: ['agents', name, key], problem: why }
    }
  }
}

const ONLY_OF_CLIS = ['model', 'args'] as const satisfies readonly (keyof AgentConfig)[]
const ONLY_OF_COMMANDS = [
  'resume_command',
  'acks',
  'reports_state',
] as const satisfies readonly (keyof AgentConfig)[]

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function* roleFaults(
  config: Config,
  toolNames: readonly string[] | undefined,
): Generator<SemanticFault> {
  const agents = Object.keys(config.agents)
  for (const [role, { agent, tools, runtime }] of Object.entries(config.roles)) {
    if (runtime === 'acp') yield* acpRoleFaults(config, role, agent)
    else if (agent !== undefined && !agents.includes(agent)) {
      const why =
        acpFor(config, agent) === undefined
          ? hint(agent, agents)
          : '; with runtime = "acp" beside it the one that speaks the Agent Client Protocol runs'
      yield {
        path: ['roles', role, 'agent'],
        problem: `found ${JSON.stringify(agent)}, but there is no [agents.${agent}]${why}`,
      }
    }
    if (tools !== undefined && (role === 'tl' || role === 'dev')) {
      yield {
        path: ['roles', role, 'tools'],
        problem: 'the tools of tl and dev are fixed; make a role of your own for another list',
      }
    }
    for (const [index, tool] of (tools ?? []).entries()) {
      if (toolNames === undefined || toolNames.includes(tool)) continue
      yield {
        path: ['roles', role, 'tools', index],
        problem: `found ${JSON.stringify(tool)}, which is no tool${hint(tool, toolNames)}`,
      }
    }
  }
}

/**
 * With runtime "acp" a role is run by an [acp.NAME], named itself or by the agent CLI it belongs
 * to.
 */
function* acpRoleFaults(
  config: Config,
  role: string,
  agent: string | undefined,
): Generator<SemanticFault> {
  const names = Object.keys(config.acp)
  if (agent === undefined) {
    yield {
      path: ['roles', role, 'runtime'],
      problem: `found "acp", but no agent: write agent = "NAME" beside it; allowed: ${names.join(', ')}`,
    }
  } else if (acpFor(config, agent) === undefined) {
    const why = Object.hasOwn(config.agents, agent)
      ? `which does not speak the Agent Client Protocol; write an [acp.${agent}] with a command that does, or runtime = "pane"`
      : `but there is no [acp.${agent}]${hint(agent, [...new Set([...names, ...Object.keys(config.agents)])])}`
    yield { path: ['roles', role, 'agent'], problem: `found ${JSON.stringify(agent)}, ${why}` }
  }
}

function* headlessFaults({ headless, acp }: Config): Generator<SemanticFault> {
  if (headless.acp === undefined || Object.hasOwn(acp, headless.acp)) return
  yield {
    path: ['headless', 'acp'],
    problem: `found ${JSON.stringify(headless.acp)}, but there is no [acp.${headless.acp}]${hint(acpNameOf(headless.acp) ?? headless.acp, Object.keys(acp))}`,
  }
}

function* toolFaults(
  table: 'agents' | 'acp',
  programs: Readonly<Record<string, { readonly tools?: readonly string[] | undefined }>>,
  toolNames: readonly string[] | undefined,
): Generator<SemanticFault> {
  for (const [name, { tools }] of Object.entries(programs)) {
    for (const [index, tool] of (tools ?? []).entries()) {
      if (toolNames === undefined || toolNames.includes(tool)) continue
      yield {
        path: [table, name, 'tools', index],
        problem: `found ${JSON.stringify(tool)}, which is no tool${hint(tool, toolNames)}`,
      }
    }
  }
}

function* placeholderFaults(config: Config): Generator<SemanticFault> {
  for (const [name, agent] of Object.entries(config.agents)) {
    for (const key of ['command', 'resume_command', 'args'] as const) {
      for (const [index, argument] of (agent[key] ?? []).entries()) {
        for (const [, placeholder = ''] of argument.matchAll(/\{\{\s*([^{}]*?)\s*\}\}/g)) {
          if (agent.adapter !== 'command') {
            yield {
              path: ['agents', name, key, index],
              problem: `found {{${placeholder}}}, which only adapter "command" replaces; exomonad gives ${agent.adapter} its task by itself`,
            }
            continue
          }
          if ((PLACEHOLDERS as readonly string[]).includes(placeholder)) continue
          yield {
            path: ['agents', name, key, index],
            problem: `found {{${placeholder}}}, which stands for nothing${hint(placeholder, PLACEHOLDERS)}`,
          }
        }
      }
    }
  }
}

function hint(word: string, candidates: readonly string[]): string {
  const nearest = nearestKey(word, candidates)
  if (nearest !== undefined) return `; did you mean ${JSON.stringify(nearest)}?`
  return candidates.length === 0 ? '' : `; allowed: ${candidates.join(', ')}`
}
