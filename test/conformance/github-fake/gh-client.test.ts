import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import {
  githubWithCommits,
  type GithubWithCommits,
} from '../../helpers/github/github-with-commits.ts'
import { ghFor, type Gh } from '../../helpers/github/gh.ts'
import { describeWith } from '../../helpers/terminals/require-tool.ts'

/**
 * GitHub’s own command line works with the fake GitHub as with the real one: what it sends and
 * expects was written by others.
 */
describeWith(['gh'], 'gh on the fake GitHub', () => {
  let world: GithubWithCommits
  let gh: Gh
  beforeAll(async () => {
    world = await githubWithCommits()
    world.github.addUser('mona', 'write')
    gh = ghFor(world.github)
  })
  afterAll(async () => {
    gh.remove()
    await world.close()
  })

  it('lists pull requests', async () => {
    const first = await world.open('list-first')
    const second = await world.open('list-second', { base: 'list-first' })
    await world.github.as('robot').edit(second, { draft: true })
    const { code, stdout } = await gh.run(['pr', 'list'])
    expect(code).toBe(0)
    expect(stdout.split('\n').map((line) => line.split('\t').slice(0, 3))).toEqual(
      expect.arrayContaining([
        [String(first), 'Add list-first', 'list-first'],
        [String(second), 'Add list-second', 'list-second'],
      ]),
    )
    const fields = ['number', 'baseRefName', 'headRefOid', 'isDraft', 'author', 'state', 'url']
    expect(await gh.json(['pr', 'list', '--head', 'list-second'], fields)).toEqual([
      {
        number: second,
        baseRefName: 'list-first',
        headRefOid: world.github.pull(second).headSha,
        isDraft: true,
        author: expect.objectContaining({ login: 'robot' }),
        state: 'OPEN',
        url: `${world.github.url}/octo/widgets/pull/${second}`,
      },
    ])
    await world.github.as('mona').close(second)
    expect(
      await gh.json(['pr', 'list', '--state', 'closed', '--head', 'list-second'], ['number']),
    ).toEqual([{ number: second }])
  })

  it('views one, with reviews, comments, checks, commits and files', async () => {
    const { github } = world
    const number = await world.open('viewed')
    await github
      .as('mona')
      .review(number, { state: 'CHANGES_REQUESTED', body: 'Please add a test.' })
    await github.as('mona').comment(number, 'Looks useful.')
    const head = github.pull(number).headSha
    github.setCheck(head, { name: 'build', conclusion: 'failure', log: 'It broke.' })
    github.setStatus(head, { context: 'ci/old', state: 'success' })
    const shown = await gh.run(['pr', 'view', String(number), '--comments'])
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    expect(shown.stdout).toContain('Please add a test.')
    expect(shown.stdout).toContain('Looks useful.')
    const view = await gh.json<Record<string, unknown>>(
      ['pr', 'view', String(number)],
      [
        'title',
        'body',
        'reviews',
        'latestReviews',
        'comments',
        'statusCheckRollup',
        'commits',
        'files',
        'additions',
        'mergeable',
        'mergeStateStatus',
        'reviewDecision',
      ],
    )
    expect(view).toMatchObject({
      title: 'Add viewed',
      body: 'What viewed is for.',
      reviews: [
        {
          author: { login: 'mona' },
          state: 'CHANGES_REQUESTED',
          body: 'Please add a test.',
          authorAssociation: 'COLLABORATOR',
        },
      ],
      comments: [{ author: { login: 'mona' }, body: 'Looks useful.' }],
      commits: [{ oid: head, messageHeadline: 'Add viewed' }],
      files: [{ path: 'viewed.txt', additions: 1, deletions: 0 }],
      additions: 1,
      mergeable: 'MERGEABLE',
      mergeStateStatus: 'UNSTABLE',
      reviewDecision: '',
    })
    expect(view['statusCheckRollup']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          __typename: 'CheckRun',
          name: 'build',
          status: 'COMPLETED',
          conclusion: 'FAILURE',
          workflowName: 'CI',
        }),
        expect.objectContaining({
          __typename: 'StatusContext',
          context: 'ci/old',
          state: 'SUCCESS',
        }),
      ]),
    )
  })

  it('shows how the checks stand, required ones apart', async () => {
    const { github } = world
    const number = await world.open('checks')
    expect((await gh.run(['pr', 'checks', String(number)])).stderr).toContain(
      "no checks reported on the 'checks' branch",
    )
    const head = github.pull(number).headSha
    github.setCheck(head, { name: 'build', conclusion: 'success' })
    github.setCheck(head, { name: 'nightly', conclusion: 'failure' })
    github.state.repository.requiredChecks.set('main', ['build'])
    onTestFinished(() => void github.state.repository.requiredChecks.delete('main'))
    const all = await gh.run(['pr', 'checks', String(number)])
    expect(all.code).toBe(1)
    expect(all.stdout).toMatch(/^build\tpass/m)
    expect(all.stdout).toMatch(/^nightly\tfail/m)
    const required = await gh.run(['pr', 'checks', String(number), '--required'])
    expect(required).toMatchObject({ code: 0 })
    expect(required.stdout).not.toContain('nightly')
  })

  it('shows what is one’s own and what one is asked to review', async () => {
    const { github } = world
    const number = await world.open('asked')
    const mona = ghFor(github, { token: github.addToken({ login: 'mona' }) })
    onTestFinished(() => mona.remove())
    const requested = await fetch(
      `${github.apiUrl}/repos/octo/widgets/pulls/${number}/requested_reviewers`,
      {
        method: 'POST',
        headers: { authorization: `bearer ${github.token}` },
        body: JSON.stringify({ reviewers: ['mona'] }),
      },
    )
    expect(requested.status).toBe(201)
    const own = (await gh.run(['pr', 'status'])).stdout
    expect(
      own.slice(own.indexOf('Created by you'), own.indexOf('Requesting a code review')),
    ).toContain('Add asked')
    const asked = (await mona.run(['pr', 'status'])).stdout
    expect(asked.slice(asked.indexOf('Requesting a code review'))).toContain('Add asked')
    expect(asked).toContain('You have no open pull requests')
  })

  it('opens, reviews, comments on, closes and reopens one', async () => {
    const { github } = world
    await world.commit('opened-by-gh', { 'opened.txt': 'opened\n' })
    const created = await gh.run([
      'pr',
      'create',
      '--head',
      'opened-by-gh',
      '--base',
      'main',
      '--title',
      'Opened',
      '--body',
      'By hand.',
    ])
    expect(created.code, created.stderr).toBe(0)
    const number = Number(created.stdout.trim().split('/').at(-1))
    expect(github.pull(number)).toMatchObject({
      title: 'Opened',
      body: 'By hand.',
      headRef: 'opened-by-gh',
      author: 'robot',
    })
    expect((await gh.run(['pr', 'diff', String(number)])).stdout).toContain('+opened')
    expect((await gh.run(['pr', 'comment', String(number), '--body', 'Hello.'])).code).toBe(0)
    expect((await gh.run(['pr', 'review', String(number), '--approve'])).stderr).toMatch(
      /approve your own pull request/i,
    )
    const mona = ghFor(github, { token: github.addToken({ login: 'mona' }) })
    onTestFinished(() => mona.remove())
    expect(
      (await mona.run(['pr', 'review', String(number), '--approve', '--body', 'Fine.'])).code,
    ).toBe(0)
    expect(github.state.reviews.filter(({ pull }) => pull === number)).toMatchObject([
      { author: 'mona', state: 'APPROVED', body: 'Fine.' },
    ])
    expect((await gh.run(['pr', 'close', String(number)])).code).toBe(0)
    expect(github.pull(number).state).toBe('closed')
    expect((await gh.run(['pr', 'reopen', String(number)])).code).toBe(0)
    expect(github.pull(number).state).toBe('open')
  })

  it('merges one, and gets an error where that cannot be', async () => {
    const { github, repository } = world
    const number = await world.open('merged-by-gh')
    const rival = await world.open('rival', { files: { 'merged-by-gh.txt': 'another text\n' } })
    const before = await repository.git('ls-remote', github.bare, 'refs/heads/main')
    const merged = await gh.run([
      'pr',
      'merge',
      String(number),
      '--squash',
      '--subject',
      'All in one',
    ])
    expect(merged.code, merged.stderr).toBe(0)
    expect(github.pull(number)).toMatchObject({ merged: true, mergedBy: 'robot' })
    expect(await repository.git('ls-remote', github.bare, 'refs/heads/main')).not.toBe(before)
    await repository.git('fetch', '--quiet', github.bare, 'main')
    expect(await repository.git('log', '-1', '--format=%s', 'FETCH_HEAD')).toContain('All in one')
    await gh.json(['pr', 'view', String(rival)], ['mergeable'])
    const refused = await gh.run(['pr', 'merge', String(rival), '--squash'])
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toMatch(/not mergeable|merge commit cannot be cleanly created/i)
    expect(github.pull(rival).merged).toBe(false)
  })

  it('gets an error for a token that was revoked', async () => {
    const token = world.github.addToken({ login: 'mona' })
    world.github.revokeToken(token)
    const revoked = ghFor(world.github, { token })
    onTestFinished(() => revoked.remove())
    const { code, stderr } = await revoked.run(['pr', 'list'])
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/401|Bad credentials/)
  })
})
