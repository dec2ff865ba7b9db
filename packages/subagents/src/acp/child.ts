import { once } from 'node:events'
import { setImmediate as immediate, setTimeout as delay } from 'node:timers/promises'
import type { Readable, Writable } from 'node:stream'
import { ExomonadError } from '../errors.ts'
import type { StartPiped } from '../processes/start-piped.ts'
import type { AcpExit } from './acp.ts'
import { endGroup } from '../processes/end-group.ts'
import { createTail } from './tail.ts'

const STDERR_BYTES = 16 * 1024
/**
 * A pipe of a program that ended, which others may hold open, is read until it was silent for so
 * long. Milliseconds.
 */
const DRAIN = 300
const POLL = 20

export interface Child {
  /** 0 where it did not start. */
  readonly pid: number
  readonly stdin: Writable
  readonly stdout: Readable
  /** Throws AGENT_CLI_MISSING where it can’t be started. */
  readonly begun: Promise<void>
  /** The last of its standard error, so far. */
  stderr(): string
  /** Of one that did not start with exit code 127, as a shell reports it. */
  readonly ended: Promise<AcpExit & { readonly stderr: string }>
  /** Ends its process group. */
  end(): Promise<AcpExit & { readonly stderr: string }>
}

export function startChild(options: {
  start: StartPiped
  name: string
  argv: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
  grace: number
  stderr?: ((text: string) => void) | undefined
}): Child {
  const [file = '', ...args] = options.argv
  const child = options.start(file, args, { cwd: options.cwd, env: options.env })
  const { pid = 0 } = child
  const tail = createTail(STDERR_BYTES)
  const begun = new Promise<void>((go, fail) => {
    child.once('spawn', go)
    child.once('error', (error) => {
      const words = `${options.name} could not be started: ${error.message}. Install it, or give the whole path as its command.`
      fail(new ExomonadError('AGENT_CLI_MISSING', words, {}, { cause: error }))
    })
  })
  begun.catch(() => {})
  const exited = new Promise<AcpExit>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
    child.on('error', () => {
      if (pid === 0) resolve({ exitCode: 127, signal: null })
    })
  })
  // What is written to one that has ended is lost: its end says so.
  child.stdin.on('error', () => {})
  child.stderr.on('data', (chunk: Buffer) => {
    tail.push(chunk)
    options.stderr?.(chunk.toString('utf8'))
  })
  child.stderr.on('error', () => {})
  let over = false
  const ended = exited.then(async (exit) => {
    over = true
    // Whoever it left behind in its group goes with it.
    void endGroup(pid, options.grace)
    await Promise.all([drained(child.stdout), drained(child.stderr)])
    child.stdout.destroy()
    child.stderr.destroy()
    child.stdin.destroy()
    return { ...exit, stderr: tail.text() }
  })
  return {
    pid,
    stdin: child.stdin,
    stdout: child.stdout,
    begun,
    stderr: () => tail.text(),
    ended,
    end: async () => {
      // Its number may be another’s later.
      if (!over) await endGroup(pid, options.grace)
      return await ended
    },
  }
}

/** Until it has closed, or nothing comes from it and everything that came was taken. */
async function drained(stream: Readable & { readonly bytesRead?: number }): Promise<void> {
  const over =
    stream.closed || stream.destroyed ? Promise.resolve() : once(stream, 'close').catch(() => {})
  let open = true
  void over.then(() => (open = false))
  const wait = async (): Promise<void> => {
    await Promise.race([over, delay(POLL)])
    // By then the pipe has been looked at, however late the timer was.
    await immediate()
  }
  for (let seen = -1, at = performance.now(); open; await wait()) {
    const now = stream.bytesRead ?? 0
    if (now !== seen || stream.readableLength > 0) at = performance.now()
    else if (performance.now() - at > DRAIN) return
    seen = now
  }
}

/** How a program ended, in words. */
export const exitWords = ({ exitCode, signal }: AcpExit): string =>
  signal === null
    ? exitCode === null
      ? 'it ended'
      : `it ended with exit code ${exitCode}`
    : `it was ended by ${signal}`
