import { connect } from 'node:net'
import process from 'node:process'
import { receive, send } from '../../../processes/host/framing.ts'
import { hintLine } from './hint-line.ts'
import type { HostMessage } from './protocol.ts'
import { NO_MOUSE } from './viewer.ts'

/**
 * Shows a pane of the detached host in the terminal it runs in:
 * `node attach.js SOCKET PANE [--read-only | --view]`. Ctrl-] leaves. `--view`: for a viewer’s
 * pane, with no line and no key of its own, and the pane’s name as the terminal’s title.
 */

const LEAVE = '\u001D'
const ENTER_SCREEN = '\u001B[?1049h\u001B[2J'
const LEAVE_SCREEN = `${NO_MOUSE}\u001B[?2004l\u001B[?1l\u001B[?25h\u001B[0m\u001B[?1049l`

function attach(
  socketPath: string,
  paneId: string,
  { readOnly, view }: { readOnly: boolean; view: boolean },
): void {
  const { stdin, stdout } = process
  if (!stdin.isTTY || !stdout.isTTY) {
    process.stderr.write('exomonad: attach needs a terminal. Run it in one.\n')
    process.exitCode = 1
    return
  }
  const socket = connect(socketPath)
  let shown = false
  let reason = ''

  let called = ''

  // The last row is the hint, the rest is the pane's.
  const size = () => ({
    columns: stdout.columns,
    rows: view ? stdout.rows : Math.max(1, stdout.rows - 1),
  })
  const hint = (title: string) => {
    if (view) {
      const changed = title !== called
      called = title
      return changed ? `\u001B]0;${title}\u0007` : ''
    }
    return hintLine(title, stdout)
  }
  const leave = (why: string) => {
    if (reason !== '') return
    reason = why
    socket.destroy()
    stdin.setRawMode(false)
    stdin.destroy()
    if (shown) stdout.write(LEAVE_SCREEN)
    stdout.write(`${why}\n`)
  }

  socket.on('error', () => {
    process.exitCode = 1
    leave('exomonad: the detached host is not running.')
  })
  socket.on('close', () => leave('exomonad: the detached host ended.'))
  receive(socket, (message) => {
    const received = message as HostMessage
    if ('event' in received && received.event === 'frame') {
      if (!shown) stdout.write(ENTER_SCREEN)
      shown = true
      stdout.write(received.bytes + hint(received.title))
    } else if ('event' in received && received.event === 'left') {
      leave('exomonad: the pane was closed.')
    } else if ('gives' in received && received.gives === false) {
      process.exitCode = 1
      leave('exomonad: there is no such pane any more.')
    }
  })
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  stdin.on('data', (keys: string) => {
    const end = view ? -1 : keys.indexOf(LEAVE)
    const input = end < 0 ? keys : keys.slice(0, end)
    if (input !== '') send(socket, { input })
    if (end >= 0) leave('exomonad: left the pane; the agent goes on.')
  })
  stdin.on('end', () => leave('exomonad: the terminal was closed.'))
  stdout.on('resize', () => {
    stdout.write('\u001B[2J')
    send(socket, { resize: size() })
  })
  process.on('SIGHUP', () => leave('exomonad: the terminal was closed.'))
  process.on('SIGTERM', () => leave('exomonad: left the pane; the agent goes on.'))
  send(socket, { id: 1, verb: 'view', takes: { paneId, ...size(), readOnly, embedded: view } })
}

const [socketPath, paneId, option] = process.argv.slice(2)
if (socketPath !== undefined && paneId !== undefined) {
  attach(socketPath, paneId, { readOnly: option === '--read-only', view: option === '--view' })
}
