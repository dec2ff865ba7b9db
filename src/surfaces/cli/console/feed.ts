import type { ScrollbackLine } from '../../../core/spawn/agent-forks.ts'
import type { ErrorCode } from '../../../domain/error-codes.ts'
import { asExomonadError, ExomonadError } from '../../../domain/errors.ts'
import type { Client, WireEvent } from '../../client.ts'
import { startLoop } from './loop.ts'
import { createContents, type Heard } from './overview/read-contents.ts'
import { hasEnded } from './rotation.ts'
import { awaited, inboxCount, nodeOf, viewOf, type Action, type ConsoleState } from './state.ts'
import type { Store } from './store.ts'

/** Reads what the console shows, as long as the signal lasts. */
export interface Feed {
  /** Something changed by what the person did: looks at everything at once. */
  wake(): void
  /** Reads the tree, and has it in the state when it returns. */
  refresh(): Promise<void>
  /** What is kept beside an agent’s terminal, as of now. */
  readScrollback(
    agent: string,
    by?: Client,
  ): Promise<{ entries: readonly ScrollbackLine[]; captureLines: number | null }>
}

/**
 * Milliseconds between two looks: at the tree where no event came, at a terminal that changes and
 * at one that is still, after a failure.
 */
const TREE = 2000
const SCREEN = { changing: 100, still: 1000, growth: 1.5 }
const RETRY = 500
/**
 * The same at how those stand that are waited for, while that is shown: mail that a wait will take,
 * and calls and tokens, make no event.
 */
const FAN_IN = 250
/** The least between two reads of a kind: of a flood the latest is enough. */
const PAUSE = 50
/** The same of what the tabs of the overview show, which can be much. */
const CONTENTS = 200
/** All of a terminal’s text: more than a multiplexer keeps. */
const LINES = 20_000

