import type { Page } from '@playwright/test'
import { atMost, type Figure } from '../figures.ts'
import { changeOften, heapOf, type Reporter } from './page.ts'

/** Of an hour in which each agent changes once a minute, in about a minute. */
const CHANGES = 6000
const RATE = 100
/** What somebody looks at meanwhile, one after the other; the tree is first and last. */
const PLACES = ['Tree', 'Timeline', 'Inbox', 'Cost', 'Reviews', 'Fold', 'Spawn', 'Tree', 'Timeline']

/** What an hour leaves in the memory of a page in which somebody looks around. */
export async function measureHour(page: Page, agents: readonly Reporter[]): Promise<Figure> {
  // What the measurement itself writes down is no part of it.
  await page.evaluate(
    'Object.assign(seen, { isRecording: false, events: {}, rows: [], gaps: [], echoes: [] })',
  )
  const show = (place: string): Promise<void> =>
    page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: place }).click()
  // Each was there once, and its code with it.
  for (const place of [...PLACES, 'Tree']) await show(place)
  const each = Math.floor(CHANGES / (PLACES.length + 1))
  let from = 0
  const change = async (): Promise<void> => {
    await changeOften(agents, { rate: RATE, changes: each, from })
    from += each
  }
  await change()
  const before = await heapOf(page)
  for (const place of PLACES) {
    await show(place)
    await change()
  }
  await show('Tree')
  await page.getByRole('treeitem').first().waitFor()
  const after = await heapOf(page)
  return {
    name: `page: JavaScript heap after ${CHANGES} changes (an hour of ${agents.length} agents), all views seen`,
    unit: 'MB',
    value: after,
    floorName: 'after the first tenth',
    floor: before,
    target: atMost(Math.ceil(before * 1.1 * 10) / 10, 'MB', after),
    samples: 1,
  }
}
