import { join } from 'node:path'
import process from 'node:process'
import { chromium, type Browser, type Page } from '@playwright/test'

/** Debian’s; `EXOMONAD_CHROMIUM` names another. */
const CHROMIUM = process.env['EXOMONAD_CHROMIUM'] ?? '/usr/bin/chromium'

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--enable-precise-memory-info'],
  })

/** What happens in it is written down from its start (in-page.js). */
export const watchPage = (page: Page): Promise<unknown> =>
  page.addInitScript({ path: join(import.meta.dirname, 'in-page.js') })

export interface Seen {
  readonly events: Readonly<Record<number, number>>
  readonly rows: readonly { readonly id: string; readonly text: string; readonly at: number }[]
  /** Milliseconds from the start of the navigation; 0 for none. */
  readonly firstRow: number
  /** Milliseconds from a key to its echo on the screen. */
  readonly echoes: readonly number[]
  /** Milliseconds between two frames. */
  readonly gaps: readonly number[]
}

export const seenOf = (page: Page): Promise<Seen> => page.evaluate('window.seen')

/** Of each sixtieth of a second of a while, what the page’s main thread did. Milliseconds. */
export interface Busy {
  /** From the begin of each task to its end. */
  readonly wall: readonly number[]
  /** Of that what it had a processor for. */
  readonly cpu: readonly number[]
}

interface Traced {
  readonly name: string
  readonly ph: string
  readonly ts: number
  readonly dur?: number
  readonly tdur?: number
  readonly pid: number
  readonly tid: number
  readonly args?: { readonly name?: string }
}

export async function busyFrames(
  browser: Browser,
  page: Page,
  work: () => Promise<void>,
): Promise<Busy> {
  await browser.startTracing(page, { categories: ['-*', 'toplevel'] })
  await work()
  const trace = JSON.parse((await browser.stopTracing()).toString('utf8')) as {
    traceEvents: readonly Traced[]
  }
  return framesOf(mainTasks(trace.traceEvents))
}

/** Of the page that did most: a browser has pages of its own. */
function mainTasks(events: readonly Traced[]): readonly Traced[] {
  const threads = events
    .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
    .map(({ pid, tid }) =>
      outermost(
        events.filter(
          (event) =>
            event.ph === 'X' &&
            event.pid === pid &&
            event.tid === tid &&
            event.name.endsWith('RunTask'),
        ),
      ),
    )
  return threads.toSorted((one, other) => busyOf(other) - busyOf(one))[0] ?? []
}

const busyOf = (tasks: readonly Traced[]): number =>
  tasks.reduce((sum, { tdur = 0 }) => sum + tdur, 0)

/** A task stands in a trace under two names, one in the other. */
function outermost(tasks: readonly Traced[]): readonly Traced[] {
  let end = 0
  return tasks
    .toSorted((one, other) => one.ts - other.ts || (other.dur ?? 0) - (one.dur ?? 0))
    .filter(({ ts, dur = 0 }) => {
      if (ts < end) return false
      end = ts + dur
      return true
    })
}

function framesOf(tasks: readonly Traced[]): Busy {
  const start = tasks[0]?.ts ?? 0
  const count = Math.ceil(((tasks.at(-1)?.ts ?? 0) - start) / FRAME) + 1
  const wall = Array.from({ length: count }, () => 0)
  const cpu = Array.from({ length: count }, () => 0)
  for (const { ts, dur = 0, tdur = 0 } of tasks) {
    const frame = Math.floor((ts - start) / FRAME)
    wall[frame] = (wall[frame] ?? 0) + dur / 1000
    cpu[frame] = (cpu[frame] ?? 0) + tdur / 1000
  }
  return { wall, cpu }
}

/** Microseconds. */
const FRAME = 1_000_000 / 60
