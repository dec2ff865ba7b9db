import { describe, expect, it, onTestFinished } from 'vitest'
import { createGithubClient } from '../../../src/adapters/forge/github/client/create.ts'
import { createFile } from '../../../src/adapters/forge/github/writing/file.ts'
import type { PullRequestSnapshot } from '../../../src/adapters/forge/forge.ts'
import type { AgentId } from '../../../src/domain/ids.ts'
import { CREATE, name, startWriting } from '../../helpers/github/github-writing.ts'
import { verifies } from '../../requirements.ts'

const AGENT = '01890000-0000-7000-8000-000000000001' as AgentId

describe('filing on GitHub', () => {
  it(
    verifies(
      'R004-08',
      'takes over the open pull request of a branch, whoever opened it and whatever its base',
    ),
    async () => {
      const { forge, github, grow, wanted } = await startWriting()
      const head = await grow('main.a', { 'a.txt': 'a' })
      await grow('next', { 'n.txt': 'n' })
      github.addUser('ann', 'write')
      const number = await github
        .as('ann')
        .open({ head: 'main.a', base: 'next', title: 'By hand', draft: true })
      const hints: number[] = []
      onTestFinished(forge.onHint((hinted) => hints.push(hinted)))
      expect(await forge.file(wanted('main.a', head))).toMatchObject({
        kind: 'filed',
        number,
        created: false,
      })
      expect(github.pull(number)).toMatchObject({
        title: 'Work on main.a',
        body: 'Why',
        baseRef: 'main',
        draft: false,
      })
      expect(hints).toEqual([number])
      expect(await forge.file(wanted('main.a', head, { draft: true }))).toMatchObject({
        created: false,
      })
      expect(github.pull(number).draft).toBe(true)
    },
  )

  it('adopts what turns up between looking and creating', async () => {
    const { forge, github, options, grow, wanted } = await startWriting()
    const head = await grow('main.a', { 'a.txt': 'a' })
    let looks = 0
    const file = createFile({
      repository: options.repository,
      client: createGithubClient(options),
      pause: async () => {},
      left: () => {},
      find: async (filter) => {
        if (looks++ > 0) return forge.find(filter)
        await github.as('octo').open({ head: 'main.a', base: 'main', title: 'Just now' })
        return []
      },
    })
    expect(await file(wanted('main.a', head))).toMatchObject({
      kind: 'filed',
      number: 1,
      created: false,
    })
    expect(github.pull(1).title).toBe('Work on main.a')
  })

  it('creates nothing where it could not be read whether there is one', async () => {
    const { forge, github, grow, wanted, asked } = await startWriting()
    const head = await grow('main.a', { 'a.txt': 'a' })
    github.fail(/PullRequestsOfHeads/, { kind: 'garbage' }, 9)
    await expect(forge.file(wanted('main.a', head))).rejects.toMatchObject({
      code: 'FORGE_UNAVAILABLE',
    })
    expect(asked(CREATE)).toBe(0)
  })

  it('finds a pull request whose answer was lost instead of making another', async () => {
    const { forge, github, grow, wanted, asked } = await startWriting()
    const head = await grow('main.a', { 'a.txt': 'a' })
    github.fail(CREATE, { kind: 'drop', after: true })
    expect(await forge.file(wanted('main.a', head))).toMatchObject({
      kind: 'filed',
      number: 1,
      created: true,
    })
    expect(asked(CREATE)).toBe(1)
    expect(github.state.pulls.size).toBe(1)
  })

  it('says so where a pull request was not made, and makes it when asked again', async () => {
    const { forge, github, grow, wanted } = await startWriting()
    const head = await grow('main.a', { 'a.txt': 'a' })
    github.fail(CREATE, { kind: 'status', status: 502 })
    await expect(forge.file(wanted('main.a', head))).rejects.toMatchObject({
      code: 'FORGE_UNAVAILABLE',
    })
    expect(github.state.pulls.size).toBe(0)
    expect(await forge.file(wanted('main.a', head))).toMatchObject({ kind: 'filed', created: true })
  })

  it('names the branch that GitHub does not have', async () => {
    const { forge, git, grow, wanted } = await startWriting()
    const head = await grow('main.a', { 'a.txt': 'a' })
    await expect(forge.file(wanted('main.b', head))).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining('no branch main.b'),
    })
    await expect(
      forge.file(wanted('main.a', head, { base: name('main.gone') })),
    ).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining('no branch main.gone'),
    })
    expect(
      await forge.file(wanted('main', (await git.resolve('main'))!, { base: name('main.a') })),
    ).toEqual({ kind: 'nothing_to_merge' })
  })

  it('cuts what is longer than GitHub takes', async () => {
    const { github, grow, file } = await startWriting()
    const number = await file('main.a', await grow('main.a', { 'a.txt': 'a' }), {
      title: 't'.repeat(300),
      body: 'b'.repeat(70_000),
    })
    expect(github.pull(number).title).toHaveLength(256)
    expect(github.pull(number).body).toHaveLength(65_536)
    expect(github.pull(number).body).toMatch(/cut: GitHub takes no more/)
  })

  it('takes the one with the same base where a branch has two open ones, and says that there are two', async () => {
    const { forge, github, grow, wanted, settings } = await startWriting()
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
    expect(await forge.file(wanted('main.a', head, { base: name('later') }))).toMatchObject({
      number: other,
    })
    expect(github.pull(other).baseRef).toBe('later')
  })

  it('leaves a fork’s branch of the same name alone', async () => {
    const { forge, github, grow, wanted } = await startWriting()
    const head = await grow('main.a', { 'a.txt': 'a' })
    github.addUser('mallory', 'none')
    const forked = await github
      .as('mallory')
      .open({ head: 'main.a', base: 'main', title: 'Mine', headRepository: 'mallory/widgets' })
    expect(await forge.file(wanted('main.a', head))).toMatchObject({ created: true })
    expect(github.pull(forked).title).toBe('Mine')
  })
})

