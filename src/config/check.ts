import type { Config } from './schema.ts'
import { nearestKey } from './nearest-key.ts'

/** A fault that the shape of a configuration doesn’t show. */
export interface SemanticFault {
  readonly path: readonly PropertyKey[]
  readonly problem: string
}

/** What may stand in double braces in an agent’s argv. */
export const PLACEHOLDERS = ['prompt', 'prompt_file', 'worktree', 'branch', 'name', 'agent_id', 'role', 'session_id', 'transcript', 'node'] as const
export type Placeholder = (typeof PLACEHOLDERS)[number]

/** References that lead nowhere: agents of roles, placeholders, tools of custom roles (checked where the names are given). */
export function checkReferences(config: Config, toolNames?: readonly string[]): SemanticFault[] {
  return [...roleFaults(config, toolNames), ...placeholderFaults(config)]
}

function* roleFaults(config: Config, toolNames: readonly string[] | undefined): Generator<SemanticFault> {
  const agents = Object.keys(config.agents)
  for (const [role, { agent, tools }] of Object.entries(config.roles)) {
    if (agent !== undefined && !agents.includes(agent)) {
      yield { path: ['roles', role, 'agent'], problem: `found ${JSON.stringify(agent)}, but there is no [agents.${agent}]${hint(agent, agents)}` }
    }
    if (tools !== undefined && (role === 'tl' || role === 'dev')) {
      yield { path: ['roles', role, 'tools'], problem: 'the tools of tl and dev are fixed; make a role of your own for another list' }
    }
    for (const [index, tool] of (tools ?? []).entries()) {
      if (toolNames === undefined || toolNames.includes(tool)) continue
      yield { path: ['roles', role, 'tools', index], problem: `found ${JSON.stringify(tool)}, which is no tool${hint(tool, toolNames)}` }
    }
  }
}

function* placeholderFaults(config: Config): Generator<SemanticFault> {
  for (const [name, agent] of Object.entries(config.agents)) {
    for (const key of ['command', 'resume_command'] as const) {
      for (const [index, argument] of (agent[key] ?? []).entries()) {
        for (const [, placeholder = ''] of argument.matchAll(/\{\{\s*([^{}]*?)\s*\}\}/g)) {
          if ((PLACEHOLDERS as readonly string[]).includes(placeholder)) continue
          yield { path: ['agents', name, key, index], problem: `found {{${placeholder}}}, which stands for nothing${hint(placeholder, PLACEHOLDERS)}` }
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
