import { spawn } from '@lydell/node-pty'

/**
 * A client of our session in a terminal that nobody sees, which ends with this process: what is
 * opened in a session without any has no size and is lost (0.45.1), and a new client begins where
 * the first one is.
 */
export interface Client {
  readonly ended: boolean
  /**
   * Is from then on the one that pressed a key last: what a command does to no client in particular
   * is done to that one.
   */
  press(): void
  /** Goes to the first tab. */
  goHome(): void
  stop(): void
}

/**
 * Bound in the session’s configuration: to going to the first tab, and to nothing that could be
 * seen.
 */
export const HOME_KEY = { bytes: '\u001Bh', name: 'Alt h' }
export const IDLE_KEY = { bytes: '\u001By', name: 'Alt y' }
/**
 * What asks for the kind of the terminal, and what one answers that can nothing special: without it
 * the client waits for half a second.
 */
const ASKS = '\u001B[c'
const ANSWER = '\u001B[?62;22c'

export function startClient(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  size: { columns: number; rows: number },
): Client {
  let ended = false
  const [file = '', ...args] = argv
  const pty = spawn(file, args, {
    name: 'xterm-256color',
    cols: size.columns,
    rows: size.rows,
    cwd: '/',
    env: { ...env },
  })
  pty.onData((data) => {
    if (data.includes(ASKS)) whileItRuns(() => pty.write(ANSWER))
  })
  pty.onExit(() => (ended = true))
  /** Its terminal may be closed before its end is reported. */
  function whileItRuns(act: () => void): void {
    try {
      if (!ended) act()
    } catch {
      ended = true
    }
  }
  return {
    get ended() {
      return ended
    },
    press: () => whileItRuns(() => pty.write(IDLE_KEY.bytes)),
    goHome: () => whileItRuns(() => pty.write(HOME_KEY.bytes)),
    stop: () => {
      whileItRuns(() => pty.kill('SIGHUP'))
      ended = true
    },
  }
}
