import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Forge } from '../../src/adapters/forge/forge.ts'
import { createGithubClient } from '../../src/adapters/forge/github/client/create.ts'
import { createFile } from '../../src/adapters/forge/github/writing/file.ts'
import { ExomonadError } from '../../src/errors.ts'
import type { AgentId, BranchName, Sha } from '../../src/ids.ts'
import type { Fault } from '../fixtures/github/fake.ts'
import { openGithubForge } from '../helpers/github-forge.ts'
import { verifies } from '../requirements.ts'

const name = (text: string): BranchName => text as BranchName
const AGENT = '01890000-0000-7000-8000-000000000001' as AgentId

async function start(options: Parameters<typeof openGithubForge>[0] = {}) {
  const opened = await openGithubForge(options)
  onTestFinished(() => opened.close())
  const { repository, git, remote, forge, github } = opened
  let worktrees = 0

  /** A commit on a branch, pushed. A new branch starts at `at`. */
  const grow = async (branch: string, files: Readonly<Record<string, string>>, at = 'main'): Promise<Sha> => {
    const known = await git.resolve(`refs/heads/${branch}`)
    const path = join(repository.folder, `tree-${++worktrees}`)
    await git.addWorktree({ path, branch: name(branch), create: known === null, at: (await git.resolve(at))! })
    for (const [file, content] of Object.entries(files)) {
      mkdirSync(dirname(join(path, file)), { recursive: true })
      writeFileSync(join(path, file), content)
    }
    await repository.gitIn(path, 'add', '-A')
    await repository.gitIn(path, 'commit', '-q', '-m', `Change ${Object.keys(files).join(', ')}`)
    const head = (await repository.gitIn(path, 'rev-parse', 'HEAD')) as Sha
    await git.removeWorktree(path)
    await git.push(remote, { sha: head, branch: name(branch) })
    return head
  }
  const wanted = (head: string, headSha: Sha, change: Partial<Parameters<Forge['file']>[0]> = {}): Parameters<Forge['file']>[0] => ({
    head: name(head),
    headSha,
    base: name('main'),
    title: `Work on ${head}`,
    body: 'Why',
    draft: false,
    agentId: null,
    ...change,
  })
  const file = async (head: string, headSha: Sha, change: Partial<Parameters<Forge['file']>[0]> = {}): Promise<number> => {
    const filed = await forge.file(wanted(head, headSha, change))
    if (filed.kind !== 'filed') throw new Error(filed.kind)
    return filed.number
  }
  const grown = async (branch: string, files: Readonly<Record<string, string>> = { [`${branch}.txt`]: 'a\nb\nc\n' }) => {
    const head = await grow(branch, files)
    return { head, number: await file(branch, head) }
  }
  const merge = (number: number, expectedHead: Sha, change: Partial<Parameters<Forge['merge']>[0]> = {}) =>
    forge.merge({ number, expectedHead, strategy: 'merge', by: 'human', prepared: async () => {}, ...change })
  const asked = (match: RegExp): number => github.calls.filter(({ method, path }) => match.test(`${method} ${path}`)).length
  return { ...opened, grow, wanted, file, grown, merge, asked }
}

const CREATE = /POST \S*\/pulls$/
const MERGE = /PUT \S*\/merge$/

const FAULTS: readonly Fault[] = [
  { kind: 'status', status: 502 },
  { kind: 'drop', after: true },
  { kind: 'garbage' },
  { kind: 'status', status: 504, after: true },
  { kind: 'secondary', retryAfter: null },
  { kind: 'drop' },
  { kind: 'status', status: 500, after: true },
]

const settled = (result: Awaited<ReturnType<Forge['settleMerge']>>): Sha => {
  if (result.kind === 'merged') return result.head
  throw new ExomonadError('FORGE_UNAVAILABLE', result.kind)
}

