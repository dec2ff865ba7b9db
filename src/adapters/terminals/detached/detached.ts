import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ExomonadError } from '../../../domain/errors.ts'
import { DETACHED_TERMINAL, HEADLESS_PANE } from '../../../domain/panes/headless-pane.ts'
import type { PaneId } from '../../../domain/ids.ts'
import type { Log } from '../../../runtime/log.ts'
import { programFile } from '../../../runtime/package-root.ts'
import { readTrace } from '../../../domain/panes/pane-trace.ts'
import { endPanes } from '../../../processes/end-processes.ts'
import { createHostClient } from '../../../processes/host/host-client.ts'
import { DETACHED_HOST } from '../../../processes/host/location.ts'
import { isForeground, isRunning } from '../../../processes/processes.ts'
import { createDeaths } from '../deaths.ts'
import type { DetachedHolder } from '../headless.ts'
import type { OpenPane, Pane } from '../holder.ts'
import { paneGone } from '../pane-gone.ts'
import { checkOpen, programWithoutDescriptors, titleOf } from '../program.ts'
import { createEarlierHosts, type Port } from './earlier-hosts.ts'
import { openOwnView } from './own-view.ts'
import { KILL_GRACE, PROTOCOL, type HeldPane, type OpenTakes, type Verbs } from './protocol.ts'

const ANSWER_TIMEOUT = 10_000
const START_TIMEOUT = 15_000
const CLOSE_GRACE = 2000
/** Beyond the grace that programs have to end, and the time a killed one may take to disappear. */
const END_TIMEOUT = KILL_GRACE + 15_000
/** A program may take its time to read what is written to it. */
const WRITE_TIMEOUT = 60_000
const OPEN_ATTEMPTS = 3
const STOP_POLL = 10
const STOP_LIMIT = 5000

export interface DetachedOptions {
  /** Folder for the host's lock, log, record and socket; made 0700 where it is not there. */
  readonly stateDir: string
  /**
   * For the socket where the state folder's path is too long; the default is a folder of the user's
   * own below TMPDIR.
   */
  readonly runtimeDir?: string
  /**
   * Environment of the host and, with what `open` adds, of all it starts. Scrubbed by the caller.
   */
  readonly environment: Readonly<Record<string, string>>
  /** The Node that runs the host. */
  readonly node: string
  readonly log: Log
  /** The file of a program of ours, by its path below src/ without ending; `programFile`. */
  readonly programs?: (name: string) => string
  /** Milliseconds the host may take to answer; 10,000. */
  readonly answerTimeout?: number
  /** Milliseconds the host may take to start; 15,000. */
  readonly startTimeout?: number
  /** Milliseconds a program on a terminal has between hang-up and SIGKILL; 2,000. */
  readonly closeGrace?: number
}

/**
 * Terminals without tmux, and whatever runs without a terminal, in one process that outlives the
 * daemon. It is started by `start`, or by the first `open`.
 */
