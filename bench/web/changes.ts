import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, Page } from '@playwright/test'
import { atMost, percentile, type Figure } from '../figures.ts'
import { busyFrames, seenOf } from './browser.ts'
import { changeOften, turn, type Reporter } from './page.ts'

const CHANGES = 200
/** Seconds of changes, and how many a second. */
const FLOOD = { seconds: 20, rate: 20 }

/** One agent after the other waits, works and waits again. */
export async function measureChanges(
  page: Page,
  agents: readonly Reporter[],
  all: number,
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
    figure(`page: a change of state on the screen, ${all} agents, p50`, 0.5, false),
    figure(`page: a change of state on the screen, ${all} agents, p99`, 0.99, true),
  ]
}

/** How busy the main thread is while many agents change. */
export async function measureFrames(
  browser: Browser,
  page: Page,
  agents: readonly Reporter[],
  all: number,
): Promise<Figure[]> {
  const idle = await busyFrames(browser, page, () => delay(3000))
  const busy = await busyFrames(browser, page, () =>
    changeOften(agents, { rate: FLOOD.rate, changes: FLOOD.seconds * FLOOD.rate }),
  )
  const figure = (what: string, of: 'wall' | 'cpu', target: boolean): Figure => {
    const value = percentile(busy[of], 0.95)
    return {
      name: `page: main thread ${what} in each frame, ${FLOOD.rate} changes a second over ${all} agents, p95`,
      unit: 'ms',
      value,
      floorName: 'nothing changes',
      floor: percentile(idle[of], 0.95),
      target: target ? atMost(16, 'ms', value) : null,
      samples: busy[of].length,
    }
  }
  return [figure('busy', 'wall', true), figure('CPU', 'cpu', false)]
}