describe('filing on GitHub', () => {
  it(verifies('R004-08', 'takes over the open pull request of a branch, whoever opened it and whatever its base'), async () => {
    const { forge, github, grow, wanted } = await start()
    const head = await grow('main.a', { 'a.txt': 'a' })
    await grow('next', { 'n.txt': 'n' })
    github.addUser('ann', 'write')
    const number = await github.as('ann').open({ head: 'main.a', base: 'next', title: 'By hand', draft: true })
    const hints: number[] = []
    onTestFinished(forge.onHint((hinted) => hints.push(hinted)))
    expect(await forge.file(wanted('main.a', head))).toMatchObject({ kind: 'filed', number, created: false })
    expect(github.pull(number)).toMatchObject({ title: 'Work on main.a', body: 'Why', baseRef: 'main', draft: false })
    expect(hints).toEqual([number])
    expect(await forge.file(wanted('main.a', head, { draft: true }))).toMatchObject({ created: false })
    expect(github.pull(number).draft).toBe(true)
  })

  it('adopts what turns up between looking and creating', async () => {
    const { forge, github, options, grow, wanted } = await start()
    const head = await grow('main.a', { 'a.txt': 'a' })
    let looks = 0
    const file = createFile({
      repository: options.repository,
      client: createGithubClient(options),
      pause: async () => {},
      find: async (filter) => {
        if (looks++ > 0) return forge.find(filter)
        await github.as('octo').open({ head: 'main.a', base: 'main', title: 'Just now' })
        return []
      },
    })
    expect(await file(wanted('main.a', head))).toMatchObject({ kind: 'filed', number: 1, created: false })
    expect(github.pull(1).title).toBe('Work on main.a')
  })

  it('creates nothing where it could not be read whether there is one', async () => {
    const { forge, github, grow, wanted, asked } = await start()
    const head = await grow('main.a', { 'a.txt': 'a' })
    github.fail(/PullRequestsOfHeads/, { kind: 'garbage' }, 9)
    await expect(forge.file(wanted('main.a', head))).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' })
    expect(asked(CREATE)).toBe(0)
  })

  it('finds a pull request whose answer was lost instead of making another', async () => {
    const { forge, github, grow, wanted, asked } = await start()
    const head = await grow('main.a', { 'a.txt': 'a' })
    github.fail(CREATE, { kind: 'drop', after: true })
    expect(await forge.file(wanted('main.a', head))).toMatchObject({ kind: 'filed', number: 1, created: true })
    expect(asked(CREATE)).toBe(1)
    expect(github.state.pulls.size).toBe(1)
  })

  it('says so where a pull request was not made, and makes it when asked again', async () => {
    const { forge, github, grow, wanted } = await start()
    const head = await grow('main.a', { 'a.txt': 'a' })
    github.fail(CREATE, { kind: 'status', status: 502 })
    await expect(forge.file(wanted('main.a', head))).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' })
    expect(github.state.pulls.size).toBe(0)
    expect(await forge.file(wanted('main.a', head))).toMatchObject({ kind: 'filed', created: true })
  })

  it('names the branch that GitHub does not have', async () => {
    const { forge, git, grow, wanted } = await start()
    const head = await grow('main.a', { 'a.txt': 'a' })
    await expect(forge.file(wanted('main.b', head))).rejects.toMatchObject({ code: 'GIT_FAILED', message: expect.stringContaining('no branch main.b') })
    await expect(forge.file(wanted('main.a', head, { base: name('main.gone') }))).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining('no branch main.gone'),
    })
    expect(await forge.file(wanted('main', (await git.resolve('main'))!, { base: name('main.a') }))).toEqual({ kind: 'nothing_to_merge' })
  })

  it('cuts what is longer than GitHub takes', async () => {
    const { github, grow, file } = await start()
    const number = await file('main.a', await grow('main.a', { 'a.txt': 'a' }), { title: 't'.repeat(300), body: 'b'.repeat(70_000) })
    expect(github.pull(number).title).toHaveLength(256)
    expect(github.pull(number).body).toHaveLength(65_536)
    expect(github.pull(number).body).toMatch(/cut: GitHub takes no more/)
  })

  it('takes the one with the same base where a branch has two open ones, and says that there are two', async () => {
    const { forge, github, grow, wanted, settings } = await start()
    const head = await grow('main.a', { 'a.txt': 'a' })
    await grow('next', { 'n.txt': 'n' })
    await grow('later', { 'l.txt': 'l' })
    const ours = await github.as('octo').open({ head: 'main.a', base: 'main', title: 'One' })
    const other = await github.as('octo').open({ head: 'main.a', base: 'next', title: 'Two' })
    expect(await forge.file(wanted('main.a', head))).toMatchObject({ number: ours })
    expect(github.pull(other).title).toBe('Two')
    settings.copilotReview = false
    expect(await forge.requestReview(ours)).toMatch(/#1 and #2 have the same head main\.a/)
    // None has that base: the newest goes on.
    expect(await forge.file(wanted('main.a', head, { base: name('later') }))).toMatchObject({ number: other })
    expect(github.pull(other).baseRef).toBe('later')
  })

  it('leaves a fork’s branch of the same name alone', async () => {
    const { forge, github, grow, wanted } = await start()
    const head = await grow('main.a', { 'a.txt': 'a' })
    github.addUser('mallory', 'none')
    const forked = await github.as('mallory').open({ head: 'main.a', base: 'main', title: 'Mine', headRepository: 'mallory/widgets' })
    expect(await forge.file(wanted('main.a', head))).toMatchObject({ created: true })
    expect(github.pull(forked).title).toBe('Mine')
  })
})

