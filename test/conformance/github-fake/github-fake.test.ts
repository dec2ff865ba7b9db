import { afterEach, describe, expect, test } from 'vitest'
import { createSchemaCheck } from '../../fixtures/github/schemas/validate.ts'
import { githubForTest } from '../../helpers/github/fake-github.ts'

/** Every answer in this file is held to GitHub’s own description of its API. */
const { answered, violations, checked } = createSchemaCheck()
afterEach(() => expect(violations.splice(0)).toEqual([]))

describe('pull requests', () => {
  test('are made, found, changed, closed and opened again', async () => {
    const { fake, api, pull } = await githubForTest({ answered })
    const { number, sha } = await pull('feature', { 'a.txt': 'a\n' })
    expect(fake.pull(number)).toMatchObject({
      author: 'robot',
      headSha: sha,
      baseRef: 'main',
      headRepository: 'octo/widgets',
    })

    const again = await api('POST', '/pulls', { title: 'Again', head: 'feature', base: 'main' })
    expect(again.status).toBe(422)
    expect(again.body).toMatchObject({
      message: 'Validation Failed',
      status: '422',
      errors: [{ message: 'A pull request already exists for octo:feature.' }],
    })
    const none = await api('POST', '/pulls', { title: 'None', head: 'main', base: 'main' })
    expect(none.body.errors[0].message).toBe('No commits between main and main')
    const absent = await api('POST', '/pulls', { title: 'Absent', head: 'nowhere', base: 'main' })
    expect(absent.body.errors[0]).toMatchObject({ field: 'head', code: 'invalid' })

    expect(
      (await api('GET', '/pulls?head=octo:feature&state=open')).body.map(
        (each: { number: number }) => each.number,
      ),
    ).toEqual([number])
    expect((await api('GET', '/pulls?head=octo:other')).body).toEqual([])
    expect((await api('GET', '/pulls?base=main')).body).toHaveLength(1)

    expect(
      (await api('PATCH', `/pulls/${number}`, { title: 'Better', body: '' })).body,
    ).toMatchObject({ title: 'Better', body: null })
    expect((await api('PATCH', `/pulls/${number}`, { state: 'closed' })).body).toMatchObject({
      state: 'closed',
      merged: false,
    })
    expect((await api('PATCH', `/pulls/${number}`, { state: 'open' })).body.state).toBe('open')
    expect((await api('GET', '/pulls/99')).status).toBe(404)
  })

  test('show their diff, files and commits; too large a diff is refused', async () => {
    const { api, pull } = await githubForTest({ answered })
    const { number, sha } = await pull('feature', {
      'a.txt': 'a\n',
      'README.md': 'one\n2\nthree\nfour\nfive\n',
    })
    const diff = await api('GET', `/pulls/${number}`, undefined, {
      headers: { accept: 'application/vnd.github.diff' },
    })
    expect(diff.body).toContain('+2')
    expect((await api('GET', `/pulls/${number}/files`)).body).toMatchObject([
      { filename: 'README.md', status: 'modified', additions: 1, deletions: 1 },
      { filename: 'a.txt', status: 'added' },
    ])
    expect((await api('GET', `/pulls/${number}/commits`)).body).toMatchObject([{ sha }])
    const large = await pull('large', { 'large.txt': 'line\n'.repeat(20_001) })
    const refused = await api('GET', `/pulls/${large.number}`, undefined, {
      headers: { accept: 'application/vnd.github.diff' },
    })
    expect(refused).toMatchObject({ status: 406, body: { errors: [{ code: 'too_large' }] } })
  })

  test('say nothing of their mergeability at first, and again after each push', async () => {
    const { api, pull, branch } = await githubForTest({ answered })
    const { number } = await pull('feature', { 'README.md': 'ours\n' })
    const look = async (): Promise<unknown[]> => {
      const { body } = await api('GET', `/pulls/${number}`)
      return [body.mergeable, body.mergeable_state]
    }
    expect(await look()).toEqual([true, 'clean'])
    await branch('main', { 'README.md': 'theirs\n' })
    expect(await look()).toEqual([null, 'unknown'])
    expect(await look()).toEqual([false, 'dirty'])
    await branch('feature', { 'other.txt': 'x\n' })
    expect(await look()).toEqual([null, 'unknown'])
    expect(await look()).toEqual([true, 'clean'])
  })

  test('whose head is in their base are merged; whose head or base is gone are closed', async () => {
    const { fake, api, pull, repository } = await githubForTest({ answered })
    const parent = await pull('parent', { 'a.txt': 'a\n' })
    const child = await pull('child', { 'b.txt': 'b\n' }, 'parent')
    const other = await pull('other', { 'c.txt': 'c\n' })
    await repository.git('checkout', '-q', 'parent')
    await repository.git('merge', '-q', '--no-ff', '-m', 'Merge', 'child')
    await repository.git('push', '-q', 'origin', 'parent')
    expect(fake.pull(child.number)).toMatchObject({
      state: 'closed',
      merged: true,
      mergedBy: 'robot',
    })

    const second = await pull('second', { 'd.txt': 'd\n' }, 'parent')
    expect((await api('DELETE', '/git/refs/heads/parent')).status).toBe(204)
    expect(fake.pull(second.number)).toMatchObject({
      state: 'closed',
      merged: false,
      autoClosedByBase: true,
    })
    expect(fake.pull(parent.number)).toMatchObject({ state: 'closed', merged: false })
    expect(
      (await api('PATCH', `/pulls/${second.number}`, { state: 'open' })).body.errors[0].message,
    ).toContain('state cannot be changed')
    expect((await api('PATCH', `/pulls/${second.number}`, { base: 'main' })).status).toBe(422)
    expect((await api('DELETE', '/git/refs/heads/parent')).body.message).toBe(
      'Reference does not exist',
    )
    await repository.git('push', '-q', 'origin', ':other')
    expect(fake.pull(other.number)).toMatchObject({ state: 'closed', merged: false })
  })

  test('of a fork don’t follow a branch of the same name', async () => {
    const { fake, api, branch } = await githubForTest({ answered })
    const sha = await branch('feature', { 'a.txt': 'a\n' })
    fake.addUser('mallory', 'none')
    const number = await fake
      .as('mallory')
      .open({ head: 'feature', base: 'main', title: 'Mine', headRepository: 'mallory/widgets' })
    await branch('feature', { 'b.txt': 'b\n' })
    const { body } = await api('GET', `/pulls/${number}`)
    expect(body).toMatchObject({
      author_association: 'NONE',
      head: { sha, label: 'mallory:feature', repo: { full_name: 'mallory/widgets', fork: true } },
    })
  })
})

