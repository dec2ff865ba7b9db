import { setTimeout as delay } from 'node:timers/promises'
import type { PaneId } from '../../../domain/ids.ts'
import { paneGone } from '../pane-gone.ts'
import type { PaneView, ViewOptions } from '../pane-view.ts'
import { startPtyClient, type PtyClient } from '../pty-client.ts'
import { windowOf } from './beside.ts'
import type { Connection } from './connection.ts'
import { command } from './quote.ts'
import { createTitleReader } from './title-reader.ts'
import { LOOK, ownViewCommand, parseTitle, TYPE } from './view.ts'

/** Beyond this, in bytes, what is typed before the client is there is thrown away. */
const EARLY = 65_536
/** A server that hangs is not to keep control clients away for ever. Milliseconds. */
const ATTACH_LIMIT = 5000

/**
 * A client of the server on a pseudo-terminal, as that of any viewer. One that only looks has the
 * window’s size, so that all of it is shown, and follows it; so does one of a window with several
 * panes, whose sizes belong to more than one agent.
 */
export async function openOwnView(
  connection: Connection,
  server: Parameters<typeof ownViewCommand>[0] & {
    environment: Readonly<Record<string, string>>
  },
  paneId: PaneId,
  options: ViewOptions,
): Promise<PaneView> {
  const window = await windowOf(connection, paneId)
  if (window === undefined) throw paneGone(paneId)
  const { readOnly, onOutput, onState, onEnd } = options
  const keepsSize = readOnly || window.panes > 1
  const size = keepsSize ? window : options
  let attached: () => void = () => undefined
  const isAttached = new Promise<void>((resolve) => (attached = resolve))
  let early: string | undefined = ''
  let closed = false

  const readTitles = createTitleReader((text) => {
    const state = parseTitle(text)
    if (state === undefined || closed) return
    attached()
    if (keepsSize) client.resize(state.columns, state.rows)
    onState(state)
    // Before that its terminal would take what is typed for itself: Ctrl-C would end the client.
    if (early !== undefined && early !== '') client.write(early)
    early = undefined
  })
  const start = (): PtyClient =>
    startPtyClient({
      argv: ownViewCommand(server, paneId, { readOnly, keepsSize }),
      env: { ...server.environment, TERM: 'xterm-256color' },
      columns: size.columns,
      rows: size.rows,
      onOutput: (bytes) => {
        if (closed) return
        const drawn = readTitles(bytes)
        if (drawn.length > 0) onOutput(drawn)
      },
      onExit: () => {
        attached()
        if (closed) return
        closed = true
        onEnd('the pane was closed, or tmux ended')
      },
    })
  const client = await new Promise<PtyClient>((resolve, reject) => {
    connection
      .apart(async () => {
        resolve(start())
        await Promise.race([isAttached, delay(ATTACH_LIMIT, undefined, { ref: false })])
      })
      .catch(reject)
  })

  return {
    kind: 'terminal',
    type: (keys) => {
      if (readOnly || closed) return
      if (early === undefined) client.write(keys)
      else if (early.length + keys.length <= EARLY) early += keys
    },
    get untaken() {
      return client.untaken + (early?.length ?? 0)
    },
    resize: (columns, rows) => {
      if (!keepsSize) client.resize(columns, rows)
    },
    pause: () => client.pause(),
    resume: () => client.resume(),
    close: () => {
      closed = true
      client.close()
      attached()
    },
  }
}

/**
 * Views that a daemon left which was killed: a program that it started while one was open may hold
 * that one's terminal open.
 */
export async function endLeftViews(connection: Connection): Promise<void> {
  const reply = await connection.ask(command('list-sessions', '-F', 'session #{session_name}'))
  if (reply.kind !== 'done') return
  const left = reply.lines
    .map((line) => line.replace('session ', ''))
    .filter((session) => [LOOK, TYPE].some((prefix) => session.startsWith(prefix)))
  for (const session of left) await connection.ask(command('kill-session', '-t', `=${session}`))
}
