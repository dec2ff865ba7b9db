import { acpNameOf } from '../../domain/acp-names.ts'
import { AGENT_CLIS } from './all.ts'
import type { AgentCliDefinition } from './define.ts'

/** What all agent CLIs together say, for everybody. Nothing of their code is loaded. */

export const KNOWN: readonly AgentCliDefinition[] = AGENT_CLIS

export const AGENT_CLI_NAMES = AGENT_CLIS.map(({ name }) => name)

/** Variables of theirs that say to a program that it runs inside of one. */
export const SESSION_VARIABLES = KNOWN.flatMap(({ sessionVariables = [] }) => sessionVariables)

/**
 * The agent CLI that an [acp.NAME] speaks for, by its name, else by what its command is called;
 * undefined for others.
 */
export function spokenForBy(
  acpName: string,
  command: readonly string[],
): AgentCliDefinition | undefined {
  const words = new Set([acpName, ...command.flatMap((word) => word.split('/'))])
  return KNOWN.find(({ acp }) => acp !== undefined && words.has(acp.name))
}

/** The version that the tests run with of a package that is an agent CLI or speaks for one. */
export const testedVersion = (packageName: string): string | undefined =>
  KNOWN.flatMap((known) => [
    known.package,
    ...(known.acp === undefined ? [] : [known.acp.package]),
  ]).find(({ name }) => name === packageName)?.tested

interface Programs {
  readonly agents: Readonly<Record<string, { readonly adapter: string }>>
  readonly acp: Readonly<Record<string, unknown>>
}

/**
 * The [acp.NAME] that a program stands for: itself as `acp:NAME`, one of the same name, else the
 * one that belongs to its agent CLI; undefined where there is none.
 */
export function acpFor({ agents, acp }: Programs, program: string): string | undefined {
  const own = acpNameOf(program) ?? program
  if (Object.hasOwn(acp, own)) return own
  const adapter = Object.hasOwn(agents, program) ? agents[program]?.adapter : undefined
  const belonging = KNOWN.find(({ name }) => name === adapter)?.acp?.name
  return belonging !== undefined && Object.hasOwn(acp, belonging) ? belonging : undefined
}
