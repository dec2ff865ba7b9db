import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import type { Client } from '../src/surfaces/client.ts'
import {
  runProgram,
  startExomonad,
  type Exomonad,
  type ExomonadOptions,
} from '../test/helpers/daemon.ts'

/** A real daemon for a measurement, with the owner’s client on its socket. */
export interface BenchTree {
  readonly exomonad: Exomonad
  readonly client: Client
  readonly socket: string
  rss(): Promise<number>
}

/** Agents that do nothing (`sleep`), so that only exomonad is measured. */
export const IDLE_AGENTS = `
[agents.idle]
adapter = "command"
command = ["sleep", "100000"]
[limits]
max_live_agents = 1000
`

export async function benchTree(options: ExomonadOptions = {}): Promise<BenchTree> {
  const exomonad = await startExomonad({ multiplexer: 'tmux', config: IDLE_AGENTS, ...options })
  const socket = JSON.parse(readFileSync(join(exomonad.state, 'repository.json'), 'utf8')).socket
  return {
    exomonad,
    client: exomonad.client(),
    socket,
    rss: async () => rssOf(await exomonad.daemonPid()),
  }
}

/** Resident memory of a process in MB. */
export function rssOf(pid: number): number {
  const kilobytes = Number(
    /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1],
  )
  return kilobytes / 1024
}

/** Resident memory in MB of a node that does nothing. */
export async function bareNode(env: Readonly<Record<string, string>>): Promise<number> {
  const result = await runProgram(
    process.execPath,
    [
      '-e',
      'setTimeout(() => process.stdout.write(String(process.memoryUsage.rss() / 1048576)), 500)',
    ],
    { env },
  )
  return Number(result.stdout) || rssOf(process.pid)
}