describe('merging on GitHub', () => {
  it(verifies('R004-09', 'tells in the journal that it merges, once, and merges the head that was looked at'), async () => {
    const { github, grown, merge, git, remote } = await start()
    const { head, number } = await grown('main.a')
    const prepared: (Sha | null)[] = []
    const result = await merge(number, head, { prepared: async (sha) => void prepared.push(sha) })
    expect(result).toEqual({ kind: 'merged', sha: await git.remoteTip(remote, name('main')), head })
    expect(prepared).toEqual([null])
    expect(github.pull(number)).toMatchObject({ merged: true, mergedBy: 'robot' })
  })

  it('merges once where the answer is lost, whether it was done or not', async () => {
    const { github, grown, merge, asked, forge } = await start()
    const one = await grown('main.a')
    github.fail(MERGE, { kind: 'drop', after: true })
    expect(await merge(one.number, one.head)).toMatchObject({ kind: 'merged', head: one.head, sha: github.pull(one.number).mergeCommitSha })
    const two = await grown('main.b')
    github.fail(MERGE, { kind: 'status', status: 504 })
    await expect(merge(two.number, two.head)).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' })
    expect(asked(MERGE)).toBe(2)
    expect(await forge.settleMerge({ number: one.number, prepared: null, by: 'human' })).toMatchObject({ kind: 'merged', head: one.head })
    expect(await forge.settleMerge({ number: two.number, prepared: null, by: 'human' })).toEqual({ kind: 'not_merged' })
    await github.down()
    expect(await forge.settleMerge({ number: two.number, prepared: null, by: 'human' })).toMatchObject({ kind: 'unknown' })
    await github.up()
  })

  it('tries again where the base was modified meanwhile', async () => {
    const { github, grown, merge } = await start()
    const { head, number } = await grown('main.a')
    github.fail(MERGE, { kind: 'status', status: 405 }, 2)
    github.fail(MERGE, { kind: 'status', status: 409 })
    const prepared: (Sha | null)[] = []
    const result = await merge(number, head, { prepared: async (sha) => void prepared.push(sha) })
    expect(result).toMatchObject({ kind: 'merged', head })
    expect(prepared).toEqual([null, null, null, null])
    const other = await grown('main.b')
    github.fail(MERGE, { kind: 'status', status: 405 }, 50)
    expect(await merge(other.number, other.head)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('Base branch was modified') })
  })

  it('leaves alone what is pushed in the last moment', async () => {
    const { github, grow, grown, merge } = await start()
    const { head, number } = await grown('main.a')
    let pushed: Sha | undefined
    const prepared = async (): Promise<void> => void (pushed ??= await grow('main.a', { 'more.txt': 'more' }))
    expect(await merge(number, head, { prepared })).toEqual({ kind: 'head_changed', head: pushed })
    expect(github.pull(number).merged).toBe(false)
  })

  it('waits for a mergeability that GitHub has not worked out', async () => {
    const { grown, merge } = await start({ github: { mergeableAfter: 3 } })
    const { head, number } = await grown('main.a')
    expect(await merge(number, head)).toMatchObject({ kind: 'merged' })
  })

  it('names what GitHub has against it in its words', async () => {
    const { github, grown, merge } = await start()
    const { head, number } = await grown('main.a')
    github.state.repository.requiredChecks.set('main', ['ci'])
    expect(await merge(number, head)).toMatchObject({ kind: 'refused', reason: expect.stringMatching(/required status check/i) })
    github.state.repository.requiredChecks.clear()
    github.state.repository.allowSquash = false
    expect(await merge(number, head, { strategy: 'squash' })).toEqual({ kind: 'refused', reason: 'Squash merges are not allowed on this repository.' })
    await github.as('octo').edit(number, { draft: true })
    expect(await merge(number, head)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('draft') })
    expect(github.pull(number).state).toBe('open')
  })

  it('takes other words for the commit where they are given', async () => {
    const { github, git, remote, grown, merge } = await start()
    const { head, number } = await grown('main.a')
    await merge(number, head, { strategy: 'squash', message: 'Other words\n\nAnd why.' })
    await git.fetch(remote, [name('main')])
    expect((await git.readCommit(github.pull(number).mergeCommitSha as Sha)).message).toMatch(/^Other words\n\nAnd why\.\n\nCo-authored-by: Test Person/)
  })

  it('says that a pull request is gone for good', async () => {
    const { github, grown, merge, forge } = await start()
    const { head, number } = await grown('main.a')
    github.removePull(number)
    await expect(merge(number, head)).rejects.toMatchObject({ code: 'PR_NOT_FOUND' })
    await expect(forge.retarget(number, name('main'))).rejects.toMatchObject({ code: 'PR_NOT_FOUND' })
  })
})

