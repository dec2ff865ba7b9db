import { writeFile } from 'node:fs/promises'
import type { PaneId } from '../../../ids.ts'
import type { Looking } from './people.ts'

/** Tells what attaches a person (attach.ts) that they were there: whoever then leaves at once did so themselves, and was not lost by Zellij. */
export interface Arrivals {
  /** `before`: who was attached already. `file` has `ARRIVED` in it once somebody else looks at the pane, as long as it is there. */
  expect(paneId: PaneId, file: string, before: readonly Looking[]): void
  /** All who are attached now. */
  noticed(looking: readonly Looking[]): void
}

export const ARRIVED = 'arrived'
/** Nobody who came later than that leaves at once. Milliseconds. */
const EXPECTED_FOR = 60_000

export function createArrivals(): Arrivals {
  let expected: { paneId: PaneId; file: string; before: ReadonlySet<number>; since: number }[] = []
  return {
    expect: (paneId, file, before) => {
      expected.push({ paneId, file, before: new Set(before.map(({ client }) => client)), since: performance.now() })
    },
    noticed: (looking) => {
      expected = expected.flatMap((one) => {
        if (looking.some(({ client, paneId }) => paneId === one.paneId && !one.before.has(client))) {
          void writeFile(one.file, ARRIVED, { flag: 'r+' }).catch(() => undefined)
          return []
        }
        // Numbers of those who have left are had by others.
        const before = new Set(looking.flatMap(({ client }) => (one.before.has(client) ? [client] : [])))
        return performance.now() - one.since < EXPECTED_FOR ? [{ ...one, before }] : []
      })
    },
  }
}
