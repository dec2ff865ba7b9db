import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  statfsSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { constants as system, tmpdir } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { sendSignal } from '../../packages/subagents/src/processes/signal.ts'
import { exec as execDirectly, type Exec, type ExecOptions, type ExecResult } from './exec.ts'

/**
 * Runs short commands through one small shell. Who starts a process is copied first and does
 * nothing else until then: 2.6 ms of the processor for a daemon of 120 MB, 8 ms for one of 300 MB,
 * 0.3 ms for a shell (Node 24 on Linux). Elsewhere programs are started without that copy; there,
 * and wherever the shell can't do the same as `direct`, that is what runs them.
 */
export interface ForkServer {
  readonly exec: Exec
  /** Ends the shell and what it still runs. Commands after it are run directly. */
  dispose(): void
}

export function createForkServer({
  platform = process.platform,
  direct = execDirectly,
}: { platform?: NodeJS.Platform; direct?: Exec } = {}): ForkServer {
  let folder = platform === 'linux' ? outputFolder() : undefined
  let shell: Shell | undefined
  return {
    exec: (file, args, options = {}) => {
      const otherwise = (): Promise<ExecResult> => direct(file, args, options)
      const command = folder === undefined ? undefined : commandFor(file, args, options)
      if (folder === undefined || command === undefined) return otherwise()
      let files: readonly number[]
      try {
        files = openFiles(folder, options.input)
      } catch {
        return otherwise()
      }
      if (shell?.hasEnded !== false) shell = openShell()
      return shell.run(command, files, options, otherwise)
    },
    dispose() {
      folder = undefined
      shell?.dispose()
    },
  }
}

/** More than the shell is given at once. Characters. */
const LONGEST_COMMAND = 60_000

/** In the shell's words. */
interface Command {
  readonly cwd: string
  readonly variables: string
  readonly text: string
}

/** Undefined for what the shell can't do, or not in the same way. */
function commandFor(
  file: string,
  args: readonly string[],
  { cwd = process.cwd(), env = {}, group, maxBuffer, signal }: ExecOptions,
): Command | undefined {
  if (group === true || maxBuffer !== undefined || signal?.aborted === true) return undefined
  const program = findProgram(file, env['PATH'])
  const names = Object.keys(env)
  if (program === undefined || !names.every(isPlain)) return undefined
  const text = `exec ${[program, ...args].map(quote).join(' ')}`
  const exported = names.map((name) => ` ${name}=${quote(env[name] ?? '')}`).join('')
  // The shell exports some of its own.
  const variables = `unset PWD OLDPWD SHLVL${names.length > 0 ? `; export${exported}` : ''}`
  const length = cwd.length + variables.length + text.length
  if (length > LONGEST_COMMAND || `${cwd}${variables}${text}`.includes('\0')) return undefined
  return { cwd, variables, text }
}

/** Not one that shells use or guard themselves. */
const isPlain = (name: string): boolean =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !/^(BASH.*|SHELLOPTS|PPID|E?UID|IFS|_)$/.test(name)

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

function findProgram(file: string, path = ''): string | undefined {
  const candidates = isAbsolute(file)
    ? [file]
    : file.includes('/')
      ? []
      : path
          .split(delimiter)
          .filter(isAbsolute)
          .map((folder) => join(folder, file))
  return candidates.find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Of each stream, as in exec.ts. Bytes. */
const MOST_OUTPUT = 100_000_000

/** In memory where there is room: a command says what it has to say on a full disk, too. */
const outputFolder = (): string | undefined =>
  ['/dev/shm', tmpdir()].find((folder) => {
    try {
      accessSync(folder, constants.W_OK)
      const { bavail, bsize } = statfsSync(folder)
      return bavail * bsize > 2 * MOST_OUTPUT
    } catch {
      return false
    }
  })

/**
 * Descriptors of files without a name, that nobody has to clean up: output, errors and, where there
 * is one, the input.
 */
function openFiles(folder: string, input: string | undefined): number[] {
  const files: number[] = []
  const open = (): number => {
    const path = join(folder, `exomonad-${randomUUID()}`)
    const { O_RDWR, O_CREAT, O_EXCL } = constants
    const fd = openSync(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
    files.push(fd)
    unlinkSync(path)
    return fd
  }
  try {
    open()
    open()
    if (input !== undefined) {
      const bytes = Buffer.from(input)
      const fd = open()
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at)
    }
    return files
  } catch (thrown) {
    for (const fd of files) closeSync(fd)
    throw thrown
  }
}

/** Undefined where it is longer than may be. */
function contents(fd: number): string | undefined {
  const { size } = fstatSync(fd)
  if (size > MOST_OUTPUT) return undefined
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  while (at < size) {
    const read = readSync(fd, bytes, at, size - at, at)
    if (read === 0) break
    at += read
  }
  return bytes.toString('utf8', 0, at)
}

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

interface Shell {
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
  /** Undefined until it has begun. */
  pid?: number
  /** As a shell has it; undefined where it never began. */
  readonly end: (status: number | undefined) => void
}

const KILLED = 128 + system.signals.SIGKILL
/** What the shell says of a command that it could not begin. */
const NOT_BEGUN = 255

function openShell(): Shell {
  const child = spawn('/bin/sh', [], { env: {}, stdio: ['pipe', 'pipe', 'ignore'] })
  const jobs = new Map<number, Job>()
  let last = 0
  let hasEnded = false
  const endAll = (): void => {
    hasEnded = true
    for (const { pid, end } of jobs.values()) end(pid === undefined ? undefined : KILLED)
  }
  child.once('error', endAll)
  child.once('exit', () => {
    hasEnded = true
  })
  child.stdin.on('error', () => {
    hasEnded = true
  })
  const write = (text: string): void => {
    if (!hasEnded) child.stdin.write(text)
  }
  // It closes with the last command: those have the other end as well.
  createInterface({ input: child.stdout })
    .once('close', endAll)
    .on('line', (line) => {
      const [id = '', word, number] = line.split(' ')
      const job = jobs.get(Number(id))
      if (word === 'begun') {
        if (job !== undefined) job.pid = Number(number)
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
      const job: Job = { end: resolve }
      jobs.set(last, job)
      const [output, errors, input] = files.map(
        (fd) => `/proc/${String(process.pid)}/fd/${String(fd)}`,
      )
      const name = withVariables(variables)
      write(
        `{ s=${String(NOT_BEGUN)}; trap 'echo ${id} ended $s' 0; cd ${quote(cwd)} 2>/dev/null || exit; ` +
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
      for (const { pid } of jobs.values()) if (pid !== undefined) sendSignal(pid, 'SIGTERM')
      child.stdin.end()
    },
  }
}

/** Between asking a command to end and killing it, as execa has it. Milliseconds. */
const GRACE = 5_000
/** Between looks for whether one that is to end has begun. Milliseconds. */
const PAUSE = 20

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
