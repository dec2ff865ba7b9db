import { readFile, readlink, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import process from 'node:process'
import { ofEach } from '../../../processes/processes.ts'

/** The kernel notes the use of a terminal only so exactly, for nobody to read a password off it. Milliseconds. */
const TERMINAL_CLOCK = 8000

/** A client by its number, which another gets when it has left, and the pane it looks at. */
export interface Looking {
  readonly client: number
  readonly paneId: string
}

/** What `list-clients` printed; undefined where it printed something else. */
export const lookedAt = (listing: string): Looking[] | undefined =>
  listing.startsWith('CLIENT_ID ')
    ? listing
        .split('\n')
        .slice(1)
        .flatMap((line) => {
          const [, client, paneId] = /^\s*(\d+)\s+(\S+)/.exec(line) ?? []
          return paneId === undefined ? [] : [{ client: Number(client), paneId }]
        })
    : undefined

/** Programs called zellij, with the terminal that they run in; null for servers and where the system does not tell. */
export async function zellijProcesses(): Promise<{ pid: number; argv: string[]; terminal: string | null }[]> {
  if (process.platform !== 'linux') return []
  return await ofEach(async (pid) => {
    const argv = (await readFile(`/proc/${String(pid)}/cmdline`, 'utf8').catch(() => '')).split('\0').slice(0, -1)
    if (basename(argv[0] ?? '') !== 'zellij') return undefined
    const terminal = await readlink(`/proc/${String(pid)}/fd/0`).catch(() => null)
    return { pid, argv, terminal: terminal?.startsWith('/dev/') === true && terminal !== '/dev/null' ? terminal : null }
  })
}

/**
 * When a person last typed into any terminal that shows a session, in ms since the epoch: Zellij does not tell, the terminals do. On the safe
 * side of what the kernel rounds away. Of a system that does not tell, `unknown`.
 */
export async function lastTyped(now: number, notOf: number | undefined, unknown: number): Promise<number> {
  const terminals = (await zellijProcesses()).filter(({ pid, argv }) => pid !== notOf && !argv.includes('--server'))
  const times = await Promise.all(
    terminals.map(async ({ terminal }) => (terminal === null ? 0 : ((await stat(terminal).catch(() => undefined))?.atimeMs ?? 0))),
  )
  const latest = Math.max(0, ...times)
  return latest === 0 ? unknown : Math.min(now, latest + TERMINAL_CLOCK)
}
