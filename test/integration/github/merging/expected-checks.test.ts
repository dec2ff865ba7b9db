import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Forge, PullRequestSnapshot } from '../../../../src/adapters/forge/forge.ts'
import { mergeBlockers } from '../../../../src/core/pulls/merge/rules.ts'
import { openGithubForge } from '../../../helpers/github/github-forge.ts'
import { startGithubTree } from '../../../helpers/github/github-tree.ts'
import { waitFor } from '../../../helpers/wait-for.ts'

const SECOND = 1_000
const WORKFLOW = '.github/workflows/ci.yml'

/** A fake GitHub with a pull request into main, and a clock that goes on when asked to. */
async function start({ within = 180 }: { within?: number } = {}) {
  let passed = 0
  const opened = await openGithubForge({
    clock: () => Date.UTC(2026, 0, 5, 12) + passed,
    settings: { checksExpectedWithin: within },
  })
  onTestFinished(() => opened.close())
  const { github, repository, forge, reopen } = opened
  /** A commit on a branch, pushed. */
  const branch = async (name: string, files: Readonly<Record<string, string>>): Promise<string> => {
    await repository.git('checkout', '-q', '-B', name, 'main')
    for (const path of Object.keys(files))
      mkdirSync(join(repository.path, path, '..'), { recursive: true })
    const sha = await repository.commit({
      ...files,
      [`${name}.txt`]: `${name} ${String(Object.keys(files))}`,
    })
    await repository.git('push', '-q', '--force', 'origin', name)
    await repository.git('checkout', '-q', 'main')
    return sha
  }
  const open = async (
    name: string,
    files: Readonly<Record<string, string>> = {},
  ): Promise<{ number: number; head: string }> => {
    const head = await branch(name, files)
    return {
      number: await github.as('robot').open({ head: name, base: 'main', title: `Work on ${name}` }),
      head,
    }
  }
  const look = async (number: number, on: Forge = forge): Promise<PullRequestSnapshot> => {
    const [result] = await on.snapshots([number])
    if (result === undefined || !('snapshot' in result))
      throw new Error(`no snapshot: ${JSON.stringify(result)}`)
    return result.snapshot
  }
  /** One that was merged with a check of its own before this daemon was there. */
  const merged = async (name: string, check: boolean): Promise<void> => {
    const { number, head } = await open(name)
    if (check) github.setStatus(head, { context: 'ci/late', state: 'success' })
    await github.as('robot').merge(number)
  }
  return {
    github,
    open,
    branch,
    look,
    merged,
    reopen,
    pass: (seconds: number) => void (passed += seconds * SECOND),
  }
}

const RUNS = 'on:\n  pull_request:\n    branches: [main]\njobs: {}\n'
const refusal = (pull: PullRequestSnapshot): string =>
  mergeBlockers(pull, false)
    .map(({ code, reason }) => `${code} ${reason}`)
    .join()

