import { exec as execDirectly, type Exec } from '../processes/exec.ts'
import { createDetached } from '../adapters/terminals/detached/detached.ts'
import { createRouted } from '../adapters/terminals/detached/routed.ts'
import type { DetachedHolder } from '../adapters/terminals/headless.ts'
import type { Holder, Multiplexer } from '../adapters/terminals/holder.ts'
import { createTmux } from '../adapters/terminals/tmux/tmux.ts'
import { createViewed } from '../adapters/terminals/viewed.ts'
import { ExomonadError } from '../domain/errors.ts'
import { leftInZellij } from '../adapters/terminals/zellij/left.ts'
import { createZellijViewer } from '../adapters/terminals/zellij/zellij.ts'
import type { Environment } from '../config/environment.ts'
import type { Config } from '../config/schema.ts'
import type { PaneId } from '../domain/ids.ts'
import type { Log } from '../runtime/log.ts'
import { terminalsOf, type Paths } from '../runtime/paths.ts'
import { listPanes } from './list-panes.ts'
import { tmuxInFolder } from './tmux-folder.ts'

/**
 * What agents run in: all of it through `multiplexer`; `detached` for what only the detached host
 * can do.
 */
export interface Places {
  readonly multiplexer: Multiplexer
  readonly detached: DetachedHolder
  /**
   * Agents go on without the daemon; a server without any has nothing to stay for. Before a
   * detached host goes, `settle` records how the last ones ended in it.
   */
  letGo(settle: () => Promise<void>): Promise<void>
}

type Kind = Exclude<Config['multiplexer']['kind'], 'auto' | 'zellij'>

/** Whose ids of panes look like that. */
const IDS: Record<Kind, RegExp> = { tmux: /^%\d/, headless: /^p-/ }

/**
 * What holds terminals: as configured, or tmux where it is installed, else terminals of our own;
 * Zellij shows them where that is configured. And the detached host for what has no terminal.
 * Agents don’t move: where some of those that have these `panes` run in another one, it is that one
 * as long as they do.
 */
export async function chooseMultiplexer(options: {
  kind: Config['multiplexer']['kind']
  panes?: readonly PaneId[]
  environment: Environment
  hash: string
  paths: Paths
  log: Log
  agentEnvironment: Readonly<Record<string, string>>
  exec?: Exec
}): Promise<Places> {
  const { agentEnvironment: environment, log, panes = [], exec = execDirectly } = options
  const hostOptions = {
    stateDir: options.paths.state,
    runtimeDir: options.environment.runtimeDir,
    environment,
    node: process.execPath,
    log,
  }
  const detached = createDetached(hostOptions)
  const { tmuxSocket, zellijSession, formerZellijSession } = terminalsOf(options.hash)
  const tmuxIn = (folder: string | undefined) =>
    createTmux({
      socketName: tmuxSocket,
      environment: folder === undefined ? environment : { ...environment, TMUX_TMPDIR: folder },
      log,
      exec,
    })
  const create: Record<Kind, () => Holder | Promise<Holder>> = {
    tmux: () =>
      tmuxInFolder(tmuxIn, {
        wanted: options.environment.variables['TMUX_TMPDIR'] || undefined,
        state: options.paths.state,
      }),
    headless: () => detached,
  }
  const configured =
    options.kind === 'auto' || options.kind === 'zellij'
      ? await automaticKind(environment, exec)
      : options.kind
  const stillIn = async (kind: Kind): Promise<Holder | undefined> => {
    const own = new Set(panes.filter((paneId) => IDS[kind].test(paneId)))
    if (kind === configured || own.size === 0) return undefined
    const terminals = await create[kind]()
    const listed = await listPanes(terminals)
    if (listed.some(({ paneId, agentId, dead }) => own.has(paneId) && agentId !== null && !dead))
      return terminals
    if (terminals !== detached) await terminals.dispose()
    return undefined
  }
  const before = (await stillIn('tmux')) ?? (await stillIn('headless'))
  if (before !== undefined)
    log.warn(
      { configured, multiplexer: before.name },
      'agents run in another multiplexer than is configured: it stays until they are stopped',
    )
  await warnOfLeft(options.paths.state, formerZellijSession, log)
  const holder = before ?? (await create[configured]())
  const viewer = () =>
    createZellijViewer({
      session: zellijSession,
      former: formerZellijSession,
      stateDir: options.paths.state,
      environment,
      log,
      exec,
    })
  const terminals: Multiplexer =
    options.kind === 'zellij' ? createViewed({ holder, viewer: viewer(), log }) : holder
  return {
    // What the detached host holds is not to be listed twice.
    multiplexer: holder === detached ? terminals : createRouted({ terminals, detached }),
    detached,
    letGo: (settle) => letGo({ holder, terminals, detached }, settle),
  }
}

/** tmux where it is installed. MULTIPLEXER_UNAVAILABLE where that can’t be known. */
async function automaticKind(
  environment: Readonly<Record<string, string>>,
  exec: Exec,
): Promise<Kind> {
  const { exitCode, startError } = await exec('tmux', ['-V'], { env: environment })
  if (startError === null || startError === 'ENOENT') return exitCode === 0 ? 'tmux' : 'headless'
  // Agents may be in it.
  throw new ExomonadError(
    'MULTIPLEXER_UNAVAILABLE',
    `tmux could not be asked for its version (${startError}). Try again.`,
    { reason: startError },
  )
}

/** Versions of before ran agents in Zellij itself. */
async function warnOfLeft(state: string, session: string, log: Log): Promise<void> {
  for (const { name, agentId, pid } of await leftInZellij(state)) {
    const how = `zellij attach ${session}`
    log.warn(
      { name, agent: agentId, pid },
      `a program runs in a Zellij session of an older version: look at it with \`${how}\`, end it there, then \`exomonad resume NAME\` its agent`,
    )
  }
}

/** See `Places`. */
async function letGo(
  places: { holder: Holder; terminals: Multiplexer; detached: DetachedHolder },
  settle: () => Promise<void>,
): Promise<void> {
  const { holder, terminals, detached } = places
  const letGoOfDetached = async () => {
    const held = await detached.list()
    if (!held.every(({ dead }) => dead)) return
    // Nobody could find out afterwards how these ended.
    if (held.length > 0) await settle()
    await (holder === detached ? terminals : detached).shutdown()
  }
  const letGoOfTerminals = async () => {
    if (holder !== detached && (await terminals.list()).every(({ dead }) => dead))
      await terminals.shutdown()
  }
  // Trouble with one keeps nobody from being done with the other.
  const first = await Promise.allSettled([letGoOfDetached()])
  const results = [
    ...first,
    ...(await Promise.allSettled([letGoOfTerminals()])),
    ...(await Promise.allSettled([detached.dispose(), terminals.dispose()])),
  ]
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
