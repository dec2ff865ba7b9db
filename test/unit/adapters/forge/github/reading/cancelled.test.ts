import { expect, it } from 'vitest'
import { createCancelled } from '../../../../../../src/adapters/forge/github/reading/cancelled.ts'
import { ExomonadError } from '../../../../../../src/domain/errors.ts'

/** GitHub’s words for why it does not merge by itself any more (20.18). */

const actor = (login: string, __typename = 'User') => ({ login, __typename })
const QUEUE = actor('github-merge-queue', 'Bot')

function reader(answer: object | ExomonadError | null) {
  const asked: string[] = []
  const client = {
    graphql: async (query: string) => {
      asked.push(/query (\w+)/.exec(query)?.[1] ?? '')
      if (answer instanceof ExomonadError) throw answer
      return {
        data: {
          repository: {
            pullRequest: { timelineItems: { nodes: answer === null ? [] : [answer] } },
          },
        },
        errors: [],
      }
    },
  }
  const cancelled = createCancelled({
    client: client as never,
    logEnds: { add: async (checks) => checks.map(({ job: _, ...check }) => check) },
  })
  return { cancelled, asked }
}

it.each([
  ['MANUAL', actor('ann'), 'ann took it out'],
  ['manual', null, 'somebody took it out'],
  ['CI_FAILURE', QUEUE, 'a check that its base requires failed in the queue'],
  ['failed_checks', QUEUE, 'a check that its base requires failed in the queue'],
  [
    'merge conflict',
    QUEUE,
    'it conflicts with its base, or with what stood before it in the queue',
  ],
  ['UNKNOWN_REMOVAL_REASON', QUEUE, null],
  [null, null, null],
  ['Something new.', actor('ann'), 'Something new (ann)'],
])('%s by %j is: %s (20.18)', async (reason, by, words) => {
  const { cancelled, asked } = reader({ createdAt: '2026-01-01T00:00:00Z', reason, actor: by })
  expect(await cancelled(3, 'queue')).toEqual({
    kind: 'queue',
    reason: words,
    at: Date.parse('2026-01-01T00:00:00Z'),
    failed: [],
  })
  expect(asked).toEqual(['RemovedFromQueue'])
})

it('what failed of its checks in the queue is reported with it (20.18)', async () => {
  const suite = { status: 'COMPLETED', app: null, workflowRun: null }
  const run = (name: string, conclusion: string) => ({
    ...{
      __typename: 'CheckRun',
      databaseId: 1,
      name,
      status: 'COMPLETED',
      conclusion,
      startedAt: null,
      completedAt: null,
    },
    ...{
      detailsUrl: null,
      permalink: 'https://github.com/o/r/runs/1',
      title: 'It broke',
      checkSuite: suite,
    },
  })
  const beforeCommit = {
    statusCheckRollup: {
      contexts: { nodes: [run('build', 'FAILURE'), run('lint', 'SUCCESS'), null] },
    },
  }
  const { cancelled } = reader({
    createdAt: '2026-01-01T00:00:00Z',
    reason: 'CI_FAILURE',
    actor: QUEUE,
    beforeCommit,
  })
  expect((await cancelled(3, 'queue'))?.failed).toMatchObject([
    { name: 'build', status: 'failed', logTail: 'It broke' },
  ])
})

it('nothing where its timeline has none, or the server does not know; a forge that is away is asked again (20.18)', async () => {
  expect(await reader(null).cancelled(3, 'auto')).toBeNull()
  expect(await reader(new ExomonadError('FORGE_DENIED', 'no')).cancelled(3, 'auto')).toBeNull()
  expect(
    await reader(new ExomonadError('FORGE_UNAVAILABLE', 'unknown', { gave_up: false })).cancelled(
      3,
      'auto',
    ),
  ).toBeNull()
  await expect(
    reader(new ExomonadError('FORGE_UNAVAILABLE', 'away')).cancelled(3, 'auto'),
  ).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' })
})