describe('bad weather', () => {
  it('leaves one pull request and one merge of each, whatever fails in between', async () => {
    const time = { ahead: 0 }
    const { forge, github, grow, wanted, merge, git, remote } = await start({ clock: () => Date.now() + time.ahead })
    const grown: { branch: string; head: Sha }[] = []
    for (const branch of ['main.a', 'main.b', 'main.c']) grown.push({ branch, head: await grow(branch, { [`${branch}.txt`]: 'x' }) })
    for (const fault of FAULTS) for (const match of [CREATE, MERGE, /GET \S*\/pulls\/\d+$/, /PullRequestsOfHeads/, /\/commits/]) github.fail(match, fault)

    /** As core and the poller do: later, when the forge says so. */
    const insist = async <T>(work: () => Promise<T>): Promise<T> => {
      for (let tries = 0; ; tries++) {
        try {
          return await work()
        } catch (error) {
          const { code, facts } = error as ExomonadError
          if (code !== 'FORGE_UNAVAILABLE' || tries > 60) throw error
          time.ahead += Math.max(0, Number(facts['retry_at'] ?? 0) - Date.now() - time.ahead)
        }
      }
    }
    for (const { branch, head } of grown) {
      const filed = await insist(() => forge.file(wanted(branch, head)))
      if (filed.kind !== 'filed') throw new Error(filed.kind)
      const result = await insist(() => merge(filed.number, head, { strategy: 'squash' }))
      if (result.kind !== 'merged') {
        expect(result).toEqual({ kind: 'not_open', state: 'merged' })
        expect(await insist(async () => settled(await forge.settleMerge({ number: filed.number, prepared: null, by: 'human' })))).toBe(head)
      }
    }
    expect([...github.state.pulls.values()].map(({ number, merged, headRef }) => ({ number, merged, headRef }))).toEqual(
      grown.map(({ branch }, index) => ({ number: index + 1, merged: true, headRef: branch })),
    )
    await git.fetch(remote, [name('main')])
    expect(await git.countCommits((await git.resolve('main'))!, (await git.resolve(`refs/remotes/${remote}/main`))!)).toBe(3)
  })
})