export function startFeed(options: {
  client: Client
  clientFor: (agent: string) => Client
  store: Store<ConsoleState, Action>
  now: () => number
  /** Called with each event that comes. */
  onEvent: (event: WireEvent) => void
  signal: AbortSignal
}): Feed {
  const { client, clientFor, store, now, onEvent, signal } = options
  const { dispatch } = store

  const readScrollback: Feed['readScrollback'] = async (agent, by = client) => {
    const {
      entries,
      capture_lines: captureLines,
      task,
    } = await by.call('scrollback', { agent }, { signal })
    dispatch({ type: 'scrollback', agent, entries, captureLines, task })
    return { entries, captureLines }
  }

  let begun = 0
  let applied = 0
  const refresh = async (): Promise<void> => {
    const mine = ++begun
    const at = now()
    const view = await client.call('tree', {}, { signal })
    // Reads may overlap: what a later one brought is not undone.
    if (mine < applied) return
    applied = mine
    dispatch({ type: 'tree', tree: view, at: now() })
    settleSent(store.get(), at, dispatch)
  }
  const tree = startLoop(
    async () => {
      try {
        const before = store.get()
        await refresh()
        const after = store.get()
        if (
          before.trouble !== null ||
          before.viewed !== after.viewed ||
          stateOf(before) !== stateOf(after)
        )
          screen.wake()
        const isShown = after.overlay?.kind === 'inbox' || after.place === 'overview'
        if (isShown || inboxCount(before) !== inboxCount(after)) inbox.wake()
        contents.wake()
        beside.wake()
        fanIn.wake()
        return TREE
      } catch (error) {
        if (!signal.aborted) dispatch({ type: 'trouble', trouble: troubleOf(error) })
        return RETRY
      }
    },
    { pause: PAUSE, signal },
  )

  let shown = ''
  let delay = SCREEN.changing
  const screen = startLoop(
    async () => {
      const { viewed } = store.get()
      if (viewed === '') return Number.POSITIVE_INFINITY
      try {
        const answer = await client.call('screen', { agent: viewed, lines: LINES }, { signal })
        const changed = viewed !== shown || answer.text !== viewOf(store.get(), viewed).text
        shown = viewed
        dispatch({ type: 'screen', agent: viewed, text: answer.text })
        delay = changed ? SCREEN.changing : Math.min(SCREEN.still, delay * SCREEN.growth)
        const node = nodeOf(store.get(), viewed)
        // What ended writes no more; a change of its state wakes this.
        return node !== undefined && hasEnded(node) && !answer.live && !changed
          ? Number.POSITIVE_INFINITY
          : delay
      } catch (error) {
        if (signal.aborted) return Number.POSITIVE_INFINITY
        if (!(error instanceof ExomonadError) || AWAY.has(error.code)) return RETRY
        dispatch({
          type: 'no-screen',
          agent: viewed,
          why: error.code === 'PANE_GONE' ? '' : error.message,
        })
        return SCREEN.still
      }
    },
    { pause: PAUSE, signal },
  )

  /** A read whose failure the next one, or that of the tree, reports. */
  const quietly = (work: (viewed: string) => Promise<unknown>) => async (): Promise<number> => {
    const { viewed } = store.get()
    if (viewed !== '') await work(viewed).catch(() => {})
    return Number.POSITIVE_INFINITY
  }
  const beside = startLoop(quietly(readScrollback), { pause: PAUSE, signal })
  const inbox = startLoop(
    quietly(async () =>
      dispatch({ type: 'inbox', inbox: await client.call('inbox', {}, { signal }) }),
    ),
    { pause: PAUSE, signal },
  )
  const fanIn = startLoop(
    async () => {
      const { viewed } = store.get()
      const agents = awaited(store.get(), viewed)
      if (agents.length === 0) return Number.POSITIVE_INFINITY
      await quietly(async () => {
        const { results } = await clientFor(viewed).call(
          'fan_in',
          { from_agents: agents },
          { signal },
        )
        dispatch({ type: 'fan-in', agent: viewed, rows: results })
      })()
      return FAN_IN
    },
    { pause: PAUSE, signal },
  )

  let heard: Heard = { events: 0, pulls: 0 }
  const contents = startLoop(
    createContents({ client, clientFor, store, heard: () => heard, signal }),
    {
      pause: CONTENTS,
      signal,
    },
  )

  const wake = (): void => {
    for (const loop of [tree, screen, beside, inbox, fanIn, contents]) loop.wake()
  }
  // Whatever made another agent, or more of one, be shown.
  let before = store.get()
  const unsubscribe = store.subscribe(() => {
    const now = store.get()
    const isMoved =
      before.viewed !== now.viewed ||
      before.place !== now.place ||
      before.overview.tab !== now.overview.tab
    before = now
    if (isMoved) for (const loop of [screen, beside, inbox, fanIn, contents]) loop.wake()
  })
  signal.addEventListener('abort', unsubscribe, { once: true })
  void follow(client, signal, (event) => {
    onEvent(event)
    const ofPull = event.type.startsWith('pr.') ? 1 : 0
    heard = { events: heard.events + 1, pulls: heard.pulls + ofPull }
    tree.wake()
    if (event.agentId === store.get().viewed) screen.wake()
    if (event.type === 'delivery.acked' && event.agentId !== null)
      dispatch({ type: 'settled', agent: event.agentId, state: 'delivered' })
  })
  return { wake, refresh, readScrollback }
}

/** Said by the reads of the tree. */
const AWAY = new Set<ErrorCode>(['DAEMON_UNAVAILABLE', 'HOST_UNREACHABLE'])

const stateOf = (state: ConsoleState): string | undefined => nodeOf(state, state.viewed)?.state

/**
 * A message that no longer stood in the queue at a look that began after it was sent was handed
 * over.
 */
function settleSent(
  state: ConsoleState,
  lookedAt: number,
  dispatch: (action: Action) => void,
): void {
  for (const { id, undelivered } of state.rotation) {
    const { sent } = viewOf(state, id)
    if (undelivered === 0 && sent?.state === 'queued' && sent.at < lookedAt)
      dispatch({ type: 'settled', agent: id, state: 'handed over' })
  }
}

/** Events, across restarts and refusals of the daemon. */
async function follow(
  client: Client,
  signal: AbortSignal,
  on: (event: WireEvent) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const event of client.events({ follow: true, last: 0, signal })) on(event)
    } catch {
      // What is the matter the reads of the tree report.
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY))
  }
}

function troubleOf(error: unknown): string {
  const { code, message } = asExomonadError(error)
  return code === 'DAEMON_UNAVAILABLE'
    ? 'The daemon doesn’t answer; what is shown may be old'
    : (message.split('\n')[0] ?? message)
}
