import { connect } from 'node:net'
import process from 'node:process'
import { receive, send } from '../../../processes/host/framing.ts'
import type { FollowMessage } from './protocol.ts'

/**
 * Shows what something without a terminal says, as it comes: `node follow.js SOCKET PANE`. Escape
 * interrupts a session’s turn, q, Ctrl-C, Ctrl-D and Ctrl-] leave; nothing else is handed on.
 */

const LEAVE = /[\u0003\u0004\u001Dq]/
const ESCAPE = '\u001B'

function follow(socketPath: string, paneId: string): void {
  const { stdin, stdout, stderr } = process
  const socket = connect(socketPath)
  let left = false
  let atLineStart = true

  const leave = (why: string, code = 0) => {
    if (left) return
    left = true
    process.exitCode = code
    socket.destroy()
    if (stdin.isTTY) stdin.setRawMode(false)
    stdin.destroy()
    stderr.write(`${atLineStart ? '' : '\n'}exomonad: ${why}\n`)
  }
  socket.on('error', () => leave('the detached host is not running.', 1))
  socket.on('close', () => leave('the detached host ended.', 1))
  receive(socket, (message) => {
    const received = message as FollowMessage | { readonly id: number; readonly gives: unknown }
    if (!('event' in received)) {
      if (received.gives === false) leave('there is no such pane any more.', 1)
    } else if (received.event === 'text') {
      atLineStart = received.text.endsWith('\n')
      // A terminal in raw mode does not go back to the start of the line by itself.
      const written = stdout.write(
        stdin.isTTY ? received.text.replaceAll('\n', '\r\n') : received.text,
      )
      if (written) return
      socket.pause()
      stdout.once('drain', () => socket.resume())
    } else if (received.event === 'ended') {
      leave(`it has ended (${received.how}).`)
    } else if (received.event === 'left') {
      leave('it was closed.')
    }
  })
  if (stdin.isTTY) {
    stdin.setRawMode(true)
    stdin.setEncoding('utf8')
    stdin.on('data', (keys: string) => {
      if (LEAVE.test(keys)) leave('left; the agent goes on.')
      // Alone: arrows and the like begin with it.
      else if (keys === ESCAPE)
        send(socket, { id: 2, verb: 'key', takes: { paneId, key: 'escape' } })
    })
    stderr.write(
      'exomonad: Escape interrupts a session’s turn, Ctrl-C leaves; the agent goes on.\r\n',
    )
  }
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => leave('left; the agent goes on.'))
  send(socket, { id: 1, verb: 'follow', takes: { paneId } })
}

const [socketPath, paneId] = process.argv.slice(2)
if (socketPath !== undefined && paneId !== undefined) follow(socketPath, paneId)
