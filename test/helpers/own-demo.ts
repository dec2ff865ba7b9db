import { readdirSync } from 'node:fs'
import { expect, onTestFinished } from 'vitest'
import type { RunResult } from './daemon.ts'
import { demoPlace, processesOf, runDemo, type DemoPlace } from './demo.ts'
import { waitFor } from './wait-for.ts'

/** Longest a demo may take here; it is far quicker on a machine of its own. Milliseconds. */
export const LIMIT = 300_000

/** Test helper: a place for a demo, gone when the test has ended. */
export function place(): DemoPlace {
  const own = demoPlace()
  onTestFinished(own.remove)
  return own
}

export const demo = (own: DemoPlace, ...args: string[]): Promise<RunResult> =>
  runDemo(own, LIMIT, ...args)

/** No demo folder and no process is left. */
export async function expectNothingLeft({ folder }: DemoPlace): Promise<void> {
  expect(readdirSync(folder).filter((name) => name.startsWith('exomonad'))).toEqual([])
  await waitFor('the demo’s processes to be gone', () => processesOf(folder).length === 0)
}
