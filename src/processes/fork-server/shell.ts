import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { constants as system } from 'node:os'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { sendSignal } from '../../../packages/subagents/src/processes/signal.ts'
import type { ExecOptions, ExecResult } from '../exec.ts'
import { quote, type Command } from './command.ts'
import { contents } from './output-files.ts'

const SIGNALS = new Map(Object.entries(system.signals).map(([name, number]) => [number, name]))

/** `status`: as a shell has it, 128 and the signal. 129 is git's own, for wrong arguments. */
function resultOf(
  status: number,
  [output, errors]: readonly number[],
  timedOut: boolean,
): ExecResult {
  const signal = status > 129 ? (SIGNALS.get(status - 128) ?? null) : null
  const [stdout, stderr] = [contents(output ?? -1), contents(errors ?? -1)]
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

export interface Shell {
  readonly hasEnded: boolean
  run(
    command: Command,
    files: readonly number[],
    options: ExecOptions,
    otherwise: () => Promise<ExecResult>,
  ): Promise<ExecResult>
  dispose(): void
}

/** A command under way. */
interface Job {
  /** The shell has come to it. */
  isTaken: boolean
  /** Undefined until it has begun. */
  pid?: number
  /** As a shell has it; undefined where it never began. */
  readonly end: (status: number | undefined) => void
}

const KILLED = 128 + system.signals.SIGKILL
/** What the shell says of a command that it could not begin. */
const NOT_BEGUN = 255

export function openShell(): Shell {
  const child = spawn('/bin/sh', [], { env: {}, stdio: ['pipe', 'pipe', 'ignore'] })
  const jobs = new Map<number, Job>()
  let last = 0
  let hasEnded = false
  let isDisposed = false
  const endThose = (which: (job: Job) => boolean, status: number | undefined): void => {
    for (const job of jobs.values()) if (which(job)) job.end(status)
  }
  const endUntaken = (): void => endThose(({ isTaken }) => !isTaken, undefined)
  child.once('error', () => {
    hasEnded = true
    endUntaken()
  })
  child.once('exit', () => {
    hasEnded = true
    // What it said of others is read first: none is to be run twice.
    setTimeout(endUntaken, PAUSE).unref()
  })
  child.stdin.on('error', () => {
    hasEnded = true
  })
  const write = (text: string): void => {
    if (!hasEnded) child.stdin.write(text)
  }
  // It closes with the last command: those have the other end as well.
  createInterface({ input: child.stdout })
    .once('close', () => {
      endUntaken()
      endThose(() => true, KILLED)
    })
    .on('line', (line) => {
      const [id = '', word, number] = line.split(' ')
      const job = jobs.get(Number(id))
      if (word === 'taken') {
        if (job !== undefined) job.isTaken = true
        return
      }
      if (word === 'begun') {
        if (job !== undefined) job.pid = Number(number)
        if (isDisposed) sendSignal(Number(number), 'SIGTERM')
        return
      }
      const status = Number(number)
      job?.end(job.pid === undefined && status === NOT_BEGUN ? undefined : status)
      // Else the shell keeps what it was.
      write(`wait "$j${id}"; unset j${id}\n`)
    })

  // Most commands have the same variables: those are sent once.
  const known = new Map<string, string>()
  const withVariables = (variables: string): string => {
    const name = known.get(variables) ?? `v${String(known.size)}`
    if (!known.has(variables)) {
      write(`${name}() { ${variables}; }\n`)
      if (known.size < 100) known.set(variables, name)
    }
    return name
  }

  return {
    get hasEnded() {
      return hasEnded
    },
    async run({ cwd, variables, text }, files, options, otherwise) {
      last += 1
      const id = String(last)
      const { promise, resolve } = Promise.withResolvers<number | undefined>()
      const job: Job = { isTaken: false, end: resolve }
      jobs.set(last, job)
      const [output, errors, input] = files.map(
        (fd) => `/proc/${String(process.pid)}/fd/${String(fd)}`,
      )
      const name = withVariables(variables)
      write(
        `echo ${id} taken; { s=${String(NOT_BEGUN)}; trap 'echo ${id} ended $s' 0; cd ${quote(cwd)} 2>/dev/null || exit; ` +
          `{ ${name}; ${text}; } <${input ?? '/dev/null'} >${String(output)} 2>${String(errors)} & ` +
          `echo ${id} begun $!; wait $!; s=$?; } & j${id}=$!\n`,
      )
      const limits = limit(job, options)
      try {
        const status = await promise
        return status === undefined ? await otherwise() : resultOf(status, files, limits.timedOut)
      } finally {
        limits.release()
        jobs.delete(Number(id))
        for (const fd of files) closeSync(fd)
      }
    },
    dispose() {
      isDisposed = true
      for (const { pid } of jobs.values()) if (pid !== undefined) sendSignal(pid, 'SIGTERM')
      child.stdin.end()
    },
  }
}

/** Between asking a command to end and killing it, as execa has it. Milliseconds. */
const GRACE = 5_000
/** Until what the shell has said is surely read. Milliseconds. */
const PAUSE = 100

/** Ends it when its time is up or it is aborted; one that nobody hears of any more as well. */
function limit(
  job: Job,
  { timeout, signal }: ExecOptions,
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
    later(() => kill('SIGKILL'), GRACE)
    later(() => job.end(KILLED), 2 * GRACE)
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