describe('checks that begin late (20.5)', () => {
  it('are waited for where the last pull requests into the base had some: until then nothing is ready, and a merge is refused in words', async () => {
    const { github, open, look, merged, pass } = await start()
    await merged('main.old', true)
    const { number, head } = await open('main.a')
    expect(await look(number)).toMatchObject({
      checksState: 'pending',
      checksRequired: false,
      checks: [{ status: 'queued', required: false }],
    })
    pass(120)
    const pull = await look(number)
    expect(pull.checksState).toBe('pending')
    expect(refusal(pull)).toBe(
      'CHECKS_FAILED checks: none has begun on this head yet, and the last pull requests into main had some. They are waited for until 12:03:00 UTC (forge.github.checks_expected_within): wait, or merge with force',
    )
    expect(mergeBlockers(pull, true)).toEqual([])
    github.setStatus(head, { context: 'ci/late', state: 'pending' })
    expect(await look(number)).toMatchObject({
      checksState: 'pending',
      checks: [{ name: 'ci/late' }],
    })
    github.setStatus(head, { context: 'ci/late', state: 'success' })
    expect(refusal(await look(number))).toBe('')
  })

  it('are none after that, and a push is waited for anew', async () => {
    const { open, branch, look, merged, pass } = await start({ within: 40 })
    await merged('main.old', true)
    const { number } = await open('main.a')
    await look(number)
    pass(39)
    expect((await look(number)).checksState).toBe('pending')
    pass(1)
    expect(await look(number)).toMatchObject({ checksState: 'none', checks: [] })
    expect(refusal(await look(number))).toBe('')
    await branch('main.a', { 'more.txt': 'more' })
    expect((await look(number)).checksState).toBe('pending')
  })

  it('are waited for where a workflow of the head runs for such a pull request', async () => {
    const { open, look, merged } = await start()
    await merged('main.old', false)
    const state = async (name: string, text: string) => {
      const { number } = await open(name, {
        [WORKFLOW]: text,
        '.github/workflows/notes.txt': 'on: push',
      })
      return refusal(await look(number)).includes(`${WORKFLOW} runs for pull requests into main`)
    }
    expect(await state('main.a', RUNS)).toBe(true)
    expect(await state('main.b', 'on: push\n')).toBe(true)
    expect(await state('main.c', RUNS.replace('[main]', '[release]'))).toBe(false)
    expect(await state('main.d', 'on:\n  push:\n    branches: [main]\n')).toBe(false)
    expect(await state('main.e', 'on:\n  pull_request:\n    types: [closed]\n')).toBe(false)
    expect(await state('main.f', 'on: {')).toBe(false)
  })

  it('are not waited for where there were none of late, nor where that is turned off', async () => {
    const { open, look, merged, pass } = await start()
    await merged('main.old', false)
    const { number } = await open('main.a')
    expect((await look(number)).checksState).toBe('unknown')
    pass(20)
    expect((await look(number)).checksState).toBe('none')
    const off = await start({ within: 0 })
    await off.merged('main.old', true)
    const other = await off.open('main.a', { [WORKFLOW]: RUNS })
    await off.look(other.number)
    off.pass(20)
    expect((await off.look(other.number)).checksState).toBe('none')
  })

  it('GitHub is asked once for what a base had, also across restarts; what is seen later counts, and the wait goes on where it was', async () => {
    const { github, open, look, merged, pass, reopen } = await start()
    const recent = (): number => github.calls.filter(({ path }) => path.includes('graphql')).length
    await merged('main.old', true)
    const { number } = await open('main.a')
    await look(number)
    pass(100)
    const before = recent()
    const again = reopen()
    expect((await look(number, again)).checksState).toBe('pending')
    // The daemon's own account, and the pull request.
    expect(recent() - before).toBeLessThanOrEqual(2)
    pass(81)
    expect((await look(number, again)).checksState).toBe('none')
    for (const name of ['main.b', 'main.c', 'main.d', 'main.e', 'main.f']) {
      const one = await open(name)
      await look(one.number, again)
      pass(181)
      await look(one.number, again)
    }
    const late = await open('main.g')
    expect((await look(late.number, again)).checksState).toBe('unknown')
    github.setStatus(late.head, { context: 'ci/late', state: 'success' })
    await look(late.number, again)
    const next = await open('main.h')
    expect((await look(next.number, again)).checksState).toBe('pending')
  })

  it('are not waited for because of what can’t be read: then GitHub is asked again at the next look', async () => {
    const { github, open, look, merged } = await start()
    await merged('main.old', true)
    const { number } = await open('main.a')
    github.fail(/RecentPullRequests/, { kind: 'status', status: 502 }, 20)
    expect((await look(number)).checksState).toBe('unknown')
    github.heal()
    expect((await look(number)).checksState).toBe('pending')
  })
})

describe('a tree whose base had checks (20.5)', () => {
  it('says [PR READY] only once a filed head was not checked in time, with that it was not; until then merge_pr is refused, and its words say until when', async () => {
    const world = await startGithubTree({
      files: { 'README.md': '# Widgets\n' },
      githubConfig: 'copilot_review = false\nchecks_expected_within = 600',
    })
    onTestFinished(() => world.stop())
    const { tree, github } = world
    const filed = async (name: string): Promise<number> => {
      const work = [
        { do: 'write', path: `${name}.txt`, content: 'x\n' },
        { do: 'commit', message: `Add ${name}` },
      ]
      tree.script(name, {
        steps: [...work, { do: 'tool', name: 'file_pr', input: { title: 'Work', body: 'Done' } }],
      })
      await tree.call('spawn_workers', { specs: [{ name, prompt: 'x' }] })
      return (await tree.logged(name, 'the filing', (entry) => entry['name'] === 'file_pr'))[
        'answer'
      ].pr_number
    }
    const checked = await filed('checked')
    github.setStatus(github.pull(checked).headSha, { context: 'ci', state: 'success' })
    await tree.call('merge_pr', { pr_number: checked })
    const number = await filed('late')
    const refusal = await tree.refusal('merge_pr', { pr_number: number })
    expect(refusal).toMatchObject({
      code: 'CHECKS_FAILED',
      error: expect.stringMatching(
        /the last pull requests into main had some\. They are waited for until .* UTC/,
      ),
    })
    const about = async () =>
      (await tree.events())
        .filter(({ payload }) => payload.number === number)
        .map(({ type, payload }) => ({ type, unchecked: payload.unchecked }))
    expect((await about()).map(({ type }) => type)).not.toContain('pr.ready')
    // Not before: on a busy machine all of that takes longer than a test can wait.
    const config = join(tree.repository.path, '.exomonad', 'config.toml')
    const text = readFileSync(config, 'utf8')
    writeFileSync(
      config,
      text.replace('checks_expected_within = 600', 'checks_expected_within = 5'),
    )
    await waitFor(
      'it to be ready all the same',
      async () => (await about()).some(({ type }) => type === 'pr.ready'),
      { limit: 60_000 },
    )
    expect((await about()).find(({ type }) => type === 'pr.ready')).toEqual({
      type: 'pr.ready',
      unchecked: true,
    })
    expect((await tree.command(['inbox', '--json'])).stdout).toContain('Nothing has checked it.')
    expect(await tree.call('merge_pr', { pr_number: number })).toMatchObject({ merged: true })
  })
})
