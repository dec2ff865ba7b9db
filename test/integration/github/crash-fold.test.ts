import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crashAt, openJournal } from '../../helpers/crash-at.ts'
import { startGithubTree, type GithubTree } from '../../helpers/github/github-tree.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/** A daemon that is killed in the middle of a landing by a push to GitHub. */

const LIMIT = 90_000

describe('kill -9 in the middle of a landing on GitHub', { timeout: 240_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 't-fold-'))
  const runs = join(folder, 'runs')
  let world: GithubTree
  beforeAll(async () => {
    writeFileSync(runs, '')
    world = await startGithubTree({
      files: { 'README.md': 'x\n' },
      githubConfig: 'copilot_review = false',
      config: `[fold]\nenabled = true\nland = "auto"\ncheck = ["sh", "-c", "git rev-parse HEAD^{tree} >> ${runs}"]\n`,
    })
  })
  afterAll(async () => {
    await world?.stop()
    rmSync(folder, { recursive: true })
  })

  const inGithub = (...args: string[]) =>
    world.tree.repository.git('--git-dir', world.github.bare, ...args)
  const filed = async (name: string): Promise<number> => {
    world.tree.script(name, {
      steps: [
        { do: 'write', path: `${name}.txt`, content: `${name}\n` },
        { do: 'commit', message: `Add ${name}` },
        { do: 'tool', name: 'file_pr', input: { title: `Add ${name}`, body: 'As asked.' } },
      ],
    })
    await world.tree.call('spawn_workers', { specs: [{ name, prompt: 'x' }] })
    const found = async () => (await world.tree.agent(name))?.pr?.number
    return (await waitFor(`the pull request of ${name}`, found, { limit: LIMIT })) as number
  }
  const mergedOf = async (number: number): Promise<any[]> =>
    (await world.tree.events()).filter(
      ({ type, payload }: any) => type === 'pr.merged' && payload.number === number,
    )
  /** Asked for while the daemon kills itself at that step. */
  const cut = async (number: number, step: string): Promise<void> => {
    const { dead } = await crashAt(world.tree, 'merge', step)
    const input = JSON.stringify({ pr_number: number })
    const call = world.tree.command(['call', 'merge_pr', '-'], { input })
    await dead
    await call
  }
  /** The commit that was about to be pushed. */
  const prepared = (): string => {
    const database = new Database(join(world.tree.state, 'store.db'), { readonly: true })
    try {
      const open = database.prepare("select data from journal where state = 'open'").all()
      return JSON.parse((open as { data: string }[])[0]!.data).prepared
    } finally {
      database.close()
    }
  }
  const settled = async (number: number): Promise<void> => {
    await world.tree.command(['daemon', 'start'])
    await waitFor('the merge', async () => (await mergedOf(number)).length > 0, { limit: LIMIT })
    await waitFor('the journal to be closed', () => openJournal(world.tree) === 0, { limit: LIMIT })
  }
  /** It came to the base once, as files that were checked, and was reported once, as ours. */
  const expectLanded = async (number: number, name: string): Promise<void> => {
    const subjects = (await inGithub('log', '--format=%s', 'main')).split('\n')
    expect(subjects.filter((one) => one === `Add ${name}`)).toHaveLength(1)
    expect(subjects.filter((one) => one.startsWith(`Merge pull request #${number} `))).toHaveLength(
      1,
    )
    const merge = await inGithub('log', '-1', '--format=%H', `--grep=#${number} from`, 'main')
    const trees = readFileSync(runs, 'utf8').split('\n')
    expect(trees).toContain(await inGithub('rev-parse', `${merge}^{tree}`))
    expect(await mergedOf(number)).toMatchObject([{ payload: { external: false, sha: merge } }])
    expect(await world.tree.repository.git('rev-list', 'main')).toContain(merge)
  }
  /** Somebody else’s commit, past exomonad. */
  const push = async (name: string): Promise<string> => {
    const { gitIn } = world.tree.repository
    const clone = join(folder, name)
    await gitIn(folder, 'clone', '-q', '-b', 'main', world.github.bare, clone)
    writeFileSync(join(clone, `${name}.txt`), name)
    await gitIn(clone, 'add', '-A')
    await gitIn(clone, 'commit', '-q', '-m', `By hand ${name}`)
    await gitIn(clone, 'push', '-q', 'origin', 'HEAD:main')
    const sha = await gitIn(clone, 'rev-parse', 'HEAD')
    await world.github.push('main', sha)
    return sha
  }

  it(
    verifies('R004-10', 'before the push: it is made anew, on what somebody pushed meanwhile'),
    async () => {
      const number = await filed('before')
      await cut(number, 'merge')
      const before = prepared()
      const theirs = await push('person')
      await settled(number)
      expect(await inGithub('rev-parse', 'main^1')).toBe(theirs)
      expect(await inGithub('rev-list', 'main')).not.toContain(before)
      await expectLanded(number, 'before')
      expect(world.github.pull(number)).toMatchObject({ merged: true })
    },
  )

  it(
    verifies('R004-10', 'after the push, which GitHub has not seen either: nothing lands twice'),
    async () => {
      const number = await filed('after')
      await cut(number, 'merge')
      const sha = prepared()
      world.github.state.repository.marksLate = true
      await world.tree.repository.git('push', '-q', world.github.bare, `${sha}:refs/heads/main`)
      await world.github.push('main', sha)
      expect(world.github.pull(number)).toMatchObject({ state: 'open' })
      await settled(number)
      expect(await world.tip('main')).toBe(sha)
      await expectLanded(number, 'after')
      expect(world.github.pull(number)).toMatchObject({ state: 'open' })
      world.github.state.repository.marksLate = false
      await push('later')
      expect(world.github.pull(number)).toMatchObject({ merged: true })
    },
  )

  it(verifies('R004-10', 'before it is recorded: it is, once'), async () => {
    const number = await filed('record')
    await cut(number, 'record')
    const tip = await world.tip('main')
    await settled(number)
    expect(await world.tip('main')).toBe(tip)
    await expectLanded(number, 'record')
  })

  it('what is approved lands by itself, after a kill -9 in the middle too', async () => {
    const number = await filed('auto')
    const { headSha } = world.github.pull(number)
    world.github.setStatus(headSha, { context: 'ci', state: 'success' })
    const { dead } = await crashAt(world.tree, 'merge', 'merge')
    // Not by a command, which would ask again after the next start. It may be answered before that.
    await world.tree
      .client()
      .callTool('pr_review', { pr_number: number, verdict: 'approve' })
      .catch(() => undefined)
    await dead
    await settled(number)
    await expectLanded(number, 'auto')
    expect(
      world.github.calls.filter(({ method, path }) => method === 'PUT' && path.endsWith('/merge')),
    ).toEqual([])
  })
})
