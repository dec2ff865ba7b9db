import { AGENT_CLI_NAMES } from '../../../adapters/agent-cli/known.ts'
import { join } from 'node:path'
import { Option, type Command } from 'commander'
import { findAgentClis, obstacles, type AgentProgram } from './agent-programs.ts'
import { assertHuman } from '../connect.ts'
import { diagnoseIdentity } from '../doctor/commits.ts'
import type { Diagnosis } from '../doctor/diagnosis.ts'
import type { CliContext } from '../context.ts'
import { prepareAgents, type Prepared } from './agents.ts'
import { initialConfig } from './config.ts'
import { forgeFact, forgeLines } from './forge-lines.ts'
import {
  chooseForge,
  FORGE_CHOICES,
  initialForge,
  reportForge,
  type ForgeChoice,
  type ForgeReport,
} from './forge.ts'
import {
  chooseMultiplexer,
  madeWith,
  multiplexerFact,
  multiplexerLines,
  notYet,
  updateMultiplexer,
  type MultiplexerReport,
} from './multiplexer.ts'
import { takeOverMoved } from './moved.ts'
import { setUpRepository, startAfterSetUp, type SetUp } from './initialize.ts'
import { readWorktreeMaking, worktreeMakingWords, type WorktreeMaking } from './worktree-making.ts'
import { prepareWorktrees, worktreeLines, type WorktreeReport } from './worktrees.ts'
import { locateRepository } from '../locate.ts'
import { present } from '../output.ts'
import { printableLine } from '../../text/printable.ts'
import { withProgress } from '../progress.ts'
import { renderFacts } from '../../text/table.ts'
import { rootElsewhere } from '../agents/root-elsewhere.ts'
import { takeLateAgent } from './late-agent.ts'
import { shortPath } from '../../text/short-path.ts'

export function define(command: Command, context: CliContext): void {
  command
    .option(
      '--prepare-agents',
      'Write into your own configuration what keeps your agent programs from asking at their first start',
    )
    .option('--no-prepare-agents', 'Don’t, and don’t ask about it')
    .option(
      '--prepare-worktrees',
      'Write into the configuration how new worktrees come by what git ignores and work needs (node_modules, target …)',
    )
    .option('--no-prepare-worktrees', 'Don’t, and don’t look for it')
    .addOption(
      new Option(
        '--forge <where>',
        'Where pull requests live, in a new configuration; auto: on GitHub where a remote and a token for it are found',
      )
        .choices(FORGE_CHOICES)
        .default('auto'),
    )
    .action(
      async ({
        prepareAgents: prepare,
        prepareWorktrees: provide,
        forge: wanted,
      }: {
        prepareAgents?: boolean
        prepareWorktrees?: boolean
        forge: ForgeChoice
      }) => {
        const { cwd } = context.options()
        const movedFrom = await takeOverMoved(context)
        const located = await locateRepository(cwd, context.environment, context.host).catch(
          () => null,
        )
        await assertHuman(cwd, context.environment, located)
        let found: AgentProgram[] | null = null
        let chosen: ForgeReport | null = null
        let made: MultiplexerReport | null = null
        const setUp = await setUpRepository(
          cwd,
          context.environment,
          context.host,
          async (beginning) => {
            const { home } = beginning
            const defaults = await context.host.loadConfig(join(home, '.exomonad', 'config.toml'))
            chosen = await chooseForge(context, beginning, defaults, wanted)
            found = await withProgress(
              context,
              'Looking for agent programs',
              findAgentClis(context, defaults.agents, home),
            )
            const choice = await chooseMultiplexer(context, defaults.multiplexer.kind)
            made = madeWith(choice)
            return initialConfig(found[0]?.name ?? null, initialForge(chosen), choice.toWrite)
          },
        )
        const late = await takeLateAgent(context, setUp)
        found ??= late
        const forge = chosen ?? (await reportForge(context, setUp, wanted))
        const prepared = await prepareAgents(context, setUp, prepare)
        const worktrees = await prepareWorktrees(context, setUp, provide)
        const making = await lookAtMaking(context, setUp)
        const nameless = await diagnoseIdentity(context, setUp.rootWorktree)
        // Agents of an earlier time may run where the configuration says, and a daemon that finds
        // them is to be there before it says otherwise.
        const multiplexer = made ?? (setUp.already ? null : await updateMultiplexer(context, setUp))
        const { health, started } = await withProgress(
          context,
          'Starting the daemon',
          startAfterSetUp(setUp, context.host),
        )
        const growsFrom = (await (await context.client({ start: false })).call('tree', {})).root
          .branch
        const terminals =
          multiplexer ?? notYet(await updateMultiplexer(context, setUp), health.multiplexer)
        const document = {
          already: setUp.already,
          moved_from: movedFrom,
          repository: setUp.paths.commonDir,
          home: setUp.paths.home,
          root_worktree: setUp.rootWorktree,
          root_branch: growsFrom,
          checked_out: setUp.rootBranch,
          config: setUp.paths.configFile,
          config_written: setUp.wroteConfig,
          agents_found:
            (found as AgentProgram[] | null)?.map(({ name, path, findings }) => ({
              name,
              path,
              findings: findings.map(({ repair: _, ...finding }) => finding),
            })) ?? null,
          forge,
          multiplexer: terminals,
          prepared: prepared.done,
          unprepared: prepared.left,
          worktrees: { ...worktrees, made: making },
          commit_problem: nameless === null ? null : { found: nameless.found, fix: nameless.fix },
          untrusted: setUp.untrusted,
          state: setUp.paths.state,
          socket: setUp.socket,
          daemon: { pid: health.pid, version: health.version, started },
        }
        present(context, document, () =>
          describe(context, setUp, {
            movedFrom,
            pid: health.pid,
            started,
            growsFrom,
            found,
            late: late !== null,
            prepared,
            worktrees,
            making,
            nameless,
            forge,
            terminals,
          }),
        )
      },
    )
}

