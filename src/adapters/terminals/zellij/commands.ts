import { setTimeout as delay } from 'node:timers/promises'
import { ExomonadError } from '../../../errors.ts'
import { exec } from '../../../processes/exec.ts'
import type { Sockets } from './sockets.ts'

/** `no-session`: nothing was done. `failed`: Zellij said no. */
export type Reply = { kind: 'done'; stdout: string } | { kind: 'no-session' } | { kind: 'failed'; reason: string }

/** Commands of the `zellij` program, a process each (20 to 40 ms): it has no client that stays. */
export interface Commands {
  readonly binary: string
  readonly session: string
  /** Of what is to find our session, and no other. */
  readonly environment: Readonly<Record<string, string>>
  /** Any command; `common`: people are to find what it starts. `limit`: milliseconds, where less than the usual ones. */
  run(args: readonly string[], options?: { readonly limit?: number; readonly common?: boolean }): Promise<Reply>
  /** An action in our session. Asked once. */
  ask(args: readonly string[], limit?: number): Promise<Reply>
  /** The same, asked again where a busy server may not have heard. */
  action(...args: string[]): Promise<Reply>
}

const ATTEMPTS = 20
const PAUSE = 50
const NO_SESSION = /no active session|session .*not found|no session with/i

/** Throws MULTIPLEXER_UNAVAILABLE where Zellij is not there, or (`outcome: 'unknown'`) does not answer. */
export function createCommands(options: {
  readonly binary: string
  readonly session: string
  /** That of people: their sessions are found with it. */
  readonly environment: Readonly<Record<string, string>>
  readonly sockets: Sockets
  /** Milliseconds. */
  readonly timeout: number
}): Commands {
  const { binary, session, sockets, timeout } = options
  const own = (): Readonly<Record<string, string>> => ({ ...options.environment, ZELLIJ_SOCKET_DIR: sockets.folder })
  const run: Commands['run'] = async (args, { limit = timeout, common = false } = {}) => {
    const env = common ? options.environment : own()
    const { exitCode, stdout, stderr, startError, timedOut } = await exec(binary, args, { env, timeout: limit })
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
  const ask: Commands['ask'] = async (args, limit) => {
    if (!(await sockets.find())) return { kind: 'no-session' }
    const reply = await run(['--session', session, 'action', ...args], { ...(limit !== undefined && { limit }) })
    if (reply.kind === 'no-session') await sockets.forgetLost()
    return reply
  }
  return {
    binary,
    session,
    get environment() {
      return own()
    },
    run,
    ask,
    action: async (...args) => {
      for (let attempt = 1; ; attempt += 1) {
        const reply = await ask(args)
        // A busy server may not say in time that it is there; one that has ended leaves no socket once it was asked.
        if (reply.kind !== 'no-session' || attempt === ATTEMPTS || !(await sockets.find())) return reply
        await delay(PAUSE)
      }
    },
  }
}
