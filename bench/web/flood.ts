import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, Page } from '@playwright/test'
import { atMost, percentile, type Figure } from '../figures.ts'
import { rssOf, type BenchTree } from '../tree.ts'
import { seenOf } from './browser.ts'
import { openPage, SCREEN, showAgent } from './page.ts'

const MEGABYTES = 100
const LINE = 'The quick brown fox jumps over the lazy dog while nobody at all looks at it.'
/** Between two looks at what it does. Milliseconds. */
const LOOK = 100

export interface Writer {
  readonly what: string
  /** Who will run this command: the agent’s id. */
  readonly agent: (command: string) => Promise<string>
  /** Has it run. */
  readonly begin: (command: string) => Promise<void>
}

interface Observed {
  /** Milliseconds that the daemon took to answer. */
  readonly answers: number[]
  /** MB of resident memory. */
  readonly daemon: number[]
  readonly renderer: number[]
}

/** 100 MB of output, first while nobody looks, then while a page shows it. */
export async function measureFlood(
  tree: BenchTree,
  browser: Browser,
  writer: Writer,
): Promise<Figure[]> {
  let count = 0
  const prepare = async () => {
    count += 1
    const over = join(tree.exomonad.state, `${writer.what.replaceAll(' ', '-')}-${count}`)
    const command = `yes '${LINE}' | head -c ${MEGABYTES}000000; echo; echo flood over; touch ${over}`
    return { agent: await writer.agent(command), command, isOver: () => existsSync(over) }
  }
  const unseen = await prepare()
  const alone = await secondsOf(() => writer.begin(unseen.command), unseen.isOver)

  const { agent, command, isOver } = await prepare()
  const page = await openPage(tree, browser)
  await showAgent(page, agent)
  const daemon = await tree.exomonad.daemonPid()
  const renderer = await rendererOf(browser, page)
  const observe = async (until: () => boolean | Promise<boolean>): Promise<Observed> => {
    const observed: Observed = { answers: [], daemon: [], renderer: [] }
    await page.evaluate('seen.gaps = []')
    const end = performance.now() + LIMIT
    while (!(await until())) {
      const start = performance.now()
      if (start > end) throw new Error('the output has no end on the screen')
      await tree.client.get('/healthz')
      observed.answers.push(performance.now() - start)
      observed.daemon.push(rssOf(daemon))
      observed.renderer.push(rssOf(renderer))
      await delay(LOOK)
    }
    return observed
  }
  const quietEnd = performance.now() + 3000
  const quiet = await observe(() => performance.now() > quietEnd)
  const quietGaps = (await seenOf(page)).gaps
  const start = performance.now()
  await writer.begin(command)
  let written = 0
  const busy = await observe(async () => {
    if (written === 0 && isOver()) written = performance.now() - start
    return isOver() && (await isShown(page))
  })
  const shown = (performance.now() - start) / 1000
  const { gaps } = await seenOf(page)
  await page.context().close()

  const figure = (
    name: string,
    unit: Figure['unit'],
    [value, floorName, floor]: readonly [number, string, number],
    limit?: number,
  ): Figure => ({
    name: `page: ${MEGABYTES} MB as ${writer.what}, ${name}`,
    ...{ unit, value, floorName, floor },
    target: limit === undefined ? null : atMost(limit, unit, value),
    samples: 1,
  })
  const p99 = (values: readonly number[]): number => percentile(values, 0.99)
  const most = (values: readonly number[]): number => Math.max(...values)
  return [
    figure('until its end is on the screen', 's', [shown, 'written while nobody looks', alone]),
    figure('written', 's', [written / 1000, 'written while nobody looks', alone]),
    figure('between two frames, p99', 'ms', [p99(gaps), 'before', p99(quietGaps)], 100),
    figure(
      'the daemon’s answer meanwhile, p99',
      'ms',
      [p99(busy.answers), 'before', p99(quiet.answers)],
      100,
    ),
    figure(
      'memory of the page’s process, most',
      'MB',
      [most(busy.renderer), 'before', most(quiet.renderer)],
      Math.ceil(most(quiet.renderer) + 100),
    ),
    figure(
      'memory of the daemon, most',
      'MB',
      [most(busy.daemon), 'before', most(quiet.daemon)],
      Math.ceil(most(quiet.daemon) + 50),
    ),
  ]
}

/** Longer than this, something does not go on. Milliseconds. */
const LIMIT = 60_000

async function secondsOf(begin: () => Promise<void>, isOver: () => boolean): Promise<number> {
  const start = performance.now()
  await begin()
  while (!isOver()) {
    if (performance.now() - start > LIMIT) throw new Error('the output has no end')
    await delay(20)
  }
  return (performance.now() - start) / 1000
}

const isShown = (page: Page): Promise<boolean> => page.evaluate(`${SCREEN}.includes('flood over')`)

/** The process that runs the page: the one that did most just now. */
async function rendererOf(browser: Browser, page: Page): Promise<number> {
  const session = await browser.newBrowserCDPSession()
  const times = async (): Promise<Map<number, number>> => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo')
    return new Map(
      processInfo.filter(({ type }) => type === 'renderer').map(({ id, cpuTime }) => [id, cpuTime]),
    )
  }
  const before = await times()
  await page.evaluate('{ const end = performance.now() + 500; while (performance.now() < end); }')
  const after = await times()
  await session.detach()
  const worked = [...after].map(([id, time]) => [id, time - (before.get(id) ?? 0)] as const)
  const [id] = worked.toSorted(([, one], [, other]) => other - one)[0] ?? []
  if (id === undefined) throw new Error('Chromium names no process of a page')
  return id
}
