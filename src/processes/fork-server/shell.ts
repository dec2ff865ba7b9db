import { spawn } from 'node:child_process'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { sendSignal } from '../../../packages/subagents/src/processes/signal.ts'
import type { ExecOptions, ExecResult } from '../exec.ts'
import { quote, type Command } from './command.ts'
import { createJob, KILLED, limit, lookAt, resultOf, type Job } from './job.ts'

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

/** What the shell says of a command that it could not begin. */
const NOT_BEGUN = 255
/** Until what a shell that has ended has said is surely read. Milliseconds. */
const PAUSE = 100
/** Between looks at what runs. Milliseconds. */
const LOOK_EVERY = 1_000

/**
 * Throws where there is none to be had. `grace`: between asking a command to end and killing it,
 * milliseconds.
 */
export function openShell({ grace }: { readonly grace: number }): Shell {
  const child = spawn('/bin/sh', [], { env: {}, stdio: ['pipe', 'pipe', 'ignore'] })
  const jobs = new Map<number, Job>()
  let last = 0
  let hasEnded = false
  let isDisposed = false
  const endUntaken = (): void => {
    for (const job of jobs.values())
      if (!job.isTaken) {
        job.end(undefined)
        job.over()
      }
  }
  child.once('error', () => {
    hasEnded = true
    endUntaken()
  })
  // Without descriptors there are no pipes, and the error comes later.
  if ((child.stdin as unknown) === undefined || (child.stdout as unknown) === undefined)
    throw new Error('the shell could not be started')
  child.once('exit', () => {
    hasEnded = true
    // What it said of others is read first: none is to be run twice.
    setTimeout(() => setImmediate(() => setImmediate(endUntaken)), PAUSE).unref()
  })
  child.stdin.on('error', () => {
    hasEnded = true
  })
  const write = (text: string): void => {
    if (!hasEnded) child.stdin.write(text)
  }
  const looking = setInterval(() => {
    for (const job of jobs.values()) lookAt(job)
  }, LOOK_EVERY).unref()
  // It closes with the last command: those have the other end as well.
  createInterface({ input: child.stdout })
    .once('close', () => {
      clearInterval(looking)
      endUntaken()
      for (const job of jobs.values()) {
        job.end(KILLED)
        job.over()
      }
    })
    .on('line', (line) => {
      const [id = '', word = '', number] = line.split(' ')
      heard(jobs.get(Number(id)), word, Number(number))
      // Else the shell keeps what it was.
      if (word === 'ended') write(`wait "$j${id}"; unset j${id}\n`)
    })

  const heard = (job: Job | undefined, word: string, number: number): void => {
    if (word === 'begun' && isDisposed) sendSignal(number, 'SIGTERM')
    if (job === undefined) return
    if (word === 'taken') job.isTaken = true
    else if (word === 'outer') job.outer = number
    else if (word === 'begun') job.pid = number
    else {
      job.end(job.pid === undefined && number === NOT_BEGUN ? undefined : number)
      job.over()
    }
  }

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

  /**
   * Three shells: this one, a copy that waits, and one that becomes the command. The files are
   * opened before it counts as begun.
   */
  const order = (
    id: string,
    { cwd, variables, text }: Command,
    files: readonly number[],
  ): string => {
    const [output, errors, input] = files.map(
      (fd) => `/proc/${String(process.pid)}/fd/${String(fd)}`,
    )
    const name = withVariables(variables)
    return (
      `echo ${id} taken; ` +
      `{ s=${String(NOT_BEGUN)}; exec 3>&1; trap 'echo ${id} ended $s >&3' 0; ` +
      `cd ${quote(cwd)} 2>/dev/null && exec 4<${input ?? '/dev/null'} >${String(output)} 2>${String(errors)} || exit; ` +
      `{ ${name}; exec 3>&-; ${text}; } <&4 4<&- & ` +
      `echo ${id} begun $! >&3; wait $!; s=$?; } & j${id}=$!; echo ${id} outer $j${id}\n`
    )
  }

  return {
    get hasEnded() {
      return hasEnded
    },
    async run(command, files, options, otherwise) {
      const number = (last += 1)
      const job = createJob(files, () => jobs.delete(number))
      jobs.set(number, job)
      write(order(String(number), command, files))
      const giveUp = (): void => {
        // What it has not begun it would begin whenever it goes on.
        child.kill('SIGKILL')
        if (job.outer !== undefined) sendSignal(job.outer, 'SIGKILL')
      }
      const limits = limit(job, options, { grace, giveUp })
      try {
        const status = await job.ended
        if (status !== undefined) return resultOf(status, job, limits.timedOut)
      } finally {
        limits.release()
        job.read()
      }
      return otherwise()
    },
    dispose() {
      isDisposed = true
      for (const { pid } of jobs.values()) if (pid !== undefined) sendSignal(pid, 'SIGTERM')
      child.stdin.end()
    },
  }
}
