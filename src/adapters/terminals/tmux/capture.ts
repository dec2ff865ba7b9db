import { randomUUID } from 'node:crypto'
import { ExomonadError } from '../../../domain/errors.ts'
import type { PaneId } from '../../../domain/ids.ts'
import type { Connection } from './connection.ts'
import { command, sequence } from './quote.ts'

/**
 * What is on a pane's screen, with these arguments of `capture-pane`; undefined where there is no
 * such pane.
 */
export type Capture = (paneId: PaneId, ...options: string[]) => Promise<string[] | undefined>

/** How many go into one process: its output is held in memory. */
const AT_ONCE = 50

interface Wanted {
  readonly line: string
  readonly mark: string
  readonly resolve: (lines: string[] | undefined) => void
  readonly reject: (error: unknown) => void
}

/**
 * By processes of their own: what is on a screen could look like the end of an answer in control
 * mode. A process costs ten times what it does here, so whoever asks while one runs shares the
 * next: many agents that end together would otherwise wait for each other's.
 */
export function createCapture(connection: Pick<Connection, 'spawn'>): Capture {
  let waiting: Wanted[] = []
  let running = false

  const runTogether = async (together: readonly Wanted[]): Promise<void> => {
    // An error skips the rest of its line only: the second mark is missing then.
    const reply = await connection.spawn(
      together
        .map(({ line, mark }) => sequence(marked('begin', mark), line, marked('end', mark)))
        .join('\n'),
    )
    if (reply.kind === 'unknown')
      throw new ExomonadError(
        'MULTIPLEXER_UNAVAILABLE',
        'tmux did not say in time what is on the screen. Try again.',
        { outcome: 'unknown' },
      )
    const lines = reply.kind === 'done' ? reply.lines : []
    for (const { mark, resolve } of together) {
      const end = lines.indexOf(`end ${mark}`)
      resolve(end < 0 ? undefined : lines.slice(lines.indexOf(`begin ${mark}`) + 1, end))
    }
  }
  const run = async (): Promise<void> => {
    running = true
    while (waiting.length > 0) {
      const together = waiting.slice(0, AT_ONCE)
      waiting = waiting.slice(AT_ONCE)
      await runTogether(together).catch((thrown: unknown) => {
        for (const { reject } of together) reject(thrown)
      })
    }
    running = false
  }

  return (paneId, ...options) =>
    new Promise((resolve, reject) => {
      waiting.push({
        line: command('capture-pane', '-p', ...options, '-t', paneId),
        mark: randomUUID(),
        resolve,
        reject,
      })
      if (!running) void run()
    })
}

const marked = (word: string, mark: string): string =>
  command('display-message', '-p', `${word} ${mark}`)