describe('changing pull requests on GitHub', () => {
  it('moves one to another base, and says why GitHub does not', async () => {
    const { forge, github, grow, file } = await startWriting()
    await grow('main.a', { 'a.txt': 'a' })
    const number = await file('main.a.b', await grow('main.a.b', { 'b.txt': 'b' }, 'main.a'), {
      base: name('main.a'),
    })
    await forge.retarget(number, name('main.a'))
    await forge.retarget(number, name('main'))
    expect(github.pull(number).baseRef).toBe('main')
    await expect(forge.retarget(number, name('gone'))).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining('no such branch'),
    })
    await github.as('octo').open({ head: 'main.a.b', base: 'main.a', title: 'Again' })
    await expect(forge.retarget(number, name('main.a'))).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message: expect.stringContaining('already exists'),
    })
    await forge.close(number, 'human')
    await forge.close(number, 'human')
    expect(github.pull(number).state).toBe('closed')
  })

  it(
    verifies(
      'R004-16',
      'shows on GitHub whose verdict a review is, with what stands on no line of the diff in its words',
    ),
    async () => {
      const { forge, github, grown } = await startWriting()
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
      expect(made?.body).toMatch(/^\*\*human\*\* requests changes through exomonad:\n\nNot yet\./)
      expect(made?.body).toMatch(
        /`README\.md:1`: Untouched\.\n\n`a\.txt`: All of it\.\n\n<!-- exomonad:review \{"author":"human","state":"changes_requested","sum":"[\da-f]{64}"\} -->$/,
      )
      expect(github.state.lineComments).toMatchObject([{ path: 'a.txt', line: 2, body: 'Here.' }])
      expect(review).toMatchObject({
        id: String(made?.id),
        state: 'changes_requested',
        author: 'human',
        authorName: 'human',
        commit: head,
      })
      expect(review.comments).toEqual([
        {
          id: String(github.state.lineComments[0]?.id),
          path: 'a.txt',
          line: 2,
          startLine: null,
          body: 'Here.',
          author: 'human',
        },
      ])

      const [result] = await forge.snapshots([number])
      expect(result).toMatchObject({
        snapshot: {
          reviewDecision: 'changes_requested',
          reviews: [{ ...review, body: expect.stringContaining('`README.md:1`: Untouched.') }],
        },
      })
    },
  )

  it('(20.19) comments on ranges within a hunk, and says those over several in the words of a comment on the last line', async () => {
    const { forge, github, grow, file } = await startWriting()
    const lines = Array.from({ length: 20 }, (_, index) => `${index + 1}\n`)
    await grow('main.a', { 'a.txt': lines.join('') })
    const changed = lines.map((line, index) => (index === 0 || index === 19 ? 'new\n' : line))
    const head = await grow('main.a.b', { 'a.txt': changed.join('') }, 'main.a')
    const number = await file('main.a.b', head, { base: name('main.a') })
    const comment = { path: 'a.txt', body: 'Why?' }
    const within = { ...comment, startLine: 1, line: 3 }
    const words = 'Lines 2–20: Why?'
    const say = (comments: Parameters<typeof forge.review>[0]['comments']) =>
      forge.review({ number, author: 'human', state: 'commented', body: '', comments })

    expect((await say([within])).comments).toMatchObject([within])
    const review = await say([
      within,
      { ...comment, startLine: 2, line: 20 },
      { ...comment, startLine: 9, line: 10 },
      { ...comment, side: 'left', line: 20 },
      { ...comment, side: 'left', line: 10 },
    ])
    const old = { path: 'a.txt', side: 'left', line: 20 }
    const onLast = { ...comment, line: 20, startLine: null, body: words }
    expect(review).toMatchObject({
      body: '`a.txt:9-10`: Why?\n\n`a.txt:10 (old version)`: Why?',
      comments: [within, onLast, old],
    })
    expect(github.state.lineComments).toMatchObject([
      ...[within, within, onLast],
      { ...old, side: 'LEFT' },
    ])
    const [result] = await forge.snapshots([number])
    expect(result).toMatchObject({
      snapshot: { reviews: [{ comments: [within] }, { comments: [within, onLast, old] }] },
    })
  })

  it('(20.19) answers a conversation with the mark of who does, once where the answer to it is lost; what GitHub refuses is said', async () => {
    const { forge, grown, github, reopen } = await startWriting()
    const { number } = await grown('a', { 'a.txt': 'a\nb\n' })
    github.addUser('ann', 'write')
    await github.as('ann').review(number, {
      state: 'COMMENTED',
      body: 'Hm',
      comments: [{ path: 'a.txt', line: 2, body: 'Why?' }],
    })
    const [found] = await forge.snapshots([number])
    const thread =
      (found as { snapshot: PullRequestSnapshot }).snapshot.reviews[0]?.comments[0]?.thread ?? ''
    const reply = {
      number,
      author: AGENT,
      thread,
      body: 'So. <!-- exomonad:review {"author":"x","state":"approved"} -->',
      resolve: true,
    }
    github.fail(/Reply/, { kind: 'drop', after: true })
    await forge.reply(reply)
    const answers = github.state.lineComments.slice(1)
    expect(answers).toMatchObject([
      {
        author: 'robot',
        path: 'a.txt',
        line: 2,
        body: expect.stringMatching(/^\*\*.*\*\* comments through exomonad:\n\nSo\. <!-- review/),
      },
    ])
    expect(answers[0]?.body).toContain(
      `<!-- exomonad:review {"author":"${AGENT}","state":"commented","sum":"`,
    )
    expect(github.state.lineComments[0]?.resolvedBy).toBe('robot')

    // It never came there: nothing is written, and that is said.
    github.fail(/Reply/, { kind: 'drop' })
    await expect(forge.reply({ ...reply, body: 'Again.' })).rejects.toMatchObject({
      code: 'FORGE_UNAVAILABLE',
    })
    expect(github.state.lineComments).toHaveLength(2)
    const weak = github.addToken({
      login: 'robot',
      kind: 'fine-grained',
      permissions: { pull_requests: 'read', contents: 'read', metadata: 'read' },
    })
    await expect(reopen({ token: async () => weak }).reply(reply)).rejects.toMatchObject({
      code: 'FORGE_DENIED',
      message: expect.stringContaining(`#${number}`),
    })
    expect(github.state.lineComments).toHaveLength(2)
  })

  it('writes a review once where its answer is lost', async () => {
    const { forge, github, grown } = await startWriting()
    const { number } = await grown('main.a')
    github.fail(/POST \S*\/reviews$/, { kind: 'drop', after: true })
    const review = await forge.review({
      number,
      author: AGENT,
      state: 'approved',
      body: '',
      comments: [],
    })
    expect(github.state.reviews).toMatchObject([
      {
        id: Number(review.id),
        body: expect.stringMatching(/^\*\*.*\*\* approves through exomonad\.\n/),
      },
    ])
    expect(review.body).toBe('')
  })
})