export function createDetached(options: DetachedOptions): DetachedHolder {
  const { stateDir, environment, node, log, programs = programFile } = options
  const {
    answerTimeout = ANSWER_TIMEOUT,
    startTimeout = START_TIMEOUT,
    closeGrace = CLOSE_GRACE,
  } = options
  const runtimeDir =
    options.runtimeDir ??
    join(environment['TMPDIR'] ?? '/tmp', `exomonad-${String(process.getuid?.() ?? 0)}`)
  let disposed = false
  /** Of those that are not in the host of today. */
  let elsewhere: ReadonlyMap<PaneId, Port> = new Map()

  const common = {
    program: programs('bin/detached-host'),
    ...{ stateDir, runtimeDir, environment, node, startTimeout, timeout: answerTimeout },
    onChange: () => {
      if (!disposed) void deaths.look()
    },
  }
  const host = createHostClient<Verbs>({
    ...common,
    names: DETACHED_HOST,
    called: 'detached host',
    protocol: PROTOCOL,
  })
  const earlier = createEarlierHosts({
    stateDir,
    log,
    connect: (other) => createHostClient({ ...common, ...other }),
  })

  const listOf = async (port: Port): Promise<HeldPane[]> => {
    const answer = await port.ask('list', {})
    return answer.kind === 'no-host' ? [] : answer.gives
  }
  const listHeld = async (): Promise<HeldPane[]> => {
    const ports = await earlier.ports()
    const [own, ...others] = await Promise.all([host, ...ports].map(listOf))
    elsewhere = new Map(
      ports.flatMap(
        (port, index) => others[index]?.map(({ paneId }) => [paneId, port] as const) ?? [],
      ),
    )
    return [...(own ?? []), ...others.flat()]
  }
  const describe = async ({ pasted, entered, ...pane }: HeldPane): Promise<Pane> => ({
    ...pane,
    title: pane.title ?? null,
    pasted: readTrace(pasted),
    endedAt: pane.endedAt ?? null,
    entered: readTrace(entered),
    inMode: false,
    foreground: pane.dead || isHeadless(pane.paneId) ? null : await isForeground(pane.pid),
    humanActiveAt: pane.humanActiveAt ?? null,
  })
  const list = async () => await Promise.all((await listHeld()).map(describe))
  const deaths = createDeaths({ list, log })

  /** To whichever host has the pane. */
  const ask = async <
    Verb extends Exclude<keyof Verbs, 'open' | 'list' | 'hello' | 'shutdown' | 'end'>,
  >(
    verb: Verb,
    takes: Verbs[Verb]['takes'] & { paneId: PaneId },
    how?: { once?: boolean; timeout?: number },
  ): Promise<Verbs[Verb]['gives'] | undefined> => {
    if ((await earlier.ports()).length > 0 && !elsewhere.has(takes.paneId)) await listHeld()
    const port: Port = elsewhere.get(takes.paneId) ?? host
    const answer = await port.ask(verb, takes as never, how)
    return answer.kind === 'no-host' ? undefined : (answer.gives as Verbs[Verb]['gives'])
  }
  const typing = (paneId: PaneId) => ({
    once: true,
    ...(isHeadless(paneId) && { timeout: WRITE_TIMEOUT }),
  })
  const endAt = async (port: Port, panes: readonly HeldPane[]): Promise<void> => {
    if (panes.length === 0) return
    const paneIds = panes.map(({ paneId }) => paneId)
    const answer = await port.ask('end', { paneIds, grace: closeGrace }, { timeout: END_TIMEOUT })
    if (answer.kind === 'answer') return
    // The host ended over it: what it was about to end is ended from here.
    await endPanes(
      panes.map((pane) => ({ ...pane, ended: pane.dead })),
      { grace: closeGrace },
    )
  }
  const captured = async (takes: Verbs['capture']['takes']): Promise<string> => {
    const answer = await ask('capture', takes)
    if (answer === undefined || answer === null) throw paneGone(takes.paneId)
    return answer.text
  }
  const socketOf = (paneId: PaneId): string => (elsewhere.get(paneId) ?? host).socketPath
  const start = async () => {
    await host.start()
    await deaths.look()
  }

  const closeAll = async (paneIds: readonly PaneId[]): Promise<void> => {
    const panes = paneIds.length === 0 ? [] : await listHeld()
    const doomed = panes.filter(({ paneId }) => paneIds.includes(paneId))
    if (doomed.length === 0) return
    const ports = new Set(doomed.map(({ paneId }) => elsewhere.get(paneId) ?? host))
    await Promise.all(
      [...ports].map((port) =>
        endAt(
          port,
          doomed.filter(({ paneId }) => (elsewhere.get(paneId) ?? host) === port),
        ),
      ),
    )
    await deaths.look()
    await Promise.all(doomed.map(({ paneId }) => ask('remove', { paneId })))
    await deaths.look()
  }

  return {
    name: 'headless',
    start,
    adopt: deaths.look,
    open: async (pane) => {
      await checkOpen(pane)
      const takes = openTakes(pane, environment)
      for (let attempt = 0; attempt < OPEN_ATTEMPTS; attempt += 1) {
        const answer = await host.ask('open', takes)
        if (answer.kind === 'answer') {
          deaths.opened(answer.gives.paneId, pane.agentId)
          return answer.gives
        }
        await start()
      }
      throw new ExomonadError(
        'MULTIPLEXER_UNAVAILABLE',
        `The detached host ended again and again while ${pane.name} was started. Run \`exomonad doctor\`.`,
      )
    },
    list,
    inspect: async (paneId) => {
      const pane = (await listHeld()).find((held) => held.paneId === paneId)
      return pane === undefined ? undefined : await describe(pane)
    },
    paste: async (paneId, text, key) =>
      (await ask('paste', { paneId, text, key: key ?? null }, typing(paneId))) ?? { kind: 'gone' },
    pressEnter: async (paneId, key) =>
      (await ask(
        'key',
        { paneId, key: 'enter', ...(key !== undefined && { submits: key }) },
        typing(paneId),
      )) ?? { kind: 'gone' },
    pressEscape: async (paneId) =>
      (await ask('key', { paneId, key: 'escape' }, { once: true })) ?? { kind: 'gone' },
    capture: (paneId, { lines = 0 } = {}) => captured({ paneId, lines, styled: false }),
    captureStyled: (paneId, { lines = 0 } = {}) => captured({ paneId, lines, styled: true }),
    rename: async (paneId, name) => {
      if ((await ask('rename', { paneId, name: titleOf(name) })) !== true) throw paneGone(paneId)
    },
    close: (paneId) => closeAll([paneId]),
    closeAll,
    endLeftBehind: (agentId) => endPanes([{ pid: 0, agentId, ended: true }], { grace: closeGrace }),
    onDeath: deaths.onDeath,
    attachCommand: (paneId) => [
      node,
      programs(`adapters/terminals/detached/${isHeadless(paneId) ? 'follow' : 'attach'}`),
      socketOf(paneId),
      paneId,
    ],
    viewCommand: (paneId) => {
      const attach = programs('adapters/terminals/detached/attach')
      return [node, attach, socketOf(paneId), paneId, '--view']
    },
    view: (paneId, how) =>
      openOwnView(socketOf(paneId), paneId, { ...how, terminal: !isHeadless(paneId) }),
    shutdown: async () => {
      for (const port of [...(await earlier.ports()), host]) {
        const hello = await port.ask('hello', {})
        if (hello.kind === 'no-host') continue
        await endAt(port, await listOf(port))
        await deaths.look()
        await port.ask('shutdown', {}, { once: true })
        for (
          let waited = 0;
          waited < STOP_LIMIT && (await isRunning(hello.gives.pid));
          waited += STOP_POLL
        )
          await delay(STOP_POLL)
      }
      await deaths.look()
    },
    dispose: async () => {
      disposed = true
      host.close()
      earlier.close()
    },
    writeStdin: async (paneId, data) =>
      (await ask('write', { paneId, data }, { once: true, timeout: WRITE_TIMEOUT })) ?? {
        kind: 'gone',
      },
    session: async (paneId) => (await ask('session', { paneId })) ?? undefined,
    prompt: async (paneId, text) =>
      (await ask('prompt', { paneId, text }, { once: true })) ?? {
        kind: 'refused',
        reason: 'it is not there any more',
      },
    mentions: async (paneId, words) => (await ask('mentions', { paneId, words })) ?? null,
  }
}

const isHeadless = (paneId: PaneId): boolean => paneId.startsWith(HEADLESS_PANE)

/** Whether it is the detached host that has the pane. */
export const isDetached = (paneId: PaneId): boolean =>
  isHeadless(paneId) || paneId.startsWith(DETACHED_TERMINAL)

function openTakes(
  { agentId, name, cwd, env, argv, columns, rows, program, output, outputBound }: OpenPane,
  environment: Readonly<Record<string, string>>,
): OpenTakes {
  const common = {
    openId: randomUUID(),
    agentId,
    name: titleOf(name),
    cwd,
    env: { ...environment, ...env },
    columns,
    rows,
  }
  if (program === undefined)
    return { ...common, kind: 'terminal', argv: programWithoutDescriptors(argv) }
  return {
    ...common,
    ...program,
    argv: [...argv],
    output: output ?? null,
    ...(outputBound === undefined ? {} : { outputBound }),
  }
}
