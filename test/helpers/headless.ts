import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import type { Exomonad } from './daemon.ts'
import { waitFor } from './wait-for.ts'

/** Test helpers for what runs without a terminal. */

const SCRIPTED = join(import.meta.dirname, '..', 'fixtures', 'acp', 'scripted-agent.ts')

/** TOML of an [acp.NAME] that is the scripted agent, with these arguments. */
export const scriptedAcp = (name: string, ...args: string[]): string =>
  `[acp.${name}]\ncommand = [${[process.execPath, SCRIPTED, ...args].map((word) => JSON.stringify(word)).join(', ')}]\n`

/** The result, once there is one. */
export async function resultOf(tree: Exomonad, id: string): Promise<any> {
  await waitFor(
    `${id} to end`,
    async () => (await tree.call('agent_status', { agent_id: id })).status !== 'running',
    { limit: 60_000 },
  )
  return tree.call('agent_result', { agent_id: id })
}

/** Processes whose environment names the agent. */
export const processesOf = (id: string): number[] =>
  pidsWhere(({ environ }) => environ.includes(`EXOMONAD_AGENT_ID=${id}\0`))

/** Of the detached host of this repository. */
export function hostPid(tree: Exomonad): number {
  const [pid] = withoutForks(
    pidsWhere(
      ({ cmdline, environ }) =>
        /\bdetached-host\.(ts|js)\0/.test(cmdline) && environ.includes(tree.repository.folder),
    ),
  )
  if (pid === undefined) throw new Error('no detached host was found')
  return pid
}

/**
 * Without those that one of them has just made: until it becomes what was asked for, such a process
 * looks like the one that makes it.
 */
const withoutForks = (pids: readonly number[]): number[] =>
  pids.filter((pid) => !pids.includes(parentOf(pid)))

function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

function pidsWhere(test: (process: { cmdline: string; environ: string }) => boolean): number[] {
  const read = (pid: number, name: string): string => {
    try {
      return `${readFileSync(`/proc/${pid}/${name}`, 'latin1')}\0`
    } catch {
      return ''
    }
  }
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
    .filter((pid) => {
      const cmdline = read(pid, 'cmdline')
      return cmdline !== '\0' && test({ cmdline, environ: read(pid, 'environ') })
    })
}
