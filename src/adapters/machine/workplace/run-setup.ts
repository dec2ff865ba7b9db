import { mkdir, open, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { sendSignal } from '../../../../packages/subagents/src/processes/signal.ts'
import { startDetached } from '../../../processes/exec.ts'

/** Of what a command said last, for whoever has to know why it failed. Bytes. */
const SAID = 2000
/** Between asking it to end and ending it. Milliseconds. */
const GRACE = 3_000

export interface LoggedRun {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** Ends it, with all that it started. */
  readonly signal?: AbortSignal
  /** A file: what it writes goes behind what stands there, while it runs. */
  readonly log: string
}

/** Runs a command to its end; returns the end of its output where it failed. */
export async function runLogged(
  argv: readonly string[],
  options: LoggedRun,
): Promise<{ ok: true } | { ok: false; output: string }> {
  await mkdir(dirname(options.log), { recursive: true, mode: 0o700 })
  const output = await open(options.log, 'a+', 0o600)
  try {
    await output.write(`$ ${argv.join(' ')}\n`)
    const { size: from } = await output.stat()
    const why = await run(argv, options, output.fd)
    if (why === null) return { ok: true }
    const said = await readFrom(output, from)
    await output.write(`${why}\n`)
    return { ok: false, output: `${why}\n${said}`.trim() }
  } finally {
    await output.close()
  }
}

/** Null where it succeeded; else what became of it. */
async function run(
  [file = '', ...args]: readonly string[],
  { cwd, env, timeoutMs, signal: stop }: LoggedRun,
  output: number,
): Promise<string | null> {
  const child = startDetached(file, args, { cwd, env, output })
  let cutOff: string | null = null
  // The whole group: what it started would go on in a worktree that is taken back.
  const signal = (what: NodeJS.Signals): void => {
    if (child.pid !== undefined) sendSignal(-child.pid, what)
  }
  let kill: NodeJS.Timeout | undefined
  const end = (why: string): void => {
    if (cutOff !== null) return
    cutOff = why
    signal('SIGTERM')
    kill = setTimeout(signal, GRACE, 'SIGKILL')
  }
  const timer = setTimeout(end, timeoutMs, `timed out after ${timeoutMs / 1000} s`)
  const abort = (): void => end('ended, as its agent was')
  stop?.addEventListener('abort', abort)
  if (stop?.aborted === true) abort()
  try {
    const ended = await new Promise<string | null>((resolve) => {
      child.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      child.once('exit', (code, by) => resolve(code === 0 ? null : `exit ${code ?? by}`))
    })
    if (ended !== null || cutOff !== null) signal('SIGKILL')
    return cutOff ?? ended
  } finally {
    stop?.removeEventListener('abort', abort)
    clearTimeout(timer)
    clearTimeout(kill)
  }
}

async function readFrom(file: FileHandle, from: number): Promise<string> {
  const { size } = await file.stat()
  const start = Math.max(from, size - SAID)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start)
  return buffer.toString('utf8', 0, bytesRead)
}
