import type { Page } from '@playwright/test'
import { atMost, type Figure } from '../figures.ts'
import { changeOften, heapOf, type Reporter } from './page.ts'

/** Of an hour in which each agent changes once a minute, in about a minute. */
const CHANGES = 6000
const RATE = 100
/** What somebody looks at meanwhile, one after the other, twice. */
const PLACES = ['Timeline', 'Inbox', 'Cost', 'Reviews', 'Fold', 'Tree']

/** What an hour leaves in the memory of a page in which somebody looks around. */
export async function measureHour(page: Page, agents: readonly Reporter[]): Promise<Figure> {
  // What the measurement itself writes down is no part of it.
  await page.evaluate('Object.assign(seen, { isWatching: false, events: {}, rows: [], gaps: [] })')
  const views = page.getByRole('navigation', { name: 'Views' })
  const each = Math.floor(CHANGES / (2 * PLACES.length))
  let from = 0
  /** Half of an hour; what is kept at its end. MB. */
  const half = async (): Promise<number> => {
    for (const place of PLACES) {
      await views.getByRole('link', { name: place }).click()
      await changeOften(agents, { rate: RATE, changes: each, from })
      from += each
    }
    return heapOf(page)
  }
  // What is there once for all, such as the code of each view, is there after the first.
  const before = await half()
  const after = await half()
  return {
    name: `page: JavaScript heap after ${CHANGES} changes (an hour of ${agents.length} agents), all views seen`,
    unit: 'MB',
    value: after,
    floorName: 'after half of them',
    floor: before,
    target: atMost(Math.ceil(before * 1.1 * 10) / 10, 'MB', after),
    samples: 1,
  }
}
