import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { createClient } from '../../src/surfaces/client.ts'
import type { PostOffice } from './rounds.ts'

/** The floor’s server as a process of its own, with the same client before it as the daemon has. */
export interface Floor {
  readonly pid: number
  officeOf(boxes: number): PostOffice
  stop(): Promise<void>
}

export async function openFloor(): Promise<Floor> {
  const folder = mkdtempSync(join(tmpdir(), 'floor-'))
  const child = spawn(process.execPath, [join(import.meta.dirname, 'floor-server.ts'), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('the floor’s server ended'))),
  ])
  const client = createClient({ socket: join(folder, 's'), token: 'none' })
  return {
    pid: child.pid ?? 0,
    officeOf: (boxes) => {
      const closing = new AbortController()
      return {
        boxes,
        wait: async (box) =>
          (await client.callTool('wait', { box: String(box) }, { signal: closing.signal })) as {
            message: string
          },
        send: (box, message) => client.callTool('send', { box: String(box), message }),
        isWaiting: async (box) =>
          ((await client.callTool('open', { box: String(box) })) as { open: boolean }).open,
        close: () => closing.abort(),
      }
    },
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill()
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
