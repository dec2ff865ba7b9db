import { afterEach, describe, expect, test } from 'vitest'
import { createSchemaCheck } from '../../fixtures/github/schemas/validate.ts'
import { githubForTest } from '../../helpers/github/fake-github.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** Every answer in this file is held to GitHub’s own description of its API. */
const { answered, violations, checked } = createSchemaCheck()
afterEach(() => expect(violations.splice(0)).toEqual([]))

describe('checks', () => {
  test('are statuses and runs, of which the latest count', async () => {
    const { fake, api, pull } = await githubForTest({ answered })
    const { number, sha } = await pull('feature', { 'a.txt': 'a\n' })
    expect((await api('GET', `/commits/${sha}/status`)).body).toMatchObject({
      state: 'pending',
      total_count: 0,
    })
    await api('POST', `/statuses/${sha}`, {
      state: 'failure',
      context: 'lint',
      target_url: 'https://ci.example/1',
    })
    await api('POST', `/statuses/${sha}`, {
      state: 'success',
      context: 'lint',
      description: 'Fine',
    })
    expect((await api('GET', '/commits/feature/status')).body).toMatchObject({
      state: 'success',
      sha,
      statuses: [{ context: 'lint' }],
    })
    expect((await api('GET', `/commits/${sha}/statuses`)).body).toHaveLength(2)

    fake.setCheck(sha, { name: 'build', conclusion: null })
    fake.setCheck(sha, { name: 'build', conclusion: 'failure', log: 'it broke\n' })
    fake.setCheck(sha, { name: 'scan', conclusion: 'neutral', app: 'scanner' })
    const runs = await api('GET', `/commits/${sha}/check-runs`)
    expect(runs.body).toMatchObject({
      total_count: 2,
      check_runs: [
        { name: 'scan', app: { slug: 'scanner' } },
        { name: 'build', conclusion: 'failure' },
      ],
    })
    expect((await api('GET', `/check-runs/${runs.body.check_runs[1].id}`)).body.name).toBe('build')
    expect((await api('GET', `/commits/${sha}/check-suites`)).body.total_count).toBe(2)
    expect((await api('GET', `/pulls/${number}`)).body.mergeable_state).toBe('unstable')
  })

  test('of Actions have runs, jobs and logs, and are run again', async () => {
    const { fake, api, pull } = await githubForTest({ answered })
    const { sha } = await pull('feature', { 'a.txt': 'a\n' })
    const job = fake.setCheck(sha, { name: 'build', conclusion: 'failure', log: 'it broke\n' })
    fake.setCheck(sha, { name: 'lint', conclusion: 'success' })
    const runs = await api('GET', `/actions/runs?head_sha=${sha}`)
    expect(runs.body).toMatchObject({
      total_count: 1,
      workflow_runs: [{ status: 'completed', conclusion: 'failure', run_attempt: 1 }],
    })
    const run = `/actions/runs/${runs.body.workflow_runs[0].id}`
    expect((await api('GET', `${run}/jobs`)).body.jobs).toMatchObject([
      { name: 'build', id: job.id },
      { name: 'lint' },
    ])
    const log = await api('GET', `/actions/jobs/${job.id}/logs`)
    expect(log.status).toBe(302)
    expect(await (await fetch(log.headers.get('location') ?? '')).text()).toBe('it broke\n')
    expect((await api('POST', `${run}/rerun-failed-jobs`)).status).toBe(201)
    expect((await api('POST', `${run}/rerun-failed-jobs`)).status).toBe(403)
    expect((await api('GET', run)).body).toMatchObject({ status: 'in_progress', run_attempt: 2 })
    fake.setCheck(sha, { name: 'build', conclusion: 'success' })
    expect((await api('GET', run)).body).toMatchObject({ conclusion: 'success', run_attempt: 2 })
  })

  test('run a command in a clone of each head, where there is one', async () => {
    const argv = ['sh', '-c', 'cat a.txt && test "$WANTED" = "$(cat a.txt)"']
    const { fake, api, pull } = await githubForTest({
      answered,
      actions: { workflow: 'CI', job: 'test', argv, environment: { WANTED: 'good' } },
    })
    const bad = await pull('bad', { 'a.txt': 'bad' })
    const good = await pull('good', { 'a.txt': 'good' })
    await fake.settled()
    const conclusion = async (sha: string): Promise<unknown> =>
      (await api('GET', `/commits/${sha}/check-runs`)).body.check_runs[0].conclusion
    expect(await conclusion(good.sha)).toBe('success')
    expect(await conclusion(bad.sha)).toBe('failure')
    expect(fake.state.checkRuns[0]?.log).toBe('bad##[error]Process completed with exit code 1.\n')
    const { body } = await api('GET', `/actions/runs?branch=bad`)
    await api('POST', `/actions/runs/${body.workflow_runs[0].id}/rerun`)
    await waitFor(
      'the second attempt',
      async () =>
        (await api('GET', `/commits/${bad.sha}/check-runs?filter=all`)).body.total_count === 2,
    )
    await fake.settled()
  })
})

