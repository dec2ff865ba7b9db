import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import { setImmediate as immediate, setTimeout as delay } from 'node:timers/promises'
import { stat } from 'node:fs/promises'
import { ExomonadError } from '../../domain/errors.ts'
import type { OnPipes } from '../../processes/start-on-pipes.ts'
import type { AcpExit, AcpTerminals } from '../../../packages/subagents/src/acp/acp.ts'
import { confined } from './confined-files.ts'
import {
  endGroup,
  isStillIn,
  leftInGroup,
} from '../../../packages/subagents/src/processes/end-group.ts'
import { createTail, type Tail } from '../../../packages/subagents/src/acp/tail.ts'

const KEPT = 1024 * 1024
const MOST_KEPT = 10 * 1024 * 1024
/** At a time, in one session. */
const MOST = 64
/**
 * How long output is read on after the command ended, where something else holds its pipe open.
 * Milliseconds.
 */
const DRAIN = 300

/**
 * Starts a program on pipes that it can open again as /dev/stdout and /dev/stderr, which commands of
 * a shell do.
 */
export type StartOnPipes = (
  file: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
) => OnPipes

interface Terminal {
  readonly pid: number
  readonly tail: Tail
  readonly ended: Promise<AcpExit>
  exit: AcpExit | null
  /** In its process group, when its command had ended: in the background. */
  left: Promise<ReadonlySet<string>> | null
}

/**
 * Commands that an agent runs through its client: in `root` or below, each in a process group of
 * its own with `env`, of whose variables an agent may change none that is exomonad’s. Nothing can
 * be typed into them.
 */
export function createTerminals(options: {
  readonly start: StartOnPipes
  readonly root: string
  readonly env: Readonly<Record<string, string>>
  /** In front of each command. */
  readonly behind?: readonly string[]
  /** Between SIGTERM and SIGKILL. Milliseconds. */
  readonly grace?: number
}): AcpTerminals {
  const { start, root, behind = [], grace = 5_000 } = options
  const terminals = new Map<string, Terminal>()
  /** Those that were let go of, until they have ended. */
  const ending = new Set<Promise<void>>()
  let last = 0
  let closed = false

  const known = (id: string): Terminal => {
    const terminal = terminals.get(id)
    if (terminal === undefined)
      throw new ExomonadError(
        'INVALID_ARG',
        `There is no terminal ${id}; it may have been released. Create another.`,
      )
    return terminal
  }
  const endNow = async ({ pid, left }: Terminal): Promise<void> => {
    // It may have ended long ago, and be released only now: its number may be another’s.
    if (left === null || (await isStillIn(pid, await left))) await endGroup(pid, grace)
  }
  const end = (terminal: Terminal): Promise<void> => {
    const over = endNow(terminal)
    ending.add(over)
    return over.finally(() => ending.delete(over))
  }

  return {
    create: async ({ command, args, env, cwd, outputByteLimit }) => {
      if (closed)
        throw new ExomonadError('NOT_ALLOWED', 'The session is ending: no more terminals.')
      if (terminals.size >= MOST)
        throw new ExomonadError('LIMIT_REACHED', `${MOST} terminals are open. Release some first.`)
      const folder = await confined(root, cwd ?? root)
      if (!(await stat(folder)).isDirectory())
        throw new ExomonadError('INVALID_ARG', `${cwd} is no folder. Name one inside ${root}.`)
      const own = Object.fromEntries(
        Object.entries(options.env).filter(([name]) => name.startsWith('EXOMONAD_')),
      )
      const [file = '', ...words] = [...behind, ...commandLine(command, args).flat()]
      const { child, stdin, stdout, stderr } = start(file, words, {
        cwd: folder,
        env: { ...options.env, ...env, ...own },
      })
      const exited = new Promise<AcpExit>((resolve) =>
        child.once('exit', (exitCode, signal) => resolve({ exitCode, signal })),
      )
      const tail = createTail(Math.min(outputByteLimit ?? KEPT, MOST_KEPT))
      for (const stream of [stdout, stderr]) {
        stream.on('data', (chunk: Buffer) => tail.push(chunk))
        stream.on('error', () => {})
      }
      stdin.on('error', () => {})
      stdin.end()
      const failed = await Promise.race([
        once(child, 'spawn').then(() => null),
        exited.then(() => null),
      ]).catch((error: unknown) => error as Error)
      const { pid } = child
      if (failed !== null || pid === undefined)
        throw new ExomonadError(
          'INVALID_ARG',
          `${command} could not be started: ${failed?.message ?? 'no process id'}.`,
        )
      child.on('error', () => {})
      const read = Promise.allSettled([finished(stdout), finished(stderr)])
      const terminal: Terminal = {
        pid,
        tail,
        exit: null,
        left: null,
        ended: exited.then(async (exit) => {
          terminal.left = leftInGroup(pid)
          terminal.left.catch(() => {})
          await Promise.race([read, delay(DRAIN)])
          // Where this process stood still for longer than that, what lies in the pipes has not
          // been looked at yet.
          await immediate()
          stdout.destroy()
          stderr.destroy()
          terminal.exit = exit
          return exit
        }),
      }
      last += 1
      const id = `term_${last}`
      terminals.set(id, terminal)
      // It may have been closed while this one was starting.
      if (closed) await end(terminal)
      return id
    },
    output: (id) => {
      const { tail, exit } = known(id)
      return { output: tail.text(), truncated: tail.truncated(), exit }
    },
    ended: async (id, signal) => {
      const { ended } = known(id)
      signal.throwIfAborted()
      const aborted = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
      )
      return await Promise.race([ended, aborted])
    },
    kill: async (id) => {
      await end(known(id))
    },
    release: async (id) => {
      const terminal = known(id)
      terminals.delete(id)
      await end(terminal)
    },
    close: async () => {
      closed = true
      const all = [...terminals.values()]
      terminals.clear()
      await Promise.all([...all.map(end), ...ending])
    },
  }
}

/** Some agents give a whole line for the shell as the command. */
export const commandLine = (
  command: string,
  args: readonly string[],
): [file: string, args: readonly string[]] =>
  args.length === 0 && /[\s;&|<>$`"'(){}*?~]/.test(command)
    ? ['sh', ['-c', command]]
    : [command, args]
