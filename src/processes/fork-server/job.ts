import { closeSync, readFileSync } from 'node:fs'
import { constants as system } from 'node:os'
import { exists, sendSignal } from '../../../packages/subagents/src/processes/signal.ts'
import type { ExecOptions, ExecResult } from '../exec.ts'
import { contents, isTooLong } from './output-files.ts'

/** A command under way. */
export interface Job {
  /** Descriptors: output, errors and, where there is one, input. The shell opens them by number. */
  readonly files: readonly number[]
  /** Settles as a shell has it; undefined where it never began. */
  readonly ended: Promise<number | undefined>
  end(status: number | undefined): void
  /** The shell has come to it. */
  isTaken: boolean
  /** The shell’s copy that begins it and waits for it; undefined until it is there. */
  outer?: number
  /** That copy was gone at the last look. */
  isLost: boolean
  /** Its own; undefined until it has begun. */
  pid?: number
  /**
   * Nothing of the shell will open its files any more: from then on their numbers may be those of
   * others.
   */
  over(): void
  /** Its result was made, or is not wanted. */
  read(): void
}

export function createJob(files: readonly number[], onClosed: () => void): Job {
  const { promise, resolve } = Promise.withResolvers<number | undefined>()
  const left = new Set(['over', 'read'])
  const done = (what: string): void => {
    if (left.delete(what) && left.size === 0) {
      for (const fd of files) closeSync(fd)
      onClosed()
    }
  }
  return {
    files,
    ended: promise,
    end: resolve,
    isTaken: false,
    isLost: false,
    over: () => done('over'),
    read: () => done('read'),
  }
}

export const KILLED = 128 + system.signals.SIGKILL
/** Of the system’s signals, by number. */
const SIGNALS = new Map(Object.entries(system.signals).map(([name, number]) => [number, name]))

/** `status`: as a shell has it, 128 and the signal. 129 is git's own, for wrong arguments. */
export function resultOf(status: number, { files }: Job, timedOut: boolean): ExecResult {
  const [output = -1, errors = -1] = files
  const signal = status > 129 ? (SIGNALS.get(status - 128) ?? null) : null
  const [stdout, stderr] = [contents(output), contents(errors)]
  const isTooMuch = stdout === undefined || stderr === undefined
  return {
    exitCode: signal === null && !isTooMuch ? status : null,
    signal,
    stdout: stdout ?? '',
    stderr: stderr ?? '',
    timedOut,
    startError: isTooMuch ? 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER' : null,
  }
}

/**
 * For what no line of the shell tells: one that writes more than is kept is ended, and one whose
 * outer shell was killed is over.
 */
export function lookAt(job: Job): void {
  const { outer, pid, files } = job
  if (pid !== undefined && files.some(isTooLong)) sendSignal(pid, 'SIGKILL')
  if (outer === undefined || isRunning(outer)) return
  if (!job.isLost) {
    // What it has said in the end may be still to be read.
    job.isLost = true
    return
  }
  job.end(KILLED)
  if (pid === undefined || !exists(pid)) job.over()
}

/** False for one that has ended and was not collected. */
function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'latin1')
    return !stat.slice(stat.lastIndexOf(')')).startsWith(') Z')
  } catch {
    return false
  }
}

/** Between looks for whether one that is to end has begun. Milliseconds. */
const PAUSE = 100

/**
 * Ends it when its time is up or it is aborted. `giveUp`: it has not begun by then, and is not to
 * begin any more.
 */
export function limit(
  job: Job,
  { timeout, signal }: ExecOptions,
  { grace, giveUp }: { readonly grace: number; readonly giveUp: () => void },
): { readonly timedOut: boolean; release(): void } {
  let timedOut = false
  const timers: NodeJS.Timeout[] = []
  const later = (work: () => void, milliseconds: number): void => {
    timers.push(setTimeout(work, milliseconds))
  }
  const kill = (what: NodeJS.Signals): void => {
    if (job.pid === undefined) later(() => kill(what), PAUSE)
    else sendSignal(job.pid, what)
  }
  const stop = (): void => {
    kill('SIGTERM')
    later(() => kill('SIGKILL'), grace)
    later(() => {
      if (job.pid === undefined) giveUp()
      job.end(KILLED)
    }, 2 * grace)
  }
  if (timeout !== undefined)
    later(() => {
      timedOut = true
      stop()
    }, timeout)
  signal?.addEventListener('abort', stop)
  return {
    get timedOut() {
      return timedOut
    },
    release() {
      for (const timer of timers) clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    },
  }
}