describe('merging', () => {
  test.for(['merge', 'squash', 'rebase'] as const)(
    '%s makes what GitHub makes',
    async (merge_method) => {
      const { fake, api, pull, repository } = await githubForTest({ answered })
      const { number, sha } = await pull('feature', { 'a.txt': 'a\n' })
      expect((await api('GET', `/pulls/${number}/merge`)).status).toBe(404)
      const merged = await api('PUT', `/pulls/${number}/merge`, { sha, merge_method })
      expect(merged).toMatchObject({ status: 200, body: { merged: true } })
      expect(fake.pull(number)).toMatchObject({
        state: 'closed',
        merged: true,
        mergeCommitSha: merged.body.sha,
      })
      expect((await api('GET', `/pulls/${number}/merge`)).status).toBe(204)
      await repository.git('fetch', '-q')
      expect(await repository.git('rev-parse', 'origin/main')).toBe(merged.body.sha)
      const [parents, subject] = (
        await repository.git('log', '-1', '--format=%P%n%s', 'origin/main')
      ).split('\n')
      expect(parents?.split(' ')).toHaveLength(merge_method === 'merge' ? 2 : 1)
      const subjects = {
        merge: `Merge pull request #${number} from octo/feature`,
        squash: `Change of feature (#${number})`,
        rebase: 'Change a.txt',
      }
      expect(subject).toBe(subjects[merge_method])
      expect((await api('PUT', `/pulls/${number}/merge`)).body.message).toBe(
        'Pull Request is not mergeable',
      )
    },
  )

  test('is refused in GitHub’s words', async () => {
    const { fake, api, pull, repository } = await githubForTest({ answered })
    const { number, sha } = await pull('feature', { 'README.md': 'ours\n' })
    const merge = async (body: object = {}): Promise<[number, string]> => {
      const answer = await api('PUT', `/pulls/${number}/merge`, body)
      return [answer.status, answer.body.message]
    }
    expect(await merge({ sha: 'f'.repeat(40) })).toEqual([
      409,
      'Head branch was modified. Review and try the merge again.',
    ])
    fake.state.repository.allowSquash = false
    expect(await merge({ sha, merge_method: 'squash' })).toEqual([
      405,
      'Squash merges are not allowed on this repository.',
    ])
    fake.fail(/PUT .*\/merge$/, { kind: 'status', status: 405 })
    expect(await merge({ sha })).toEqual([
      405,
      'Base branch was modified. Review and try the merge again.',
    ])

    fake.state.repository.requiredChecks.set('main', ['build'])
    expect(await merge()).toEqual([405, 'Required status check "build" is expected.'])
    fake.setCheck(sha, { name: 'build', conclusion: 'failure' })
    expect(await merge()).toEqual([405, 'Required status check "build" is failing.'])
    expect((await api('GET', `/pulls/${number}`)).body.mergeable_state).toBe('blocked')
    fake.setCheck(sha, { name: 'build', conclusion: 'success' })
    fake.state.repository.requiredReviews.set('main', 1)
    expect(await merge()).toEqual([
      405,
      'At least 1 approving review is required by reviewers with write access.',
    ])
    fake.addUser('ann', 'write')
    await fake.as('ann').review(number, { state: 'APPROVED' })
    await fake.as('robot').edit(number, { draft: true })
    expect(await merge()).toEqual([405, 'Pull Request is still a draft'])
    await fake.as('robot').edit(number, { draft: false })
    // By somebody whom the protection lets pass.
    await repository.git('checkout', '-q', 'main')
    const theirs = await repository.commit({ 'README.md': 'theirs\n' })
    await repository.git('push', '-q', fake.bare, 'main')
    await fake.push('main', theirs)
    expect(await merge()).toEqual([405, 'Pull Request is not mergeable'])
    expect(fake.pull(number).state).toBe('open')
  })

  test('brings a head up to date with its base, and children along when GitHub deletes their base', async () => {
    const { fake, api, pull, branch } = await githubForTest({ answered })
    const parent = await pull('parent', { 'a.txt': 'a\n' })
    const child = await pull('child', { 'b.txt': 'b\n' }, 'parent')
    await branch('main', { 'c.txt': 'c\n' }, 'main')
    expect(
      (
        await api('PUT', `/pulls/${parent.number}/update-branch`, {
          expected_head_sha: 'f'.repeat(40),
        })
      ).status,
    ).toBe(422)
    expect(
      (await api('PUT', `/pulls/${parent.number}/update-branch`, { expected_head_sha: parent.sha }))
        .status,
    ).toBe(202)
    expect(fake.pull(parent.number).headSha).not.toBe(parent.sha)
    fake.state.repository.deleteBranchOnMerge = true
    expect((await api('PUT', `/pulls/${parent.number}/merge`)).status).toBe(200)
    expect(fake.pull(child.number)).toMatchObject({ state: 'open', baseRef: 'main' })
    expect((await api('GET', '/branches/parent')).status).toBe(404)
  })
})

