import { acpFor } from '../../adapters/agent-cli/known.ts'
import { acpCliName } from '../../domain/acp-names.ts'
import type { Agent } from '../../domain/records.ts'
import type { Config } from '../../config/schema.ts'
import { ExomonadError } from '../../domain/errors.ts'

/** Models know these words: what they mean must not change with the reason. */
export const unavailable = (
  why: string,
  facts: Readonly<Record<string, unknown>> = {},
): ExomonadError =>
  new ExomonadError('NOT_AVAILABLE', `Sub-agent tools not available: ${why}`, facts)

/**
 * `acp:NAME` of what runs a session: the one that was asked for, the configured one, else the one
 * that belongs to the caller’s agent CLI, or to that of its role where it has none. NOT_AVAILABLE
 * with what to write.
 */
export function sessionProgram(
  config: Config,
  parent: Pick<Agent, 'role' | 'agentCli'>,
  asked: string | null,
): string {
  const named = asked ?? config.headless.acp
  const there = Object.keys(config.acp).toSorted().join(', ')
  if (named !== undefined && named !== null) {
    if (Object.hasOwn(config.acp, named)) return acpCliName(named)
    throw unavailable(
      `there is no [acp.${named}]${there === '' ? '' : `; there are ${there}`}. Write it, or name another one in [headless] acp.`,
      {
        acp: named,
      },
    )
  }
  const program = parent.agentCli ?? config.roles[parent.role]?.agent
  const acp = program === undefined ? undefined : acpFor(config, program)
  if (acp !== undefined) return acpCliName(acp)
  const why =
    program === undefined
      ? `no program is set for the role "${parent.role}"`
      : `"${program}" has no program that speaks the Agent Client Protocol`
  throw unavailable(
    `${why}. Name one in [headless] acp${there === '' ? '' : `: there are ${there}`}.`,
    { agent: program ?? null },
  )
}

/**
 * The tools of a session: all that its caller and its program have (null where neither is
 * narrowed), or those that were named. INVALID_ARG for names that the caller hasn’t.
 */
export function sessionTools(
  asked: readonly string[] | null,
  {
    callers,
    own,
    program,
  }: {
    callers: readonly string[]
    own: readonly string[] | null
    program: readonly string[] | null
  },
): readonly string[] | null {
  const allowed = program === null ? callers : callers.filter((name) => program.includes(name))
  if (asked === null) return own === null && program === null ? null : allowed
  const missing = [...new Set(asked)].filter((name) => !allowed.includes(name))
  if (missing.length > 0) {
    throw new ExomonadError(
      'INVALID_ARG',
      `tools: you don’t have ${missing.join(', ')}, so no session of yours can. You have: ${allowed.toSorted().join(', ')}.`,
      { field: 'tools', unknown: missing, allowed: allowed.toSorted() },
    )
  }
  return [...new Set(asked)]
}