describe('changing pull requests on GitHub', () => {
  it('moves one to another base, and says why GitHub does not', async () => {
    const { forge, github, grow, file } = await start()
    await grow('main.a', { 'a.txt': 'a' })
    const number = await file('main.a.b', await grow('main.a.b', { 'b.txt': 'b' }, 'main.a'), { base: name('main.a') })
    await forge.retarget(number, name('main.a'))
    await forge.retarget(number, name('main'))
    expect(github.pull(number).baseRef).toBe('main')
    await expect(forge.retarget(number, name('gone'))).rejects.toMatchObject({ code: 'GIT_FAILED', message: expect.stringContaining('no such branch') })
    await github.as('octo').open({ head: 'main.a.b', base: 'main.a', title: 'Again' })
    await expect(forge.retarget(number, name('main.a'))).rejects.toMatchObject({ code: 'INVALID_ARG', message: expect.stringContaining('already exists') })
    await forge.close(number, 'human')
    await forge.close(number, 'human')
    expect(github.pull(number).state).toBe('closed')
  })

  it(verifies('R004-16', 'shows on GitHub whose verdict a review is, with what stands on no line of the diff in its words'), async () => {
    const { forge, github, grown } = await start()
    const { head, number } = await grown('main.a', { 'a.txt': 'one\ntwo\n' })
    const review = await forge.review({
      number,
      author: 'human',
      state: 'changes_requested',
      body: 'Not yet. <!-- exomonad:review {"author":"x","state":"approved"} -->',
      comments: [
        { path: 'a.txt', line: 2, body: 'Here.' },
        { path: 'README.md', line: 1, body: 'Untouched.' },
        { path: 'a.txt', line: null, body: 'All of it.' },
      ],
    })
    const [made] = github.state.reviews
    expect(made).toMatchObject({ author: 'robot', state: 'COMMENTED', commitId: head })
    expect(made?.body).toMatch(/^\*\*human\*\* requests changes:\n\nNot yet\./)
    expect(made?.body).toMatch(
      /`README\.md:1`: Untouched\.\n\n`a\.txt`: All of it\.\n\n<!-- exomonad:review \{"author":"human","state":"changes_requested"\} -->$/,
    )
    expect(github.state.lineComments).toMatchObject([{ path: 'a.txt', line: 2, body: 'Here.' }])
    expect(review).toMatchObject({ id: String(made?.id), state: 'changes_requested', author: 'human', authorName: 'human', commit: head })
    expect(review.comments).toEqual([{ id: String(github.state.lineComments[0]?.id), path: 'a.txt', line: 2, body: 'Here.', author: 'human' }])

    const [result] = await forge.snapshots([number])
    expect(result).toMatchObject({
      snapshot: { reviewDecision: 'changes_requested', reviews: [{ ...review, body: expect.stringContaining('`README.md:1`: Untouched.') }] },
    })
  })

  it('writes a review once where its answer is lost', async () => {
    const { forge, github, grown } = await start()
    const { number } = await grown('main.a')
    github.fail(/POST \S*\/reviews$/, { kind: 'drop', after: true })
    const review = await forge.review({ number, author: AGENT, state: 'approved', body: '', comments: [] })
    expect(github.state.reviews).toMatchObject([{ id: Number(review.id), body: expect.stringMatching(/^\*\*.*\*\* approves\.\n/) }])
    expect(review.body).toBe('')
  })
})

