import { expect, it } from 'vitest'
import type {
  FullPull,
  RawStatus,
  Read,
} from '../../../../../../src/adapters/forge/github/reading/answers.ts'
import { withQueueChecks } from '../../../../../../src/adapters/forge/github/reading/checks/queue-checks.ts'

/** The checks of what stands in a merge queue. */

const status: RawStatus = {
  __typename: 'StatusContext',
  id: 'S',
  context: 'build',
  state: 'PENDING',
  targetUrl: null,
  description: null,
  createdAt: '2026-01-01T00:00:00Z',
}
const entry = (oid: string, runs = true) => ({
  headCommit: { oid, statusCheckRollup: runs ? { state: 'PENDING' } : null },
})
const pull = (mergeQueueEntry: object | null): FullPull =>
  ({ state: { mergeQueueEntry }, queueContexts: null }) as unknown as FullPull
const answer = (oid: string) => ({
  mergeQueueEntry: {
    headCommit: { oid, statusCheckRollup: { contexts: { pageInfo: {}, nodes: [status, null] } } },
  },
})

async function read(
  pulls: readonly FullPull[],
  repository: object,
  errors: readonly object[] = [],
) {
  const asked: object[] = []
  const client = {
    graphql: async (_: string, variables: object) => (
      asked.push(variables),
      { data: { repository }, errors }
    ),
  }
  const reads = new Map<number, Read<FullPull>>(pulls.map((value, index) => [index + 1, { value }]))
  reads.set(99, { missing: true })
  const results = await withQueueChecks(client as never, reads)
  return {
    asked,
    contexts: pulls.map(
      (_, index) => (results.get(index + 1) as { value: FullPull }).value.queueContexts,
    ),
    rest: results.get(99),
  }
}

it('are read of those that are in one and have some, all by one request (20.18)', async () => {
  const { asked, contexts, rest } = await read(
    [pull(null), pull(entry('a')), pull(entry('b', false)), pull(entry('c'))],
    { p0: answer('a'), p1: answer('c') },
  )
  expect(asked).toEqual([{ n0: 2, n1: 4 }])
  expect(contexts).toEqual([null, [status], [], [status]])
  expect(rest).toEqual({ missing: true })
  expect((await read([pull(null), pull(entry('b', false))], {})).asked).toEqual([])
})

it('are unknown where they are of something else by then, and where GitHub left them out (20.18)', async () => {
  expect((await read([pull(entry('a'))], { p0: answer('b') })).contexts).toEqual([null])
  expect(
    (
      await read([pull(entry('a'))], { p0: answer('a') }, [
        { type: null, message: 'x', path: ['repository', 'p0', 'mergeQueueEntry'] },
      ])
    ).contexts,
  ).toEqual([null])
  expect((await read([pull(entry('a'))], { p0: null })).contexts).toEqual([null])
})