describe('asking for what GitHub does', () => {
  it('(20.9) asks Copilot once, where it is to be had', async () => {
    const { forge, reopen, github, grown, wanted, settings, asked, lacks } = await startWriting()
    const REQUEST = /POST \S*\/requested_reviewers$/
    const one = await grown('main.a')
    expect(await forge.requestReview(one.number)).toBeNull()
    expect(asked(REQUEST)).toBe(0)
    settings.copilotReview = true
    expect(await forge.requestReview(one.number)).toBeNull()
    expect(lacks).toMatchObject([{ key: 'copilot', why: expect.stringContaining('collaborators') }])
    // It is not asked for again.
    expect(await forge.requestReview(one.number)).toBeNull()
    expect(asked(REQUEST)).toBe(1)

    // Until the setting was off: then it is asked at once.
    settings.copilotReview = false
    expect(await forge.requestReview(one.number)).toBeNull()
    settings.copilotReview = true
    github.addUser('copilot-pull-request-reviewer[bot]', 'read', 'Bot')
    const two = await grown('main.b')
    await forge.file(wanted('main.b', two.head, { draft: true }))
    expect(await forge.requestReview(two.number)).toBeNull()
    expect(asked(REQUEST)).toBe(1)
    await forge.file(wanted('main.b', two.head))
    expect(await forge.requestReview(two.number)).toBeNull()
    expect(await forge.requestReview(two.number)).toBeNull()
    expect(github.pull(two.number).requestedReviewers).toEqual([
      'copilot-pull-request-reviewer[bot]',
    ])
    expect(asked(REQUEST)).toBe(2)
    // Also where it has reviewed since, and a daemon started again.
    github.pull(two.number).requestedReviewers.length = 0
    expect(await reopen().requestReview(two.number)).toBeNull()
    expect(asked(REQUEST)).toBe(2)
  })

  it('(20.9) does not ask Copilot for a week where it was not to be had, across restarts, and spends no request on it', async () => {
    let passed = 0
    const { forge, reopen, github, grow, wanted, settings, asked } = await startWriting({
      clock: () => Date.now() + passed,
    })
    const REQUEST = /POST \S*\/requested_reviewers$/
    settings.copilotReview = true
    let files = 0
    const file = async (
      by: typeof forge,
      branch: string,
    ): Promise<{ number: number; warning: string | null; calls: string[] }> => {
      const filed = await by.file(wanted(branch, await grow(branch, { [branch]: `${++files}` })))
      if (filed.kind !== 'filed') throw new Error(filed.kind)
      const before = github.calls.length
      const warning = await by.requestReview(filed.number)
      return {
        number: filed.number,
        warning,
        calls: github.calls.slice(before).map(({ method, path }) => `${method} ${path}`),
      }
    }
    expect(await file(forge, 'main.a')).toMatchObject({
      warning: null,
      calls: [expect.stringMatching(REQUEST)],
    })
    expect(await file(forge, 'main.b')).toMatchObject({ warning: null, calls: [] })
    const again = reopen()
    expect(await file(again, 'main.c')).toMatchObject({ warning: null, calls: [] })
    passed = 7 * 24 * 3600 * 1000 - 60_000
    expect(await file(again, 'main.d')).toMatchObject({ warning: null, calls: [] })
    passed += 120_000
    github.addUser('copilot-pull-request-reviewer[bot]', 'read', 'Bot')
    const { number, ...asks } = await file(again, 'main.e')
    expect(asks).toMatchObject({ warning: null, calls: [expect.stringMatching(REQUEST)] })
    expect(github.pull(number).requestedReviewers).toEqual(['copilot-pull-request-reviewer[bot]'])
    expect(asked(REQUEST)).toBe(2)
    // Filed again, it is not asked again.
    expect(await file(again, 'main.e')).toMatchObject({ warning: null, calls: [] })
  })

  it('(20.9) says nothing of Copilot where the token does not count any more', async () => {
    const { forge, github, grown, settings, options } = await startWriting()
    const { number } = await grown('main.a')
    settings.copilotReview = true
    github.fail(/requested_reviewers/, { kind: 'status', status: 401 })
    await expect(forge.requestReview(number)).rejects.toMatchObject({ code: 'FORGE_DENIED' })
    expect(await options.store.snapshots.get('github:copilot')).toBeUndefined()
  })

  it('runs failed jobs again, or all where none failed, and leaves running ones alone', async () => {
    const { forge, github, grown, asked } = await startWriting()
    const { head, number } = await grown('main.a')
    await expect(forge.rerunChecks(number)).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message: expect.stringContaining('Nothing of GitHub Actions'),
    })
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
    const { forge, github, grow, wanted, token } = await startWriting()
    const head = await grow('main.a', { 'a.txt': 'a' })
    github.revokeToken(token.value)
    await expect(forge.file(wanted('main.a', head))).rejects.toMatchObject({
      code: 'FORGE_DENIED',
      message: expect.stringContaining('revoked'),
    })
    token.value = github.addToken({ login: 'robot' })
    expect(await forge.file(wanted('main.a', head))).toMatchObject({ created: true })
  })

  it('names the permission that a token lacks', async () => {
    const { forge, github, grow, wanted, token } = await startWriting()
    const head = await grow('main.a', { 'a.txt': 'a' })
    token.value = github.addToken({
      login: 'robot',
      kind: 'fine-grained',
      permissions: { contents: 'write', pull_requests: 'read', metadata: 'read' },
    })
    await expect(forge.file(wanted('main.a', head))).rejects.toMatchObject({
      code: 'FORGE_DENIED',
      message: expect.stringContaining('“Pull requests: write”'),
    })
  })

  it('stands in no log, through all of this', async () => {
    const { forge, github, grown, merge, lines, token } = await startWriting()
    const { head, number } = await grown('main.a')
    await forge.review({ number, author: 'human', state: 'approved', body: 'Good', comments: [] })
    github.fail(/GET \S*\/pulls\/1$/, { kind: 'status', status: 500 })
    await merge(number, head)
    github.revokeToken(token.value)
    await expect(forge.close(number, 'human')).rejects.toMatchObject({ code: 'FORGE_DENIED' })
    expect(lines.join('')).not.toContain(token.value)
    const logged = lines.map(
      (line) =>
        JSON.parse(line) as { method?: string; path?: string; status?: number; cost?: number },
    )
    expect(logged).toContainEqual(
      expect.objectContaining({
        method: 'PUT',
        path: expect.stringMatching(/\/pulls\/1\/merge$/),
        status: 200,
        cost: 1,
      }),
    )
    expect(logged).toContainEqual(
      expect.objectContaining({
        method: 'POST',
        path: '/api/graphql',
        status: 200,
        cost: expect.any(Number),
      }),
    )
  })

  it('follows a repository to its new name', async () => {
    const { forge, github, grown, merge } = await startWriting()
    const { head, number } = await grown('main.a')
    github.rename('octo', 'gadgets')
    await forge.review({ number, author: 'human', state: 'approved', body: 'Good', comments: [] })
    expect(await merge(number, head)).toMatchObject({ kind: 'merged' })
  })
})
