import { connect, type Socket } from 'node:net'
import type { PaneId } from '../../../domain/ids.ts'
import { receive, send } from '../../../processes/host/framing.ts'
import { paneGone } from '../pane-gone.ts'
import type { PaneView, ViewOptions, ViewState } from '../pane-view.ts'
import type { FollowMessage, HostMessage, Verbs } from './protocol.ts'

const ESCAPE = '\u001B'
/** Bytes of keys that the host has not taken; what comes beyond is thrown away. */
const INPUT_LIMIT = 1_000_000

/** What came as the answer to being asked for a view, or after it. */
type Received = HostMessage | FollowMessage

/**
 * A connection of its own to the host that has the pane: of a terminal its screen is drawn, of what
 * has none its output follows. PANE_GONE where nothing there has it.
 */
export async function openOwnView(
  socketPath: string,
  paneId: PaneId,
  { terminal, ...options }: ViewOptions & { terminal: boolean },
): Promise<PaneView> {
  const { columns, rows, readOnly, onOutput, onState, onEnd } = options
  const socket = connect(socketPath)
  let closed = false
  let state = ''
  const end = (reason: string): void => {
    if (closed) return
    closed = true
    socket.destroy()
    onEnd(reason)
  }
  const show = (next: ViewState): void => {
    const said = JSON.stringify(next)
    if (said !== state) onState(next)
    state = said
  }
  const take = (received: Exclude<Received, { readonly id: number }>): void => {
    if (received.event === 'frame') {
      show({
        columns: received.columns ?? columns,
        rows: received.rows ?? rows,
        part: null,
        title: received.title,
        leads: received.leads ?? null,
      })
      onOutput(Buffer.from(received.bytes))
    } else if (received.event === 'text')
      onOutput(Buffer.from(received.text.replace(/\r?\n/g, '\r\n')))
    else if (received.event === 'ended') end(`it has ended (${received.how})`)
    else if (received.event === 'left') end('the pane was closed')
  }

  await new Promise<void>((resolve, reject) => {
    socket.on('error', () => reject(paneGone(paneId)))
    socket.on('close', () => {
      reject(paneGone(paneId))
      end('the detached host ended')
    })
    receive(socket, (message) => {
      const received = message as Received
      if (closed) return
      if ('event' in received) return take(received)
      if ('error' in received || received.gives === false) {
        closed = true
        socket.destroy()
        reject(paneGone(paneId))
      } else resolve()
    })
    const takes: Verbs['view']['takes'] = {
      ...{ paneId, columns, rows, readOnly },
      ...{ embedded: readOnly, whole: readOnly },
    }
    send(
      socket,
      terminal ? { id: 1, verb: 'view', takes } : { id: 1, verb: 'follow', takes: { paneId } },
    )
  })
  return viewOver(socket, { paneId, terminal, readOnly, close: () => (closed = true) })
}

function viewOver(
  socket: Socket,
  {
    paneId,
    terminal,
    readOnly,
    close,
  }: { paneId: PaneId; terminal: boolean; readOnly: boolean; close: () => void },
): PaneView {
  return {
    kind: terminal ? 'terminal' : 'output',
    type: (keys) => {
      if (readOnly || keys === '' || socket.writableLength > INPUT_LIMIT) return
      if (terminal) send(socket, { input: keys })
      // Alone: arrows and the like begin with it.
      else if (keys === ESCAPE)
        send(socket, { id: 2, verb: 'key', takes: { paneId, key: 'escape' } })
    },
    get untaken() {
      return socket.writableLength
    },
    resize: (columns, rows) => {
      if (terminal && !readOnly) send(socket, { resize: { columns, rows } })
    },
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: () => {
      close()
      socket.destroy()
    },
  }
}
