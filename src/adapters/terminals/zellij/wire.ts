import { connect } from 'node:net'
import { join } from 'node:path'
import type { PaneId } from '../../../ids.ts'

/**
 * What Zellij’s own programs say to its server, where the `zellij` command has no words for it: it acts for whichever client pressed a key last
 * (0.45.1). A message is its length in four bytes, the lowest first, and a protocol buffer; the folder of the sockets is called after the version of these.
 */
export interface Wire {
  /**
   * Takes the clients with these numbers to a pane. A number that nobody has yet stays in its own tab, and whoever gets it is at that pane once in
   * that of the pane. Answers when it is done, or not to be had.
   */
  focus(clients: readonly number[], paneId: PaneId): Promise<void>
}

const VERSION_FOLDER = 'contract_version_1'
/** Numbers of the fields, in zellij-utils/src/client_server_contract/*.proto. */
const FIELD = { action: 9, clientExited: 11, itsAction: 1, clientId: 3, focusPaneByPaneId: 135, paneId: 1, terminal: 1 }

/** `timeout`: milliseconds. */
export function createWire({ socketDir, session, timeout }: { socketDir: string; session: string; timeout: number }): Wire {
  return {
    focus: (clients, paneId) =>
      new Promise((resolve) => {
        const pane = Number(paneId.replace(/^terminal_/, ''))
        const socket = connect(join(socketDir, VERSION_FOLDER, session))
        // The server closes when all that came before has been done.
        socket.setTimeout(timeout, () => socket.destroy())
        socket.on('error', () => undefined)
        socket.once('close', () => resolve())
        socket.once('connect', () =>
          socket.write(Buffer.concat([...clients.map((client) => frame(focusOf(client, pane))), frame(message(FIELD.clientExited))])),
        )
        socket.resume()
      }),
  }
}

const focusOf = (client: number, pane: number): Buffer =>
  message(
    FIELD.action,
    message(FIELD.itsAction, message(FIELD.focusPaneByPaneId, message(FIELD.paneId, number(FIELD.terminal, pane)))),
    number(FIELD.clientId, client),
  )

const NUMBER = 0
const BYTES = 2
const number = (field: number, value: number): Buffer => Buffer.concat([varint(field * 8 + NUMBER), varint(value)])
function message(field: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([varint(field * 8 + BYTES), varint(body.length), body])
}

/** Seven bits a byte, the lowest first; the eighth says that there are more. */
function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest % 128) + 128)
  }
}

function frame(body: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(body.length)
  return Buffer.concat([length, body])
}
