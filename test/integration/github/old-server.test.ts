import { describe, expect, it, onTestFinished } from 'vitest'
import type { PullRequestSnapshot } from '../../../src/adapters/forge/forge.ts'
import { openGithubForge } from '../../helpers/github/github-forge.ts'
import { startGithubTree } from '../../helpers/github/github-tree.ts'

const OLD = [
  'PullRequest.reviewDecision',
  'Ref.refUpdateRule',
  'CheckRun.isRequired',
  'StatusContext.isRequired',
  'CheckSuite.workflowRun',
]
const IDS = [
  'PullRequestReview.fullDatabaseId',
  'PullRequestReviewComment.fullDatabaseId',
  'IssueComment.fullDatabaseId',
]

async function start(server?: { version: string; lacks: readonly string[] }) {
  const opened = await openGithubForge({ settings: { checksExpectedWithin: 0 } })
  onTestFinished(() => opened.close())
  const { github, repository, forge, lines, lacks } = opened
  if (server !== undefined) github.state.server = server
  await repository.git('checkout', '-q', '-B', 'main.a')
  const head = await repository.commit({ 'a.txt': 'one\ntwo\n' })
  await repository.git('push', '-q', 'origin', 'main.a')
  github.addUser('ann', 'write')
  const number = await github.as('robot').open({ head: 'main.a', base: 'main', title: 'Work' })
  const look = async (): Promise<PullRequestSnapshot> => {
    const [result] = await forge.snapshots([number])
    if (result === undefined || !('snapshot' in result))
      throw new Error(`no snapshot: ${JSON.stringify(result)}`)
    return result.snapshot
  }
  /** What was said once in the log. */
  const said = () =>
    lines
      .filter((line) => line.includes('does not know a field'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  const queries = (): number => github.calls.filter(({ path }) => path === '/graphql').length
  return { github, forge, head, number, look, said, queries, lacks }
}

describe('an Enterprise Server that is older than what is asked of it (20.14)', () => {
  it('is read without what it does not know, which is said once', async () => {
    const { github, head, number, look, said, queries, lacks } = await start({
      version: '3.10.2',
      lacks: [...OLD, ...IDS],
    })
    await github.as('ann').review(number, {
      state: 'CHANGES_REQUESTED',
      body: 'Not yet.',
      comments: [{ path: 'a.txt', line: 1, body: 'Why?' }],
    })
    await github.as('ann').comment(number, 'Look.')
    github.setCheck(head, { name: 'test', conclusion: 'success', workflow: 'CI' })
    github.setStatus(head, { context: 'ci/old', state: 'success' })
    const pull = await look()
    expect(pull).toMatchObject({
      state: 'open',
      reviewDecision: 'changes_requested',
      reviews: [
        {
          id: expect.stringMatching(/^\d+$/),
          body: 'Not yet.',
          comments: [{ id: expect.stringMatching(/^\d+$/), body: 'Why?' }],
        },
      ],
      comments: [{ id: expect.stringMatching(/^\d+$/), body: 'Look.' }],
      checksState: 'passed',
      checksRequired: false,
      checks: [
        { name: 'ci/old', required: false },
        { name: 'test', required: false },
      ],
    })
    expect(new Set(said().map(({ field }) => String(field).split('.')[1]))).toEqual(
      new Set(['reviewDecision', 'refUpdateRule', 'isRequired', 'workflowRun', 'fullDatabaseId']),
    )
    expect(said()).toHaveLength(5)
    expect(said().find(({ field }) => field === 'Ref.refUpdateRule')).toMatchObject({
      version: '3.10.2',
      lost: 'what the protection of a base asks for',
    })
    expect(lacks).toHaveLength(5)
    expect(lacks).toContainEqual(
      expect.objectContaining({
        key: 'field:which checks are required',
        what: 'Enterprise Server 3.10.2 does not say which checks are required',
      }),
    )
    // It is not asked for any of it again.
    const before = queries()
    expect((await look()).reviews).toEqual(pull.reviews)
    expect(queries() - before).toBe(2)
    expect(said()).toHaveLength(5)
    // Updated, it is asked for all.
    github.state.server = { version: '3.17.0', lacks: [] }
    github.state.repository.requiredChecks.set('main', ['test'])
    await look()
    expect(await look()).toMatchObject({ checksRequired: true })
  })

  it('is named with its version where it lacks what is needed, and with the oldest that does not', async () => {
    const { forge, number, said } = await start({
      version: '3.4.0',
      lacks: ['PullRequest.statusCheckRollup', ...OLD],
    })
    expect(await forge.snapshots([number])).toMatchObject([
      {
        denied: true,
        unknown: expect.stringMatching(
          /does not know PullRequest\.statusCheckRollup, which exomonad needs: Enterprise Server 3\.4\.0 is too old\. .*Enterprise Server 3\.16 and newer/,
        ),
      },
    ])
    expect(said()).toEqual([])
    // What is read without it goes on.
    expect(await forge.find({ state: 'open', heads: ['main.a' as never] })).toEqual([number])
  })

  it('whose API is somewhere else, and answers 404 for everything, is called that', async () => {
    const { github, forge, number, head } = await start()
    const nothing = () => github.fail(/^(GET|PUT|POST) /, { kind: 'status', status: 404 }, 50)
    nothing()
    const denied = {
      code: 'FORGE_DENIED',
      message: expect.stringMatching(
        /is not GitHub’s API: it answers 404 for everything\. Check .*api_url.* Enterprise Server 3\.16/,
      ),
    }
    await expect(forge.find({ state: 'open', heads: ['main.a' as never] })).rejects.toMatchObject(
      denied,
    )
    await expect(
      forge.merge({
        number,
        expectedHead: head as never,
        expectedBase: 'main' as never,
        strategy: 'merge',
        by: 'human',
        prepared: async () => {},
      }),
    ).rejects.toMatchObject(denied)
    github.heal()
    github.state.server = { version: '3.2.1', lacks: [] }
    github.fail(/POST \/graphql/, { kind: 'status', status: 404 }, 2)
    await expect(forge.find({ state: 'open', heads: ['main.a' as never] })).rejects.toMatchObject({
      message: expect.stringContaining('though Enterprise Server 3.2.1 answers there'),
    })
    // A repository that is not there on a server that is, is that.
    github.fail(/GET \/repos/, { kind: 'status', status: 404 }, 3)
    await expect(forge.diff(number)).rejects.toMatchObject({
      code: 'FORGE_DENIED',
      message: expect.stringContaining('has no repository'),
    })
  })

  it('is what `exomonad doctor` says of it', { timeout: 120_000 }, async () => {
    const world = await startGithubTree({
      files: { 'README.md': '#\n' },
      githubConfig: 'copilot_review = false',
    })
    onTestFinished(() => world.stop())
    const server = async () => {
      const { json } = await world.tree.command(['doctor', '--json'])
      return (json.findings as { subject: string }[]).filter(({ subject }) => subject === 'server')
    }
    expect(await server()).toEqual([])
    world.github.state.server = { version: '3.18.1', lacks: [] }
    expect(await server()).toMatchObject([{ status: 'ok', found: 'Enterprise Server 3.18.1' }])
    world.github.state.server = { version: '3.15.9', lacks: [] }
    expect(await server()).toMatchObject([
      { status: 'warning', found: expect.stringContaining('3.15.9 is older than 3.16') },
    ])
    world.github.state.server = { version: '3.10.2', lacks: OLD }
    expect(await server()).toMatchObject([
      {
        status: 'warning',
        found: expect.stringMatching(
          /3\.10\.2 is too old to report .*which checks are required.*; all else works/,
        ),
        fix: 'Have it updated to 3.16 or newer',
      },
    ])
    world.github.state.server = { version: '3.1.0', lacks: ['PullRequest.statusCheckRollup'] }
    expect(await server()).toMatchObject([
      {
        status: 'problem',
        found: expect.stringContaining('does not know PullRequest.statusCheckRollup'),
      },
    ])
  })
})
