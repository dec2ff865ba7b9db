import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, Page } from '@playwright/test'
import { createClient, type Client } from '../../src/surfaces/client.ts'
import type { BenchTree } from '../tree.ts'
import { watchPage } from './browser.ts'

/** What an agent’s program reports with. */
export interface Reporter {
  readonly id: string
  readonly client: Client
}

export function reporterOf(tree: BenchTree, id: string): Reporter {
  const auth = join(tree.exomonad.state, 'auth')
  const file = readdirSync(auth).find((name) => name.startsWith(id)) ?? ''
  const token = readFileSync(join(auth, file), 'utf8').trim()
  return { id, client: createClient({ socket: tree.socket, token }) }
}

/** Milliseconds in which a new window of Chromium has drawn what is its own. */
const OWN = 1500

/** The page in a window of its own, which is there before. Nothing is in a cache. */
export async function openPage(tree: BenchTree, browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  await watchPage(page)
  await delay(OWN)
  const { url } = await tree.client.call('web', {})
  await page.goto(url)
  await page.getByRole('treeitem').first().waitFor()
  return page
}

/** What stands in the terminal that is shown, as an expression in the page. */
export const SCREEN = "(document.querySelector('.terminal-box .xterm-rows')?.textContent ?? '')"

/** The agent’s view, until its terminal is drawn. */
export async function showAgent(page: Page, agent: string): Promise<void> {
  await page.locator(`#agent-${agent}`).getByRole('link').first().click()
  await until(page, `${SCREEN}.trim() !== ''`)
}

/** Until an expression is true in the page, whose policy lets nothing be evaluated by itself. */
export async function until(page: Page, expression: string): Promise<void> {
  const end = performance.now() + LIMIT
  while (!(await page.evaluate<boolean>(expression))) {
    if (performance.now() > end) throw new Error(`never true in the page: ${expression}`)
    await delay(10)
  }
}
/** Milliseconds. */
const LIMIT = 30_000

/** It is at work, or waits for a person. */
export const turn = (client: Client, runs: boolean): Promise<unknown> =>
  runs ? client.hook('tool', { tool: 'edit' }) : client.hook('waiting', { reason: 'a person' })

/** One agent after the other waits, and works again, so many times a second. */
export async function changeOften(
  agents: readonly Reporter[],
  { rate, changes, from = 0 }: { rate: number; changes: number; from?: number },
): Promise<void> {
  const start = performance.now()
  const open = new Set<Promise<unknown>>()
  for (let change = 0; change < changes; change += 1) {
    const at = from + change
    const agent = agents[at % agents.length]
    if (agent === undefined) throw new Error('no agents')
    const reported = turn(agent.client, Math.floor(at / agents.length) % 2 === 0)
    open.add(reported)
    void reported.finally(() => open.delete(reported)).catch(() => {})
    // Where the daemon does not keep up it is asked no more than it can do.
    if (open.size > MOST_OPEN) await Promise.race(open)
    await delay(Math.max(0, start + ((change + 1) * 1000) / rate - performance.now()))
  }
  await Promise.all(open)
}
const MOST_OPEN = 8

/** What JavaScript holds, after what it does not was let go. MB. */
export async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize / 1e6
}
