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
}

export const seenOf = (page: Page): Promise<Seen> => page.evaluate('window.seen')

/** Milliseconds that the page’s main thread was busy, for each sixtieth of a second of a while. */
export async function busyFrames(
  browser: Browser,
  page: Page,
  work: () => Promise<void>,
): Promise<number[]> {
  await browser.startTracing(page, {
    categories: ['disabled-by-default-devtools.timeline', 'toplevel', 'devtools.timeline'],
  })
  await work()
  const trace = JSON.parse((await browser.stopTracing()).toString('utf8')) as {
    traceEvents: {
      name: string
      ph: string
      ts: number
      dur?: number
      pid: number
      tid: number
      args?: { name?: string }
    }[]
  }
  const main = trace.traceEvents.find(
    ({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain',
  )
  const tasks = trace.traceEvents.filter(
    ({ name, ph, pid, tid }) =>
      ph === 'X' && pid === main?.pid && tid === main.tid && name.endsWith('RunTask'),
  )
  const start = Math.min(...tasks.map(({ ts }) => ts))
  const end = Math.max(...tasks.map(({ ts }) => ts))
  const frames = new Float64Array(Math.ceil((end - start) / FRAME) + 1)
  for (const { ts, dur = 0 } of tasks) {
    const frame = Math.floor((ts - start) / FRAME)
    frames[frame] = (frames[frame] ?? 0) + dur / 1000
  }
  return [...frames]
}

/** Microseconds. */
const FRAME = 1_000_000 / 60
