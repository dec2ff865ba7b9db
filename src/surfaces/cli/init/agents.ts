import { checkTrust } from '../../../config/trust.ts'
import { chosenAcp, chosenAgents } from '../../../config/presets.ts'
import {
  lookAtAcpPrograms,
  lookAtPrograms,
  repairsOf,
  obstacles,
  type AgentProgram,
} from './agent-programs.ts'
import { canAsk, confirm } from '../confirm.ts'
import type { CliContext } from '../context.ts'
import { trustSubject, type SetUp } from './initialize.ts'
import { printableLine } from '../../text/printable.ts'
import { withProgress } from '../progress.ts'

export interface Prepared {
  /** What was written, and where. */
  readonly done: readonly { readonly agent: string; readonly done: string }[]
  /** What would still hold agents up. */
  readonly left: readonly {
    readonly agent: string
    readonly found: string
    readonly fix: string | null
  }[]
}

/**
 * Makes ready what the chosen agent CLIs would ask about at their first start. It writes into the
 * person’s own configuration, so only where they said yes: `wanted`, or asked on the terminal where
 * it is undefined and somebody sits there.
 */
export async function prepareAgents(
  context: CliContext,
  setUp: SetUp,
  wanted: boolean | undefined,
): Promise<Prepared> {
  const config = await context.host.loadConfig(setUp.paths.configFile).catch(() => null)
  const trust = await checkTrust(trustSubject(setUp.paths, context.environment, context.host))
  // What a repository brought names programs that nobody has looked at yet.
  if (config === null || !trust.trusted) return { done: [], left: [] }
  const looks = { home: setUp.paths.home, run: true }
  const found = await withProgress(
    context,
    'Looking at the agent programs',
    Promise.all([
      lookAtPrograms(context, config.agents, { names: chosenAgents(config), ...looks }),
      lookAtAcpPrograms(context, config.acp, { names: chosenAcp(config), ...looks }),
    ]),
  )
  const programs = found.flat()
  const repairs = repairsOf(programs)
  if (
    repairs.length === 0 ||
    !(wanted ?? (canAsk(context) && (await confirm(context, question(repairs)))))
  )
    return { done: [], left: leftOf(programs, true) }
  const done: { agent: string; done: string }[] = []
  const failed: Prepared['left'][number][] = []
  for (const { agent, found, repair } of repairs) {
    try {
      done.push({ agent, done: await repair() })
    } catch (error) {
      failed.push({ agent, found, fix: `it could not be fixed: ${(error as Error).message}` })
    }
  }
  return { done, left: [...failed, ...leftOf(programs, false)] }
}

const question = (repairs: ReturnType<typeof repairsOf>): string =>
  [
    'So that agents start without a dialog, exomonad would write into your own configuration:',
    ...repairs.map(
      ({ agent, found, what }) =>
        `  ${printableLine(agent)}: ${printableLine(found)}. ${printableLine(what)}`,
    ),
    'Do it?',
  ].join('\n')

function leftOf(programs: readonly AgentProgram[], repairable: boolean): Prepared['left'] {
  return programs.flatMap((program) => [
    ...(program.missing === null
      ? []
      : [{ agent: program.name, found: program.missing, fix: null }]),
    ...obstacles(program).map(({ found, fix }) => ({
      agent: program.name,
      found,
      fix: fix ?? null,
    })),
    ...(repairable
      ? repairsOf([program]).map(({ found }) => ({
          agent: program.name,
          found,
          fix: '`exomonad init --prepare-agents` fixes it',
        }))
      : []),
  ])
}