describe('reviews', () => {
  test('are given on lines of the diff, by others than the author, and dismissed', async () => {
    const { fake, api, pull, branch } = await githubForTest({ answered })
    const { number, sha } = await pull('feature', { 'README.md': 'one\n2\nthree\nfour\nfive\n' })
    fake.addUser('ann', 'write')
    const token = fake.addToken({ login: 'ann' })
    expect(
      (await api('POST', `/pulls/${number}/reviews`, { event: 'APPROVE' })).body.errors,
    ).toEqual(['Review Can not approve your own pull request'])
    const line = (path: string, at: number): object => ({
      event: 'REQUEST_CHANGES',
      body: 'No',
      comments: [{ path, line: at, body: 'Here' }],
    })
    expect(
      (await api('POST', `/pulls/${number}/reviews`, line('README.md', 99), { token })).body.errors,
    ).toEqual(['Line could not be resolved'])
    expect(
      (await api('POST', `/pulls/${number}/reviews`, line('absent.md', 1), { token })).body.errors,
    ).toEqual(['Path could not be resolved'])
    const review = await api('POST', `/pulls/${number}/reviews`, line('README.md', 2), { token })
    expect(review.body).toMatchObject({
      state: 'CHANGES_REQUESTED',
      commit_id: sha,
      user: { login: 'ann' },
      author_association: 'COLLABORATOR',
    })
    const comments = await api('GET', `/pulls/${number}/comments`)
    expect(comments.body).toMatchObject([
      { path: 'README.md', line: 2, body: 'Here', pull_request_review_id: review.body.id },
    ])

    const reply = await api('POST', `/pulls/${number}/comments/${comments.body[0].id}/replies`, {
      body: 'Done',
    })
    expect(reply.body).toMatchObject({ in_reply_to_id: comments.body[0].id, line: 2 })
    const outside = await api('POST', `/pulls/${number}/comments`, {
      path: 'README.md',
      line: 99,
      body: 'There',
      commit_id: sha,
    })
    expect(outside.body.errors[0].field).toBe('pull_request_review_thread.line')
    expect(
      (
        await api('POST', `/pulls/${number}/comments`, {
          path: 'README.md',
          line: 3,
          body: 'There',
          commit_id: sha,
          side: 'RIGHT',
        })
      ).status,
    ).toBe(201)

    const range = (from: number, to: number) =>
      api(
        'POST',
        `/pulls/${number}/reviews`,
        {
          event: 'COMMENT',
          comments: [
            { path: 'README.md', start_line: from, start_side: 'RIGHT', line: to, body: 'x' },
          ],
        },
        { token },
      )
    expect((await range(3, 3)).body.errors).toEqual([
      'Pull request review thread start line must precede the end line.',
    ])
    const ranged = await range(3, 5)
    expect(
      (await api('GET', `/pulls/${number}/reviews/${ranged.body.id}/comments`)).body,
    ).toMatchObject([{ start_line: 3, original_start_line: 3, start_side: 'RIGHT', line: 5 }])

    await branch('feature', { 'README.md': 'zero\none\nzwei\nthree\nfour\nfive\n' })
    expect(
      (await api('GET', `/pulls/${number}/comments`)).body.map(
        (each: { line: number | null; start_line: number | null }) => [each.start_line, each.line],
      ),
    ).toEqual([
      [null, null],
      [null, null],
      [null, 4],
      [4, 6],
    ])
    const dismissed = await api('PUT', `/pulls/${number}/reviews/${review.body.id}/dismissals`, {
      message: 'Old',
    })
    expect(dismissed.body.state).toBe('DISMISSED')
    expect(
      (await api('GET', `/pulls/${number}/reviews`)).body.map(
        (each: { state: string }) => each.state,
      ),
    ).toEqual(['DISMISSED', 'COMMENTED', 'COMMENTED', 'COMMENTED'])
  })

  test('in the making are seen by nobody else until they are submitted', async () => {
    const { fake, api, pull } = await githubForTest({ answered })
    const { number } = await pull('feature', { 'a.txt': 'a\n' })
    fake.addUser('ann', 'write')
    const token = fake.addToken({ login: 'ann' })
    const { body } = await api(
      'POST',
      `/pulls/${number}/reviews`,
      { comments: [{ path: 'a.txt', line: 1, body: 'Hm' }] },
      { token },
    )
    expect(body.state).toBe('PENDING')
    expect((await api('GET', `/pulls/${number}/reviews`)).body).toEqual([])
    expect((await api('GET', `/pulls/${number}/comments`)).body).toEqual([])
    const submitted = await api(
      'POST',
      `/pulls/${number}/reviews/${body.id}/events`,
      { event: 'APPROVE', body: 'Good' },
      { token },
    )
    expect(submitted.body.state).toBe('APPROVED')
    expect((await api('GET', `/pulls/${number}/reviews/${body.id}/comments`)).body).toHaveLength(1)
  })

  test('are requested from collaborators, and from Copilot where it is enabled', async () => {
    const { fake, api, pull } = await githubForTest({ answered })
    const { number } = await pull('feature', { 'a.txt': 'a\n' })
    const ask = (login: string) =>
      api('POST', `/pulls/${number}/requested_reviewers`, { reviewers: [login] })
    const copilot = 'copilot-pull-request-reviewer[bot]'
    expect((await ask('robot')).body.message).toBe(
      'Review cannot be requested from pull request author.',
    )
    expect((await ask(copilot)).status).toBe(422)
    fake.addUser(copilot, 'read', 'Bot')
    expect((await ask(copilot)).body.requested_reviewers).toMatchObject([
      { login: 'Copilot', type: 'Bot' },
    ])
    await fake.as(copilot).review(number, { state: 'COMMENTED', body: 'Looks fine' })
    expect((await api('GET', `/pulls/${number}/requested_reviewers`)).body.users).toEqual([])
    expect((await api('GET', `/pulls/${number}/reviews`)).body).toMatchObject([
      { user: { login: copilot, type: 'Bot' } },
    ])
  })

  test('and conversations have comments', async () => {
    const { fake, api, pull } = await githubForTest({ answered })
    const { number } = await pull('feature', { 'a.txt': 'a\n' })
    fake.addUser('stranger', 'none')
    await fake.as('stranger').comment(number, 'Hello')
    expect((await api('POST', `/issues/${number}/comments`, { body: 'Thanks' })).status).toBe(201)
    const { body } = await api('GET', `/issues/${number}/comments`)
    expect(body).toMatchObject([{ body: 'Hello', author_association: 'NONE' }, { body: 'Thanks' }])
  })
})

test('most of what the fake answers was held to GitHub’s description above', () => {
  expect(checked.size).toBeGreaterThan(15)
})
