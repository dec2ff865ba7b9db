import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { FakeGithubOptions } from '../../fixtures/github/fake.ts'
import { githubForTest, withToken } from '../../helpers/github/fake-github.ts'
import { tempHome, tempRepository } from '../../helpers/temp-repository.ts'

describe('git over HTTP', () => {
  test('clones, fetches and pushes, large packs too', async () => {
    const { fake, repository, branch } = await githubForTest()
    // More than git sends in one piece.
    const noise = Array.from(
      { length: 60_000 },
      (_, index) => `${(index * 2_654_435_761) % 4_294_967_296} ${index}`,
    ).join('\n')
    const sha = await branch('large', {
      'noise.txt': `${noise}${noise.split('').reverse().join('')}`,
    })
    const clone = join(repository.folder, 'clone')
    await repository.gitIn(
      repository.folder,
      'clone',
      '-q',
      '--branch',
      'large',
      withToken(fake.cloneUrl, fake.token),
      clone,
    )
    expect(await repository.gitIn(clone, 'rev-parse', 'HEAD')).toBe(sha)
    await branch('large', { 'more.txt': 'more\n' }, 'large')
    await repository.gitIn(clone, 'pull', '-q')
    expect(await repository.gitIn(clone, 'ls-files')).toContain('more.txt')
  })

  test('shows heads of pull requests, which nobody can push to', async () => {
    const { repository, pull } = await githubForTest()
    const { number, sha } = await pull('feature', { 'a.txt': 'a\n' })
    expect(await repository.git('ls-remote', 'origin', 'refs/pull/*')).toBe(
      `${sha}\trefs/pull/${number}/head`,
    )
    await expect(repository.git('push', 'origin', `main:refs/pull/${number}/head`)).rejects.toThrow(
      'hidden ref',
    )
  })

  test('asks for a token, and for one that may push', async () => {
    const { fake, repository } = await githubForTest()
    fake.addUser('reader', 'read')
    const reader = fake.addToken({ login: 'reader' })
    const narrow = fake.addToken({
      login: 'robot',
      kind: 'fine-grained',
      permissions: { contents: 'read' },
    })
    const push = (url: string): Promise<string> => repository.git('push', url, 'main:other')
    await expect(push(fake.cloneUrl)).rejects.toThrow('could not read Username')
    await expect(push(withToken(fake.cloneUrl, 'ghp_wrong'))).rejects.toThrow(
      'Authentication failed',
    )
    await expect(push(withToken(fake.cloneUrl, reader))).rejects.toThrow('403')
    await expect(push(withToken(fake.cloneUrl, narrow))).rejects.toThrow('403')
    expect(await repository.git('ls-remote', fake.cloneUrl, 'main')).toContain('refs/heads/main')
    fake.state.repository.private = true
    await expect(repository.git('ls-remote', fake.cloneUrl)).rejects.toThrow(
      'could not read Username',
    )
    expect(await repository.git('ls-remote', withToken(fake.cloneUrl, narrow), 'main')).toContain(
      'refs/heads/main',
    )
    await expect(
      repository.git(
        'ls-remote',
        withToken(fake.cloneUrl.replace('widgets', 'gadgets'), fake.token),
      ),
    ).rejects.toThrow('not found')
    expect(await repository.git('ls-remote', 'origin', 'other')).toBe('')
  })

  test('refuses pushes to a protected branch, but of whoever its protection lets pass', async () => {
    const { fake, repository, branch, pull } = await githubForTest()
    await branch('feature', { 'a.txt': 'a\n' })
    const { requiredReviews, requiredChecks, otherRules } = fake.state.repository
    const push = () => repository.git('push', '-q', 'origin', 'feature:main')
    requiredReviews.set('main', 1)
    await expect(push()).rejects.toThrow('GH006: Protected branch update failed')
    requiredReviews.clear()
    requiredChecks.set('main', ['ci'])
    await expect(push()).rejects.toThrow('Required status check "ci" is expected.')
    requiredChecks.clear()
    otherRules.set('main', { passed: true })
    const { number } = await pull('other', { 'b.txt': 'b\n' }, 'feature')
    await push()
    expect(fake.pull(number)).toMatchObject({ state: 'open' })
  })

  test('fails on demand', async () => {
    const { fake, repository } = await githubForTest()
    fake.fail(/^POST .*git-receive-pack$/, { kind: 'status', status: 502, after: true })
    const sha = await repository.commit({ 'a.txt': 'a\n' })
    await expect(repository.git('push', '-q', 'origin', 'main')).rejects.toThrow('502')
    expect(await repository.git('ls-remote', 'origin', 'main')).toContain(sha)
  })
})

