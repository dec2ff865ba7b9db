import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ExomonadError } from '../../../errors.ts'
import { exec } from '../../exec.ts'

/** `no-session`: nothing was done. `failed`: Zellij said no. */
export type Reply = { kind: 'done'; stdout: string } | { kind: 'no-session' } | { kind: 'failed'; reason: string }

/** Commands of the `zellij` program, a process each (20 to 40 ms): it has no client that stays. */
export interface Commands {
  readonly binary: string
  readonly session: string
  readonly environment: Readonly<Record<string, string>>
  /** Any command. `limit`: milliseconds, where less than the usual ones. */
  run(args: readonly string[], limit?: number): Promise<Reply>
  /** Whether there is a socket of our session: a server may listen there. */
  hasSocket(): Promise<boolean>
  /** An action in our session. */
  action(...args: string[]): Promise<Reply>
}

const ATTEMPTS = 20
const PAUSE = 50
const NO_SESSION = /no active session|session .*not found|no session with/i

/** Throws MULTIPLEXER_UNAVAILABLE where Zellij is not there, or (`outcome: 'unknown'`) does not answer. */
export function createCommands(options: {
  readonly binary: string
  readonly session: string
  readonly environment: Readonly<Record<string, string>>
  /** Folder of Zellij’s sockets, which stand in folders by version of its protocol. */
  readonly socketDir: string
  /** Milliseconds. */
  readonly timeout: number
}): Commands {
  const { binary, session, environment, socketDir, timeout } = options
  const run: Commands['run'] = async (args, limit = timeout) => {
    const { exitCode, stdout, stderr, startError, timedOut } = await exec(binary, args, { env: environment, timeout: limit })
    if (startError === 'E2BIG') {
      throw new ExomonadError(
        'INVALID_ARG',
        'The system takes no command with so long arguments or environment (128 kB for each, on Linux). Give a long text in a file, or by a message.',
        { program: binary },
      )
    }
    if (startError !== null) {
      throw new ExomonadError(
        'MULTIPLEXER_UNAVAILABLE',
        `Zellij can't be started (${startError}). Install it, or set [multiplexer] kind = "tmux" or "headless".`,
        {
          binary,
        },
      )
    }
    if (timedOut) {
      throw new ExomonadError('MULTIPLEXER_UNAVAILABLE', `Zellij did not answer within ${String(limit)} ms. Run \`exomonad doctor\`.`, {
        session,
        outcome: 'unknown',
      })
    }
    if (exitCode === 0) return { kind: 'done', stdout }
    const said = `${stderr}${stdout}`.trim()
    return NO_SESSION.test(said) ? { kind: 'no-session' } : { kind: 'failed', reason: said || `exit code ${String(exitCode)}` }
  }
  const hasSocket = async (): Promise<boolean> => {
    const folders = await readdir(socketDir, { withFileTypes: true }).catch(() => [])
    const names = await Promise.all(folders.filter((entry) => entry.isDirectory()).map(({ name }) => readdir(join(socketDir, name)).catch(() => [])))
    return names.flat().includes(session)
  }
  return {
    binary,
    session,
    environment,
    run,
    hasSocket,
    action: async (...args) => {
      for (let attempt = 1; ; attempt += 1) {
        // Without looking at all sessions there are, as Zellij does.
        if (!(await hasSocket())) return { kind: 'no-session' }
        const reply = await run(['--session', session, 'action', ...args])
        // A busy server may not say in time that it is there; one that has ended leaves no socket once it was asked.
        if (reply.kind !== 'no-session' || attempt === ATTEMPTS) return reply
        await delay(PAUSE)
      }
    },
  }
}
