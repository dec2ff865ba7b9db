import { setTimeout as delay } from 'node:timers/promises'
import type { Readable } from 'node:stream'
import { startOnPipes } from '../exec.ts'
import type { TypeResult } from '../multiplexer/multiplexer.ts'
import type { Hosted, HostedEnd, OutputLog } from './hosted.ts'
import { createStdin } from './stdin.ts'

/** Milliseconds for which what is still in the pipes of an ended program is read; what it left running may hold them open for ever. */
const DRAIN_LIMIT = 1000
const DRAIN_QUIET = 50

/** A process with pipes, in a process group of its own. A program that can't be started ends with 127 and says so, as a shell does. */
export function startHostedProcess(options: { cwd: string; env: Readonly<Record<string, string>>; argv: readonly string[]; log: OutputLog }): Hosted {
  const { cwd, env, argv, log } = options
  const [file = '', ...args] = argv
  const { child, stdin: input, stdout, stderr } = startOnPipes(file, args, { cwd, env })
  const stdin = createStdin(input)
  let ended: HostedEnd | undefined
  let heardAt = performance.now()

  const read = async (stream: Readable, name: 'out' | 'err') => {
    stream.on('data', (chunk: Buffer) => {
      heardAt = performance.now()
      if (log.write(name, chunk)) return
      // The disk is behind: the program waits, as it would for a slow terminal.
      stream.pause()
      void log.drained().then(() => stream.resume())
    })
    await new Promise<void>((resolve) => {
      stream.once('close', resolve)
      stream.once('error', () => stream.destroy())
    })
  }
  const reading = Promise.all([read(stdout, 'out'), read(stderr, 'err')])

  const exited = new Promise<HostedEnd>((resolve) => {
    child.once('error', (error) => {
      if (child.pid !== undefined) return
      log.note(`the program ${file} could not be started: ${error.message}`)
      resolve({ exitCode: 127, exitSignal: null })
    })
    child.once('exit', (exitCode, exitSignal) => resolve({ exitCode, exitSignal }))
  })
  const drained = async () => {
    const begun = performance.now()
    let read = false
    void reading.then(() => (read = true))
    heardAt = begun
    while (!read && performance.now() - heardAt < DRAIN_QUIET && performance.now() - begun < DRAIN_LIMIT) await Promise.race([reading, delay(10)])
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

  const put = async (text: string): Promise<TypeResult> => ((await stdin.write(text)) === 'written' ? { kind: 'typed' } : { kind: 'dead' })

  return {
    pid: child.pid ?? 0,
    get ended() {
      return ended
    },
    end,
    write: stdin.write,
    paste: put,
    enter: () => put('\n'),
    interrupt: async () => ({ kind: 'busy', reason: 'a process without a terminal has no Escape key' }),
    leave: () => undefined,
  }
}