function describe(
  context: CliContext,
  setUp: SetUp,
  daemon: {
    movedFrom: string | null
    pid: number
    started: boolean
    growsFrom: string
    found: readonly AgentProgram[] | null
    /** Both roles got a program only now. */
    late: boolean
    prepared: Prepared
    worktrees: WorktreeReport
    making: WorktreeMaking | null
    nameless: Diagnosis | null
    forge: ForgeReport
    terminals: MultiplexerReport
  },
): string[] {
  const palette = context.palette()
  const short = (path: string): string => printableLine(shortPath(path, context.environment.home))
  const changes = [
    ...(daemon.movedFrom === null
      ? []
      : [
          `its tree moved with it from ${short(daemon.movedFrom)}; \`exomonad resume --all\` starts its agents`,
        ]),
    ...(setUp.wroteConfig ? ['its configuration was gone, and is back'] : []),
    ...(daemon.late ? [`tl and dev run ${printableLine(daemon.found?.[0]?.name ?? '')} now`] : []),
    ...(daemon.terminals.written ? [`its agents go to ${daemon.terminals.kind ?? ''}`] : []),
  ]
  const changed = changes.join('; ') || 'nothing was changed'
  const headline = setUp.already
    ? `${palette.good('✓')} exomonad is set up here already; ${changed}`
    : `${palette.good('✓')} exomonad is set up in ${palette.bold(short(setUp.paths.home))}`
  const facts = renderFacts(
    [
      [
        'root',
        `${palette.bold(printableLine(daemon.growsFrom))} ${palette.dim(`in ${short(setUp.rootWorktree)}`)}`,
      ],
      [
        'config',
        `${short(setUp.paths.configFile)}${setUp.wroteConfig ? palette.dim(' (new)') : ''}`,
      ],
      ...(daemon.making === null
        ? []
        : [['worktrees', worktreeMakingWords(daemon.making)] satisfies [string, string]]),
      ['state', short(setUp.paths.state)],
      ['daemon', `process ${daemon.pid}${daemon.started ? palette.dim(' (just started)') : ''}`],
      ...agentsFact(daemon.found),
      ...forgeFact(daemon.forge),
      ...multiplexerFact(daemon.terminals, palette),
    ],
    palette,
  ).map((line) => `  ${line}`)
  const agents = [
    ...daemon.prepared.done.map(
      ({ agent, done }) => `${palette.good('✓')} ${printableLine(agent)}: ${printableLine(done)}`,
    ),
    ...daemon.prepared.left.map(
      ({ agent, found, fix }) =>
        `${palette.attention('!')} ${printableLine(agent)}: ${printableLine(found)}${fix === null ? '' : `. ${printableLine(fix)}`}`,
    ),
  ]
  const worktrees = worktreeLines(daemon.worktrees, palette)
  const elsewhere = rootElsewhere(daemon.growsFrom, setUp.rootBranch, short(setUp.rootWorktree))
  const next =
    setUp.untrusted.length > 0
      ? [
          `${palette.attention('!')} ${setUp.untrusted.map(printableLine).join(', ')} came with this repository and runs nothing yet. Read it, then run \`exomonad trust\`.`,
        ]
      : setUp.already && !setUp.wroteConfig && !daemon.late
        ? []
        : [
            (daemon.found ?? []).length > 0
              ? 'Next: `exomonad up "TASK"`. Or watch `exomonad demo` first.'
              : 'Next: install an agent program and run `exomonad init` again, or name yours in the configuration; then `exomonad up "TASK"`. Or watch `exomonad demo` first.',
          ]
  return [
    headline,
    ...facts,
    ...(elsewhere === null ? [] : [`${palette.attention('!')} ${printableLine(elsewhere)}`]),
    ...(daemon.nameless === null
      ? []
      : [
          `${palette.attention('!')} ${printableLine(daemon.nameless.found)}. ${daemon.nameless.fix ?? ''}`,
        ]),
    ...agents,
    ...worktrees,
    ...forgeLines(daemon.forge, palette),
    ...multiplexerLines(daemon.terminals, palette),
    ...next,
  ]
}

/** Null where the configuration can’t be read, which others say. */
const lookAtMaking = async (
  { host }: CliContext,
  { paths }: SetUp,
): Promise<WorktreeMaking | null> => {
  const config = await host.loadConfig(paths.configFile).catch(() => null)
  return config === null ? null : readWorktreeMaking(host, paths, config)
}

/** Which agent program was chosen, and why. */
function agentsFact(found: readonly AgentProgram[] | null): [string, string][] {
  const [best, ...others] = found ?? []
  if (best === undefined)
    return found === null
      ? []
      : [['agents', `none found on the PATH (${AGENT_CLI_NAMES.join(', ')})`]]
  const ready = obstacles(best).length === 0
  const rest = others
    .map((other) => `${other.name}${obstacles(other).length === 0 ? '' : ' (not ready)'}`)
    .join(', ')
  return [
    [
      'agents',
      `${best.name}${ready ? '' : ' (not ready yet)'}${rest === '' ? ', the only one on the PATH' : `; also here: ${rest}`}`,
    ],
  ]
}