test('the repository, its people, branches, rules, files and hooks are returned', async () => {
  const { fake, api, branch } = await githubForTest({ answered })
  expect((await api('GET', '')).body).toMatchObject({
    full_name: 'octo/widgets',
    default_branch: 'main',
    permissions: { push: true },
    allow_squash_merge: true,
  })
  expect((await api('GET', '//user')).body.login).toBe('robot')
  expect((await api('GET', '//rate_limit')).body.resources.core.limit).toBe(5000)
  expect((await api('GET', '/collaborators/robot/permission')).body.permission).toBe('write')
  const sha = await branch('work/one', { '.github/workflows/ci.yml': 'on: push\n' })
  expect((await api('GET', '/branches')).body.map((each: { name: string }) => each.name)).toEqual([
    'main',
    'work/one',
  ])
  expect((await api('GET', '/branches/work/one')).body).toMatchObject({
    name: 'work/one',
    protected: false,
    commit: { sha },
  })
  expect((await api('GET', '/git/ref/heads/work/one')).body.object.sha).toBe(sha)
  expect((await api('GET', '/git/matching-refs/heads/work')).body).toHaveLength(1)
  expect((await api('POST', '/git/refs', { ref: 'refs/heads/two', sha })).status).toBe(201)
  expect((await api('POST', '/git/refs', { ref: 'refs/heads/two', sha })).body.message).toBe(
    'Reference already exists',
  )
  expect((await api('GET', '/rules/branches/main')).body).toEqual([])
  expect((await api('GET', '/contents/.github/workflows?ref=work/one')).body).toMatchObject([
    { name: 'ci.yml', type: 'file' },
  ])
  const file = await api('GET', '/contents/.github/workflows/ci.yml?ref=work/one')
  expect(Buffer.from(file.body.content, 'base64').toString()).toBe('on: push\n')
  expect((await api('GET', '/contents/absent')).status).toBe(404)

  const token = fake.addToken({ login: 'octo' })
  expect((await api('GET', '/branches/main/protection', undefined, { token })).body.message).toBe(
    'Branch not protected',
  )
  fake.state.repository.requiredChecks.set('main', ['build'])
  fake.state.repository.requiredReviews.set('main', 2)
  expect((await api('GET', '/branches/main/protection', undefined, { token })).body).toMatchObject({
    required_status_checks: { contexts: ['build'] },
    required_pull_request_reviews: { required_approving_review_count: 2 },
  })
  const hook = await api(
    'POST',
    '/hooks',
    { config: { url: 'http://127.0.0.1:1/', secret: 'x' }, events: ['push'] },
    { token },
  )
  expect(hook.status).toBe(201)
  expect((await api('GET', '/hooks', undefined, { token })).body).toHaveLength(1)
  expect((await api('DELETE', `/hooks/${hook.body.id}`, undefined, { token })).status).toBe(204)
  await fake.settled()
})

test('most of what the fake answers was held to GitHub’s description above', () => {
  expect(checked.size).toBeGreaterThan(15)
})
