import { spawn } from '@lydell/node-pty'
import type { Commands } from './commands.ts'

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

export function startClient({ commands, configFile, columns, rows }: { commands: Commands; configFile: string; columns: number; rows: number }): Client {
  let ended = false
  const pty = spawn(commands.binary, ['--config', configFile, 'attach', commands.session], {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd: '/',
    env: { ...commands.environment },
  })
  pty.onData((data) => {
    if (data.includes(ASKS)) pty.write(ANSWER)
  })
  pty.onExit(() => (ended = true))
  return {
    pid: pty.pid,
    get ended() {
      return ended
    },
    resize: (newColumns, newRows) => {
      if (!ended) pty.resize(newColumns, newRows)
    },
    goHome: () => {
      if (!ended) pty.write(HOME_KEY.bytes)
    },
    stop: () => {
      if (!ended) pty.kill('SIGHUP')
    },
  }
}