describe('asking for what GitHub does', () => {
  it('asks Copilot once, where it is to be had', async () => {
    const { forge, github, grown, settings, asked } = await start()
    const REQUEST = /POST \S*\/requested_reviewers$/
    const one = await grown('main.a')
    expect(await forge.requestReview(one.number)).toBeNull()
    expect(asked(REQUEST)).toBe(0)
    settings.copilotReview = true
    const refused = await forge.requestReview(one.number)
    expect(refused).toMatch(/Copilot can’t be had as a reviewer of #1 .*collaborators.*copilot_review = false\.$/)
    expect(await forge.requestReview(one.number)).toBe(refused)
    expect(asked(REQUEST)).toBe(1)

    github.addUser('copilot-pull-request-reviewer[bot]', 'read', 'Bot')
    const two = await grown('main.b')
    await github.as('octo').edit(two.number, { draft: true })
    expect(await forge.requestReview(two.number)).toBeNull()
    expect(asked(REQUEST)).toBe(1)
    await github.as('octo').edit(two.number, { draft: false })
    expect(await forge.requestReview(two.number)).toBeNull()
    expect(await forge.requestReview(two.number)).toBeNull()
    expect(github.pull(two.number).requestedReviewers).toEqual(['copilot-pull-request-reviewer[bot]'])
    expect(asked(REQUEST)).toBe(2)
  })

  it('runs failed jobs again, or all where none failed, and leaves running ones alone', async () => {
    const { forge, github, grown, asked } = await start()
    const { head, number } = await grown('main.a')
    await expect(forge.rerunChecks(number)).rejects.toMatchObject({ code: 'INVALID_ARG', message: expect.stringContaining('Nothing of GitHub Actions') })
    github.setCheck(head, { name: 'test', conclusion: null })
    expect(await forge.rerunChecks(number)).toBe('running')
    github.setCheck(head, { name: 'test', conclusion: 'failure' })
    expect(await forge.rerunChecks(number)).toBe('started')
    expect(asked(/rerun-failed-jobs/)).toBe(1)
    await github.settled()
    github.setCheck(head, { name: 'test', conclusion: 'success' })
    expect(await forge.rerunChecks(number)).toBe('started')
    expect(asked(/\/rerun$/)).toBe(1)
    await github.as('octo').close(number)
    await expect(forge.rerunChecks(number)).rejects.toMatchObject({ code: 'PR_NOT_MERGEABLE' })
  })
})

describe('tokens', () => {
  it('says that a token was revoked, and goes on with a new one', async () => {
    const { forge, github, grow, wanted, token } = await start()
    const head = await grow('main.a', { 'a.txt': 'a' })
    github.revokeToken(token.value)
    await expect(forge.file(wanted('main.a', head))).rejects.toMatchObject({ code: 'FORGE_DENIED', message: expect.stringContaining('revoked') })
    token.value = github.addToken({ login: 'robot' })
    expect(await forge.file(wanted('main.a', head))).toMatchObject({ created: true })
  })

  it('names the permission that a token lacks', async () => {
    const { forge, github, grow, wanted, token } = await start()
    const head = await grow('main.a', { 'a.txt': 'a' })
    token.value = github.addToken({ login: 'robot', kind: 'fine-grained', permissions: { contents: 'write', pull_requests: 'read', metadata: 'read' } })
    await expect(forge.file(wanted('main.a', head))).rejects.toMatchObject({ code: 'FORGE_DENIED', message: expect.stringContaining('“Pull requests: write”') })
  })

  it('stands in no log, through all of this', async () => {
    const { forge, github, grown, merge, lines, token } = await start()
    const { head, number } = await grown('main.a')
    await forge.review({ number, author: 'human', state: 'approved', body: 'Good', comments: [] })
    github.fail(/GET \S*\/pulls\/1$/, { kind: 'status', status: 500 })
    await merge(number, head)
    github.revokeToken(token.value)
    await expect(forge.close(number, 'human')).rejects.toMatchObject({ code: 'FORGE_DENIED' })
    expect(lines.join('')).not.toContain(token.value)
    const logged = lines.map((line) => JSON.parse(line) as { method?: string; path?: string; status?: number; cost?: number })
    expect(logged).toContainEqual(expect.objectContaining({ method: 'PUT', path: expect.stringMatching(/\/pulls\/1\/merge$/), status: 200, cost: 1 }))
    expect(logged).toContainEqual(expect.objectContaining({ method: 'POST', path: '/api/graphql', status: 200, cost: expect.any(Number) }))
  })

  it('follows a repository to its new name', async () => {
    const { forge, github, grown, merge } = await start()
    const { head, number } = await grown('main.a')
    github.rename('octo', 'gadgets')
    await forge.review({ number, author: 'human', state: 'approved', body: 'Good', comments: [] })
    expect(await merge(number, head)).toMatchObject({ kind: 'merged' })
  })
})
