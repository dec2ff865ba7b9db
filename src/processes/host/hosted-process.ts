import { setImmediate as immediate, setTimeout as delay } from 'node:timers/promises'
import type { Readable } from 'node:stream'
import { createDeadline } from '../../../packages/subagents/src/processes/deadline.ts'
import { isStillIn, leftInGroup } from '../../../packages/subagents/src/processes/end-group.ts'
import type { startOnPipes } from '../start-on-pipes.ts'
import type { OutputLog } from './output-log.ts'
import { createStdin, type Stdin } from './stdin.ts'

/**
 * How a program ended: one of the two; exit code 127 where it did not start, as a shell reports it.
 */
export interface HostedEnd {
  readonly exitCode: number | null
  readonly exitSignal: string | null
}

export interface HostedProcess {
  /** Leads a process group and session of its own; 0 where it did not start. */
  readonly pid: number
  /** Undefined while it runs. */
  readonly ended: HostedEnd | undefined
  /** Resolves when it has ended, its output is in the log and that is closed. Never rejects. */
  readonly end: Promise<HostedEnd>
  readonly write: Stdin['write']
  /**
   * Whether something runs in its group since its end: only so long is its number nobody else’s.
   */
  leavesBehind(): Promise<boolean>
}

/**
 * What it left running may hold the pipes of an ended program open for ever: after so many looks
 * (ms between them) without anything new …
 */
const QUIET_LOOKS = 5
const LOOK = 10
/** … or so many bytes, far more than a pipe holds, all that it said itself has been read. */
const LEFT_LIMIT = 2_000_000
/** … or after so many milliseconds in which nothing had to wait. */
const LEFT_WITHIN = 2000

/**
 * A process with pipes, in a process group of its own. A program that can't be started ends with
 * 127 and says so, as a shell does.
 */
export function startHostedProcess(options: {
  start: typeof startOnPipes
  cwd: string
  env: Readonly<Record<string, string>>
  argv: readonly string[]
  log: OutputLog
}): HostedProcess {
  const { cwd, env, argv, log } = options
  const [file = '', ...args] = argv
  const { child, stdin: input, stdout, stderr } = options.start(file, args, { cwd, env })
  const stdin = createStdin(input)
  let ended: HostedEnd | undefined
  let total = 0
  let behind = 0

  const read = async (stream: Readable, name: 'out' | 'err') => {
    stream.on('data', (chunk: Buffer) => {
      total += chunk.length
      if (log.write(name, chunk)) return
      // The disk is behind: the program waits, as it would for a slow terminal.
      behind += 1
      stream.pause()
      void log.drained().then(() => {
        behind -= 1
        stream.resume()
      })
    })
    await new Promise<void>((resolve) => {
      stream.once('close', resolve)
      stream.once('error', () => stream.destroy())
    })
  }
  const reading = Promise.all([read(stdout, 'out'), read(stderr, 'err')])

  let left: Promise<ReadonlySet<string>> = Promise.resolve(new Set<string>())
  const exited = new Promise<HostedEnd>((resolve) => {
    child.once('error', (error) => {
      if (child.pid !== undefined) return
      log.note(`the program ${file} could not be started: ${error.message}`)
      resolve({ exitCode: 127, exitSignal: null })
    })
    child.once('exit', (exitCode, exitSignal) => {
      if (child.pid !== undefined) left = leftInGroup(child.pid)
      left.catch(() => undefined)
      resolve({ exitCode, exitSignal })
    })
  })
  const drained = async () => {
    let read = false
    void reading.then(() => (read = true))
    const before = total
    const notExpired = createDeadline(LEFT_WITHIN)
    for (
      let quiet = 0;
      !read && quiet < QUIET_LOOKS && total - before < LEFT_LIMIT && (notExpired() || behind > 0);
    ) {
      const known = total
      await Promise.race([reading, delay(LOOK)])
      // By then the pipes have been looked at, however late the timer was.
      await immediate()
      quiet = total === known && behind === 0 ? quiet + 1 : 0
    }
    stdout.destroy()
    stderr.destroy()
    await reading
  }
  const end = exited.then(async (how) => {
    stdin.close()
    await drained()
    await log.close()
    ended = how
    return how
  })

  return {
    pid: child.pid ?? 0,
    get ended() {
      return ended
    },
    end,
    leavesBehind: async () => child.pid !== undefined && (await isStillIn(child.pid, await left)),
    write: stdin.write,
  }
}
