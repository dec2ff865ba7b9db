import type { Socket } from 'node:net'
import type { HostedPanes, Viewing } from './hosted-panes.ts'
import { PROTOCOL, receive, send, type Request, type ViewerInput } from './protocol.ts'

/** Answers one connection of the host: requests by their verb, or a viewer's keys once it asked to view. */
export function serveConnection(socket: Socket, options: { panes: HostedPanes; pid: number; onShutdown: () => void; onError: (error: unknown) => void }): void {
  const { panes, pid, onShutdown, onError } = options
  let viewing: Viewing | undefined

  const answer = async (request: Request): Promise<unknown> => {
    switch (request.verb) {
      case 'hello':
        return { protocol: PROTOCOL, pid }
      case 'open':
        return panes.open((request as Request<'open'>).takes)
      case 'list':
        return panes.list()
      case 'type':
        return await panes.type((request as Request<'type'>).takes)
      case 'capture':
        return await panes.capture((request as Request<'capture'>).takes)
      case 'rename':
        return panes.rename((request as Request<'rename'>).takes)
      case 'settle':
        return await panes.settle((request as Request<'settle'>).takes)
      case 'remove':
        return panes.remove((request as Request<'remove'>).takes.paneId)
      case 'view':
        viewing?.stop()
        viewing = panes.view({
          ...(request as Request<'view'>).takes,
          onFrame: (bytes, title) => send(socket, { event: 'frame', bytes, title }),
          onLeft: () => {
            viewing?.stop()
            viewing = undefined
            send(socket, { event: 'left' })
          },
        })
        return viewing !== undefined
      case 'shutdown':
        onShutdown()
        return true
    }
  }

  socket.on('close', () => viewing?.stop())
  socket.on('error', () => socket.destroy())
  receive(socket, (message) => {
    if ('input' in (message as ViewerInput)) {
      viewing?.input((message as { input: string }).input)
      return
    }
    if ('resize' in (message as ViewerInput)) {
      const { columns, rows } = (message as { resize: { columns: number; rows: number } }).resize
      viewing?.resize(columns, rows)
      return
    }
    const request = message as Request
    answer(request).then(
      (gives) => send(socket, { id: request.id, gives }),
      (error: unknown) => {
        onError(error)
        send(socket, { id: request.id, error: error instanceof Error ? error.message : String(error) })
      },
    )
  })
}
