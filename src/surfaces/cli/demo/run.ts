import { listRepositoryRecords } from '../../../config/user-state.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import { pathsOf } from '../../../runtime/paths.ts'
import type { Client } from '../../client.ts'
import { connectToDaemon } from '../connect.ts'
import type { CliContext } from '../context.ts'
import { readTask, writeConfiguration, type DemoMultiplexer } from './configuration.ts'
import { diagnose } from './diagnosis.ts'
import type { Display } from './display.ts'
import { endForge, setUpForge, type DemoForge } from './forge.ts'
import { prepareClone, prepareLibrary, type DemoRepository } from './repository.ts'
import { setUpStore, type DemoSchema } from './store.ts'
import { failedDeliveries, readStory, type Story } from './story.ts'
import { verifyResult } from './verify.ts'
import { allEvents, settleTree, watchTree } from './watch.ts'
import type { Workspace } from './workspace.ts'

export interface DemoOptions {
  /** Path or URL of a repository to work on a clone of; without, the library under examples/. */
  readonly repo: string | undefined
  readonly multiplexer: DemoMultiplexer
  readonly forge: DemoForge
  /** Where its records go; null for SQLite. */
  readonly schema: DemoSchema | null
}

export interface DemoResult {
  readonly story: Story
  readonly repository: DemoRepository
  readonly agents: number
  readonly events: number
  readonly elapsed: number
  /** What is wrong, worst first; empty when all is well. */
  readonly faults: readonly string[]
  readonly diagnosis: readonly string[]
  /** The history of the root's branch, drawn by git. */
  readonly graph: string
}

/**
 * Grows the tree in a workspace that exists, and looks at what came of it. Throws where it can't
 * begin.
 */
export async function runDemo(
  context: CliContext,
  workspace: Workspace,
  options: DemoOptions,
  display: Display,
  signal: AbortSignal,
): Promise<DemoResult> {
  const started = context.now()
  const multiplexer = await chooseMultiplexer(context, options.multiplexer)
  display.step(
    options.repo === undefined
      ? `A small library with failing tests, in ${workspace.repository}`
      : `A clone of ${options.repo}, in ${workspace.repository}`,
  )
  const repository =
    options.repo === undefined
      ? await prepareLibrary(workspace)
      : await prepareClone(workspace, options.repo, context.options().cwd)
  const { tables, deadlines } = await setUpForge(
    context,
    workspace,
    repository,
    options.forge,
    display,
  )
  const store = await setUpStore(context, workspace, options.schema)
  await writeConfiguration(workspace, multiplexer, `${tables}\n\n${store}`)
  throwIfInterrupted(signal)
  display.step(`exomonad init (terminals: ${multiplexer})`)
  await initialize(workspace)
  throwIfInterrupted(signal)
  display.step('exomonad up: the root’s agent gets its task')
  await workspace.exomonad('up', await readTask(repository))
  throwIfInterrupted(signal)

  const client = await connectToDaemon({
    cwd: workspace.repository,
    environment: workspace.environment,
    host: context.host,
    as: undefined,
    start: false,
  })
  display.follow(() => client.call('tree', {}))
  const ending = await watchTree(client, display, deadlines, signal)
  throwIfInterrupted(signal)
  const unsettled = ending.kind === 'finished' ? await settleTree(client, deadlines, signal) : null
  await display.close()
  return await conclude(workspace, repository, client, {
    elapsed: context.now() - started,
    faults: [
      ...(ending.kind === 'stuck' ? [`It did not come to its end: ${ending.reason}`] : []),
      ...(unsettled === null ? [] : [unsettled]),
    ],
  })
}

async function conclude(
  workspace: Workspace,
  repository: DemoRepository,
  client: Client,
  so: { elapsed: number; faults: string[] },
): Promise<DemoResult> {
  const [events, tree] = await Promise.all([allEvents(client), client.call('tree', {})])
  const story = readStory(events, tree.root.id, repository.branch)
  const faults = [...so.faults]
  const diagnosis = faults.length === 0 ? [] : await diagnose(client)
  if (faults.length === 0) faults.push(...(await verifyResult(workspace, repository, client)))
  for (const { title, happened } of story.chapters)
    if (!happened) faults.push(`it never happened that ${title}`)
  const failed = failedDeliveries(events)
  if (failed.length > 0) {
    const why = failed.map(
      ({ type, payload }) =>
        `${type}: ${String(payload['name'] ?? payload['delivery_id'])}, ${String(payload['reason'])}`,
    )
    faults.push(`${failed.length} messages failed or are undecided (${why.join('; ')})`)
  }
  const graph = await workspace
    .git(
      'log',
      '--graph',
      '--color=never',
      '--format=%h %an: %s%d',
      '--decorate-refs=refs/heads/',
      '-n',
      '30',
      `${repository.start}~1..`,
    )
    .catch(() =>
      workspace.git(
        'log',
        '--graph',
        '--color=never',
        '--format=%h %an: %s%d',
        '--decorate-refs=refs/heads/',
        '-n',
        '30',
      ),
    )
  return {
    story,
    repository,
    agents: tree.counts.agents,
    events: events.length,
    elapsed: so.elapsed,
    faults,
    diagnosis,
    graph,
  }
}

/**
 * Once more where it failed: the daemon of a busy machine may need longer than it is given, and a
 * forge's answer may have been lost.
 */
const initialize = (workspace: Workspace): Promise<unknown> =>
  workspace.exomonad('init').catch(() => workspace.exomonad('init'))

async function chooseMultiplexer(
  { host }: CliContext,
  wanted: DemoMultiplexer,
): Promise<Exclude<DemoMultiplexer, 'auto'>> {
  if (wanted === 'headless') return 'headless'
  const name = wanted === 'auto' ? 'tmux' : wanted
  const { usable, version, needed } = await host.multiplexers.look(name)
  if (usable) return name
  if (wanted === 'auto') return 'headless'
  const found = version === null ? `${name} is not installed` : `${name} ${version} is too old`
  throw new ExomonadError(
    'MULTIPLEXER_UNAVAILABLE',
    `${found}. Install ${needed} or newer, or run \`exomonad demo --multiplexer headless\`.`,
    {
      ...(version === null ? {} : { found: version }),
      needed,
    },
  )
}

function throwIfInterrupted(signal: AbortSignal): void {
  if (signal.aborted) throw new ExomonadError('NOT_AVAILABLE', 'The demo was interrupted.')
}

/**
 * Ends the demo's agents, daemon, terminals and GitHub. The folder stays. Safe at any point of a
 * run.
 */
export async function endDemo(context: CliContext, workspace: Workspace): Promise<void> {
  await endTree(context, workspace)
  await endForge(context.host, workspace)
}

async function endTree(context: CliContext, workspace: Workspace): Promise<void> {
  const inside = await workspace
    .run('git', ['rev-parse', '--path-format=absolute', '--git-common-dir'])
    .catch(() => null)
  if (inside?.exitCode !== 0) return
  await workspace
    .exomonad('down')
    .catch(() => workspace.exomonad('daemon', 'stop'))
    .catch(() => killDaemon(context, workspace))
  // What outlived its daemon all the same is the demo's own.
  await context.host.endTerminals(pathsOf(inside.stdout.trim(), workspace.repository))
}

/** A daemon that does not even stop must not live on in a folder that is about to go. */
async function killDaemon({ host }: CliContext, workspace: Workspace): Promise<void> {
  for (const { pid } of await listRepositoryRecords(workspace.environment)) {
    if (pid !== null) host.signal(pid, 'SIGKILL')
  }
}