describe('pull requests follow pushes', () => {
  test('forwards, by force, and away', async () => {
    const { fake, branch, pull, repository } = await githubForTest()
    const { number, sha } = await pull('feature', { 'a.txt': 'a\n' })
    const forwards = await branch('feature', { 'b.txt': 'b\n' }, 'feature')
    expect(fake.pull(number).headSha).toBe(forwards)
    await repository.git('push', '-q', '--force', 'origin', `${sha}:refs/heads/feature`)
    expect(fake.pull(number)).toMatchObject({ headSha: sha, state: 'open' })
    await repository.git('push', '-q', '--force', 'origin', 'main:feature')
    expect(fake.pull(number)).toMatchObject({ state: 'closed', merged: false })
  })

  test('into their base, as merged', async () => {
    const { fake, pull, repository, api } = await githubForTest()
    const { number, sha } = await pull('feature', { 'a.txt': 'a\n' })
    await repository.git('push', '-q', 'origin', 'feature:main')
    expect((await api('GET', `/pulls/${number}`)).body).toMatchObject({
      state: 'closed',
      merged: true,
      head: { sha },
    })
    expect(fake.pull(number).mergedBy).toBe('robot')
  })

  test('by somebody else beside the API', async () => {
    const { fake, pull, branch } = await githubForTest()
    const { number } = await pull('feature', { 'a.txt': 'a\n' })
    const other = await branch('other', { 'b.txt': 'b\n' })
    await fake.push('feature', other, { by: 'octo' })
    expect(fake.pull(number)).toMatchObject({ headSha: other, state: 'open' })
    await fake.deleteBranch('feature')
    expect(fake.pull(number).state).toBe('closed')
  })
})

test(
  'a process that is killed comes back with all it knew, and takes up what was under way',
  { timeout: 180_000 },
  async () => {
    const repository = await tempRepository()
    onTestFinished(() => repository.remove())
    const { folder, remove } = tempHome()
    onTestFinished(remove)
    // As long as the process that runs it.
    const argv = ['sh', '-c', 'while kill -0 $PPID 2>/dev/null; do sleep 0.1; done']
    const actions = { workflow: 'CI', job: 'test', argv, environment: {} }
    const first = await serve({ folder: join(folder, 'github'), persistent: true, actions })
    await repository.git('remote', 'add', 'origin', withToken(first.cloneUrl, first.token))
    await repository.git('push', '-q', 'origin', 'main')
    await repository.git('checkout', '-q', '-b', 'feature')
    const sha = await repository.commit({ 'a.txt': 'a\n' })
    await repository.git('push', '-q', 'origin', 'feature')
    const call = async (
      method: string,
      path: string,
      body?: unknown,
    ): Promise<{ status: number; body: Record<string, unknown> }> => {
      const headers = { authorization: `token ${first.token}` }
      const answer = await fetch(`${first.apiUrl}/repos/octo/widgets${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    }
    const { number } = (
      await call('POST', '/pulls', { title: 'Add a', head: 'feature', base: 'main' })
    ).body
    await call('POST', `/issues/${String(number)}/comments`, { body: 'Hello' })
    await first.kill()

    const second = await serve({
      folder: join(folder, 'github'),
      persistent: true,
      port: Number(new URL(first.url).port),
      actions: { ...actions, argv: ['true'] },
    })
    expect(second).toMatchObject({ url: first.url, token: first.token })
    expect((await call('GET', `/pulls/${String(number)}`)).body).toMatchObject({
      state: 'open',
      comments: 1,
      head: { sha },
    })
    await expect
      .poll(async () => (await call('GET', `/commits/${sha}/check-runs`)).body, {
        timeout: 120_000,
      })
      .toMatchObject({
        total_count: 1,
        check_runs: [{ status: 'completed', conclusion: 'success' }],
      })
    expect((await call('PUT', `/pulls/${String(number)}/merge`, { sha })).status).toBe(200)
    await second.kill()

    const third = await serve({
      folder: join(folder, 'github'),
      persistent: true,
      port: Number(new URL(first.url).port),
    })
    expect((await call('GET', `/pulls/${String(number)}`)).body).toMatchObject({
      state: 'closed',
      merged: true,
    })
    expect(await repository.git('ls-remote', 'origin', 'feature')).toContain(sha)
    expect(await third.end()).toBe(0)
  },
)

interface Served {
  readonly url: string
  readonly apiUrl: string
  readonly cloneUrl: string
  readonly token: string
  /** As power failures do. */
  kill(): Promise<void>
  /** Asks it to end; returns its exit code. */
  end(): Promise<number | null>
}

/** Runs serve.ts until it answers. */
async function serve(options: FakeGithubOptions): Promise<Served> {
  const file = join(import.meta.dirname, '..', '..', 'fixtures', 'github', 'serve.ts')
  const child = spawn(process.execPath, [file, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const early = exited.then(([code]) =>
    Promise.reject(new Error(`it ended with ${String(code)} before it served`)),
  )
  const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), early])) as [
    string,
  ]
  return {
    ...(JSON.parse(line) as Pick<Served, 'apiUrl' | 'cloneUrl' | 'token' | 'url'>),
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    async end() {
      child.kill('SIGTERM')
      const [code] = (await exited) as [number | null]
      return code
    },
  }
}
