import { readFile } from 'node:fs/promises'
import { spawn } from '@lydell/node-pty'
import { listProcesses } from '../../../processes/processes.ts'
import type { Commands } from './commands.ts'
import { zellijProcesses } from './people.ts'

/** A client of our session in a terminal that nobody sees. It ends with this process. */
export interface Client {
  readonly pid: number
  readonly ended: boolean
  resize(columns: number, rows: number): void
  /** Goes to the first tab, and is from then on the one that did something last: Zellij does for it what is to be done for no client in particular. */
  goHome(): void
  stop(): void
}

/** Bound in its configuration (session.ts) to going to the first tab. */
export const HOME_KEY = { bytes: '\u001Bh', name: 'Alt h' }
/** What asks for the kind of the terminal, and what one answers that can nothing special: without it the client waits for half a second. */
const ASKS = '\u001B[c'
const ANSWER = '\u001B[?62;22c'

/** In its environment: the process id of who started it. */
const STARTED_BY = 'EXOMONAD_CLIENT_OF'

/**
 * Ends clients of ours whose daemon was killed: what else that had started may hold their terminals open, so that nothing tells them. Their size
 * would be that of our panes.
 */
export async function endLeftClients(configFile: string): Promise<void> {
  const clients = (await zellijProcesses()).filter(({ argv }) => argv.includes(configFile) && argv.includes('attach') && !argv.includes('--create-background'))
  const processes = clients.length === 0 ? [] : await listProcesses()
  for (const { pid } of clients) {
    const starter = new RegExp(`(?:^|\\0)${STARTED_BY}=(\\d+)\\0`).exec(await readFile(`/proc/${String(pid)}/environ`, 'utf8').catch(() => ''))?.[1]
    const found = processes.find((one) => one.pid === pid)
    if (starter === undefined || found === undefined || found.zombie || found.parent === Number(starter)) continue
    try {
      process.kill(pid, 'SIGHUP')
    } catch {
      // It has ended.
    }
  }
}

export function startClient({ commands, configFile, columns, rows }: { commands: Commands; configFile: string; columns: number; rows: number }): Client {
  let ended = false
  const pty = spawn(commands.binary, ['--config', configFile, 'attach', commands.session], {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd: '/',
    env: { ...commands.environment, [STARTED_BY]: String(process.pid) },
  })
  pty.onData((data) => {
    if (data.includes(ASKS)) pty.write(ANSWER)
  })
  pty.onExit(() => (ended = true))
  /** Its terminal may be closed before its end is told. */
  const whileItRuns = (act: () => void): void => {
    try {
      if (!ended) act()
    } catch {
      ended = true
    }
  }
  return {
    pid: pty.pid,
    get ended() {
      return ended
    },
    resize: (newColumns, newRows) => whileItRuns(() => pty.resize(newColumns, newRows)),
    goHome: () => whileItRuns(() => pty.write(HOME_KEY.bytes)),
    stop: () => whileItRuns(() => pty.kill('SIGHUP')),
  }
}
