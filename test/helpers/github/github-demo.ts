import { expect, onTestFinished } from 'vitest'
import { demoEndTree } from '../demo-end.ts'
import { demoPlace, keepDemo, processesOf, type KeptDemo } from '../demo.ts'
import { waitFor } from '../wait-for.ts'

/** Longest a demo may take here; it is far quicker on a machine of its own. Milliseconds. */
export const LIMIT = 1_000_000

export interface StoredEvent {
  readonly seq: number
  readonly type: string
  readonly agentId: string | null
  readonly dedupeKey: string | null
  readonly payload: string
}

export const payloads = (events: readonly StoredEvent[], type: string): Record<string, unknown>[] =>
  events
    .filter((event) => event.type === type)
    .map(({ payload }) => JSON.parse(payload) as Record<string, unknown>)

const expectUnique = (values: readonly unknown[]): void =>
  expect(values.filter((value, index) => values.indexOf(value) !== index)).toEqual([])

/**
 * A demo on the fake GitHub, and the proof that it ended as it does without any of what was done to
 * it.
 */
export async function demoEndsWell(
  args: readonly string[],
  meanwhile: (demo: KeptDemo) => Promise<void>,
): Promise<StoredEvent[]> {
  const own = demoPlace()
  onTestFinished(own.remove)
  const demo = keepDemo(own, LIMIT, '--forge', 'github-fake', ...args)
  onTestFinished(async () => void (await demo.down().catch(() => {})))
  const [run] = await Promise.all([demo.ended, meanwhile(demo)])

  // What the demo itself verifies: the story with all of its chapters, the library's tests, no open
  // pull request, no failed delivery.
  expect(run.stderr).toBe('')
  expect(run.json).toMatchObject({
    ok: true,
    root_branch: 'main',
    agents: 6,
    prs_merged: 6,
    failed_deliveries: 0,
  })
  expect(run.code).toBe(0)
  expect(await demo.git('rev-parse', 'main^{tree}')).toBe(demoEndTree())
  // This call may be one of those that fail.
  await waitFor(
    'GitHub’s branches',
    async () => (await demo.git('fetch', '--quiet', 'origin')) === '',
  )
  expect(await demo.git('rev-parse', 'origin/main')).toBe(await demo.git('rev-parse', 'main'))

  // Once each.
  const events = await demo.rows<StoredEvent>(
    'select seq, type, agentId, dedupeKey, payload from events order by seq',
  )
  expectUnique(events.map(({ dedupeKey }) => dedupeKey).filter((key) => key !== null))
  for (const type of ['pr.opened', 'pr.merged'])
    expect(
      payloads(events, type)
        .map(({ number }) => number)
        .toSorted(),
      type,
    ).toEqual([1, 2, 3, 4, 5, 6])
  expect(payloads(events, 'pr.merged').filter(({ external }) => external)).toEqual([])
  expectUnique(payloads(events, 'pr.review').map(({ review_id: id }) => id))
  expectUnique(payloads(events, 'question.answered').map(({ question_id: id }) => id))
  expectUnique(payloads(events, 'delivery.acked').map(({ delivery_id: id }) => id))
  // The daemon goes on: what it hears of GitHub last may be on its way to somebody still.
  const unsettled = async () => [
    ...(await demo.rows("select kind, step from journal where state = 'open'")),
    ...(await demo.rows(
      "select recipient, text from deliveries where state not in ('acked', 'withdrawn') and recipient <> 'human' and not (state = 'queued' and reach = 'carry')",
    )),
  ]
  await waitFor('everything to be settled', async () => {
    const rows = await unsettled()
    return rows.length === 0 || Promise.reject(new Error(JSON.stringify(rows)))
  })

  expect((await demo.down()).code).toBe(0)
  await waitFor('the demo’s processes to be gone', () => processesOf(own.folder).length === 0, {
    limit: 60_000,
  })
  return events
}
