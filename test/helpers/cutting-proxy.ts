import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Server } from './postgres.ts'

/**
 * Test helper: a socket of PostgreSQL's between a store and its server, which can cut connections at
 * a chosen statement: `before` the server sees it, or `after`, so that only the answer is missing.
 */
export interface CuttingProxy {
  url(database?: string): string
  /** The next time that a client sends this text, its connection is cut. Resolves when it was. */
  cut(when: 'before' | 'after', text: string): Promise<void>
  /** Cuts all there are now, and refuses new ones until called with false. */
  refuse(refused: boolean): void
  close(): Promise<void>
}

export async function startProxy(server: Server): Promise<CuttingProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-'))
  const pairs = new Set<[Socket, Socket]>()
  let order: { when: 'before' | 'after'; text: string; done: () => void } | undefined
  let isRefused = false
  const end = ([client, backend]: [Socket, Socket]): void => {
    client.destroy()
    backend.destroy()
  }
  const listener = createServer((client) => {
    if (isRefused) return void client.destroy()
    const backend = createConnection(join(server.folder, '.s.PGSQL.5432'))
    const pair: [Socket, Socket] = [client, backend]
    let isCutting = false
    pairs.add(pair)
    client.on('data', (data) => {
      if (order === undefined || !data.includes(order.text)) return void backend.write(data)
      const { when, done } = order
      order = undefined
      if (when === 'before') {
        end(pair)
        return done()
      }
      isCutting = true
      client.destroy()
      // What the server answers tells that it has done it.
      backend.removeAllListeners('data')
      backend.once('data', () => {
        end(pair)
        done()
      })
      return void backend.write(data)
    })
    backend.on('data', (data) => client.write(data))
    for (const socket of pair) {
      socket.on('error', () => {})
      socket.on('close', () => {
        if (!isCutting) end(pair)
        pairs.delete(pair)
      })
    }
  })
  await new Promise<void>((resolve) => listener.listen(join(folder, '.s.PGSQL.5432'), resolve))
  return {
    url: (database = 'postgres') =>
      `postgresql://owner@/${database}?host=${encodeURIComponent(folder)}`,
    cut: (when, text) => new Promise((resolve) => (order = { when, text, done: resolve })),
    refuse: (refused) => {
      isRefused = refused
      if (refused) for (const pair of pairs) end(pair)
    },
    close: async () => {
      for (const pair of pairs) end(pair)
      await new Promise((resolve) => listener.close(resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
