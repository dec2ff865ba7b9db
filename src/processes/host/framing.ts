import type { Socket } from 'node:net'

/** What every host answers to `hello`. */
export interface Hello {
  readonly protocol: number
  readonly pid: number
}

/** `changed`: something that the host holds ended or went. */
export type HostAnswer =
  | { readonly id: number; readonly gives: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly event: 'changed' }

/** One JSON value per line. */
export const send = (socket: Socket, message: object): void => {
  if (!socket.destroyed) socket.write(`${JSON.stringify(message)}\n`)
}

/** Calls back for every line that arrives; a line that is no JSON ends the connection. */
export function receive(socket: Socket, onMessage: (message: unknown) => void): void {
  let parts: string[] = []
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    const pieces = chunk.split('\n')
    const rest = pieces.pop() ?? ''
    for (const piece of pieces) {
      const line = parts.join('') + piece
      parts = []
      let message: unknown
      try {
        // Of the other half of this program, which read all that is in it with a bound.
        message = JSON.parse(line)
      } catch {
        socket.destroy()
        return
      }
      onMessage(message)
    }
    if (rest !== '') parts.push(rest)
  })
}
