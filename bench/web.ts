import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from '@playwright/test'
import { createClient, type Client } from '../src/surfaces/client.ts'
import { atMost, median, percentile, type Figure } from './figures.ts'
import { benchTree, type BenchTree } from './tree.ts'
import { fillStore } from './thousand.ts'
import { busyFrames, openBrowser, seenOf, watchPage } from './web/browser.ts'

const AGENTS = 1000
/** Those whose program runs. */
const ALIVE = 100
const LOADS = 10
const CHANGES = 200
/** Seconds of changes, and how many a second. */
const FLOOD = { seconds: 20, rate: 20 }
/** Seconds of the same for the memory. */
const ENDURANCE = 120

/**
 * The page in headless Chromium: how soon the first view is there, how soon a change is on the
 * screen, how busy the page is while many change, what it weighs.
 */
export async function measureWeb(): Promise<Figure[]> {
  const tree = await benchTree()
  const browser = await openBrowser()
  try {
    const specs = Array.from({ length: ALIVE }, (_, index) => ({
      name: `pane-${index}`,
      prompt: 'Nothing to do.',
      agent: 'idle',
    }))
    const { spawned } = await tree.client.call('spawn_workers', { specs })
    const agents = spawned.map(({ agent_id: id }) => agentOf(tree, id))
    const figures = [firstViewWeight(), ...(await measureFirstView(tree, browser))]

    await tree.exomonad.run(['daemon', 'stop'])
    await fillStore(join(tree.exomonad.state, 'store.db'), AGENTS)
    await tree.exomonad.run(['daemon', 'start'])
    const page = await openPage(tree, browser)
    figures.push(...(await measureChanges(page, agents)))
    figures.push(...(await measureFlood(browser, page, agents)))
    return figures
  } finally {
    await browser.close()
    await tree.exomonad.stop()
  }
}

/** What an agent’s program reports with. */
function agentOf(tree: BenchTree, id: string): { id: string; client: Client } {
  const auth = join(tree.exomonad.state, 'auth')
  const file = readdirSync(auth).find((name) => name.startsWith(id)) ?? ''
  const token = readFileSync(join(auth, file), 'utf8').trim()
  return { id, client: createClient({ socket: tree.socket, token }) }
}

async function openPage(tree: BenchTree, browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  await watchPage(page)
  const { url } = await tree.client.call('web', {})
  await page.goto(url)
  await page.getByRole('treeitem').first().waitFor()
  return page
}

async function measureFirstView(tree: BenchTree, browser: Browser): Promise<Figure[]> {
  const times: number[] = []
  const floors: number[] = []
  for (let load = 0; load < LOADS; load += 1) {
    // Nothing is in a cache.
    const page = await openPage(tree, browser)
    times.push((await seenOf(page)).firstRow)
    floors.push(
      await page.evaluate<number>("performance.getEntriesByType('navigation')[0].responseEnd"),
    )
    await page.context().close()
  }
  return [
    {
      name: `page: first view with ${ALIVE} agents, nothing cached, p50`,
      unit: 'ms',
      value: median(times),
      floorName: 'its HTML is there',
      floor: median(floors),
      target: atMost(300, 'ms', median(times)),
      samples: LOADS,
    },
  ]
}

/** All that the first view loads. */
function firstViewWeight(): Figure {
  const root = join(import.meta.dirname, '..', 'dist', 'web')
  const html = readFileSync(join(root, 'index.html'), 'utf8')
  const files = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, file = '']) => file)
  const bytes = [html, ...files.map((file) => readFileSync(join(root, file)))].reduce(
    (sum, content) => sum + gzipSync(content).length,
    0,
  )
  return {
    name: 'page: weight of the first view, gzipped',
    unit: 'kB',
    value: bytes / 1000,
    floorName: 'its HTML',
    floor: gzipSync(html).length / 1000,
    target: atMost(250, 'kB', bytes / 1000),
    samples: 1,
  }
}

/** It is at work, or waits for a person. */
const turn = (client: Client, runs: boolean): Promise<unknown> =>
  runs ? client.hook('tool', { tool: 'edit' }) : client.hook('waiting', { reason: 'a person' })

/** One agent after the other waits, works and waits again. */
async function measureChanges(
  page: Page,
  agents: readonly { id: string; client: Client }[],
): Promise<Figure[]> {
  const shown = agents.slice(0, 10)
  const state = new Map<string, boolean>()
  const changes: { id: string; at: number }[] = []
  for (let change = 0; change < CHANGES; change += 1) {
    const agent = shown[change % shown.length]
    if (agent === undefined) throw new Error('no agents')
    const runs = state.get(agent.id) === false
    state.set(agent.id, runs)
    const at = Date.now()
    await turn(agent.client, runs)
    changes.push({ id: agent.id, at })
    await delay(60)
  }
  await delay(1000)
  const { rows, events } = await seenOf(page)
  const latest = Object.values(events)
  const onScreen: number[] = []
  const arrivals: number[] = []
  for (const { id, at } of changes) {
    const row = rows.find((seen) => seen.id === `agent-${id}` && seen.at >= at)
    const event = latest.filter((time) => time >= at).sort((a, b) => a - b)[0]
    if (row === undefined || event === undefined) throw new Error(`a change was not shown: ${id}`)
    onScreen.push(row.at - at)
    arrivals.push(event - at)
  }
  const figure = (name: string, share: number, target: boolean): Figure => {
    const value = percentile(onScreen, share)
    return {
      name,
      unit: 'ms',
      value,
      floorName: 'its event is in the page',
      floor: percentile(arrivals, share),
      target: target ? atMost(100, 'ms', value) : null,
      samples: onScreen.length,
    }
  }
  return [
    figure(`page: a change of state on the screen, ${AGENTS} agents, p50`, 0.5, false),
    figure(`page: a change of state on the screen, ${AGENTS} agents, p99`, 0.99, true),
  ]
}

async function measureFlood(
  browser: Browser,
  page: Page,
  agents: readonly { id: string; client: Client }[],
): Promise<Figure[]> {
  const flood = async (seconds: number): Promise<void> => {
    const end = Date.now() + seconds * 1000
    for (let change = 0; Date.now() < end; change += 1) {
      const agent = agents[change % agents.length]
      const runs = Math.floor(change / agents.length) % 2 === 0
      await Promise.all([
        agent === undefined ? undefined : turn(agent.client, runs),
        delay(1000 / FLOOD.rate),
      ])
    }
  }
  const idle = await busyFrames(browser, page, () => delay(3000))
  const busy = await busyFrames(browser, page, () => flood(FLOOD.seconds))
  const heap = async (): Promise<number> => {
    const session = await page.context().newCDPSession(page)
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    await session.detach()
    return usedSize / 1e6
  }
  const before = await heap()
  await flood(ENDURANCE)
  const after = await heap()
  const p95 = percentile(busy, 0.95)
  return [
    {
      name: `page: main thread busy for each frame, ${FLOOD.rate} changes a second over ${AGENTS} agents, p95`,
      unit: 'ms',
      value: p95,
      floorName: 'nothing changes',
      floor: percentile(idle, 0.95),
      target: atMost(16, 'ms', p95),
      samples: busy.length,
    },
    {
      name: `page: JavaScript heap after ${ENDURANCE} s of it`,
      unit: 'MB',
      value: after,
      floorName: 'before',
      floor: before,
      target: atMost(Math.ceil(before * 1.2), 'MB', after),
      samples: 1,
    },
  ]
}
