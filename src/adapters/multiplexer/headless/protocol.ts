import type { Socket } from 'node:net'
import type { AgentId, PaneId } from '../../../ids.ts'
import type { TypeResult } from '../multiplexer.ts'

/** Raised when host and adapter could misunderstand each other; a host lives longer than the daemon that started it. */
export const PROTOCOL = 1

/** A pane as the host keeps it. */
export interface HostedPane {
  readonly paneId: PaneId
  readonly agentId: AgentId
  readonly name: string
  /** Absent from hosts of before. */
  readonly title?: string | null
  readonly pid: number
  readonly dead: boolean
  readonly exitCode: number | null
  readonly exitSignal: string | null
  readonly humanActiveAt: number | null
  /** Absent from hosts of before. */
  readonly pasted?: string | null
}

/** What can be asked of the host. `openId` makes opening repeatable: the second time answers the first pane. */
export interface Verbs {
  hello: { takes: object; gives: { protocol: number; pid: number } }
  open: {
    takes: { openId: string; agentId: AgentId; name: string; cwd: string; env: Record<string, string>; argv: string[]; columns: number; rows: number }
    gives: { paneId: PaneId; pid: number }
  }
  list: { takes: object; gives: HostedPane[] }
  /** Text as one (bracketed) paste, whose key the pane remembers, or bytes as a key sends them. */
  type: { takes: { paneId: PaneId; text: string; paste: boolean; key?: string }; gives: TypeResult }
  /** `styled`: the rows of the screen with their colours and attributes; hosts of before don’t know it. */
  capture: { takes: { paneId: PaneId; lines: number; styled?: boolean }; gives: { text: string } | null }
  rename: { takes: { paneId: PaneId; name: string }; gives: boolean }
  /** Waits a moment for the end of a program that was just ended to be noticed. */
  settle: { takes: { paneId: PaneId }; gives: boolean }
  remove: { takes: { paneId: PaneId }; gives: boolean }
  /** From here on the connection shows the pane: frames come, `input` and `resize` go. */
  view: { takes: { paneId: PaneId; columns: number; rows: number }; gives: boolean }
  shutdown: { takes: object; gives: boolean }
}

export type Verb = keyof Verbs

export interface Request<Name extends Verb = Verb> {
  readonly id: number
  readonly verb: Name
  readonly takes: Verbs[Name]['takes']
}

/** What a viewer sends after `view`. */
export type ViewerInput = { readonly input: string } | { readonly resize: { readonly columns: number; readonly rows: number } }

/** `changed`: a pane died or went. `frame`: bytes for a viewer's terminal. `left`: what it viewed is gone. */
export type HostMessage =
  | { readonly id: number; readonly gives: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly event: 'changed' }
  | { readonly event: 'frame'; readonly bytes: string; readonly title: string }
  | { readonly event: 'left' }

/** One JSON value per line. */
export const send = (socket: Socket, message: Request | ViewerInput | HostMessage): void => {
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
