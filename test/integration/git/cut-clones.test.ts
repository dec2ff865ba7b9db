import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'

/**
 * Clones that are not whole: what can work does, and what could never be filed is refused before an
 * agent is started.
 */

const COMMITS = 3

/** A repository that is cloned with these options, without a way back to the whole one. */
async function cloned(...options: string[]): Promise<Exomonad> {
  const tree = await startExomonad({ init: false, files: { 'a.txt': '0\n' } })
  onTestFinished(() => tree.stop())
  const { repository } = tree
  for (let number = 1; number <= COMMITS; number++)
    await repository.commit({ 'a.txt': `${number}\n` })
  const whole = join(repository.folder, 'whole')
  await repository.gitIn(repository.folder, 'clone', '-q', repository.path, whole)
  const config = readFileSync(join(repository.path, '.exomonad', 'config.toml'))
  await repository.gitIn(whole, 'config', 'uploadpack.allowFilter', 'true')
  rmSync(join(repository.path), { recursive: true })
  const args = ['clone', '-q', ...options, `file://${whole}`, repository.path]
  await repository.gitIn(repository.folder, ...args)
  mkdirSync(join(repository.path, '.exomonad'))
  writeFileSync(join(repository.path, '.exomonad', 'config.toml'), config)
  return tree
}

/** One whose history is cut off: as `git clone --depth 1` leaves it. */
async function shallow(): Promise<Exomonad> {
  const tree = await cloned('--depth', '1')
  await tree.repository.git('remote', 'remove', 'origin')
  expect(await tree.repository.git('rev-list', '--count', 'main')).toBe('1')
  return tree
}

const doctor = async (tree: Exomonad, subject: string): Promise<any> =>
  (await tree.command(['doctor', '--json'])).json.findings?.find(
    (finding: any) => finding.subject === subject,
  )

/** What an agent does comes in: it is spawned, files, and is merged. */
async function works(tree: Exomonad): Promise<void> {
  tree.script('work', {
    steps: [
      { do: 'write', path: 'b.txt', content: 'b\n' },
      { do: 'commit', message: 'Add b' },
      { do: 'tool', name: 'file_pr', input: { title: 'Add b', body: 'As asked.' } },
    ],
  })
  const { spawned, errors } = await tree.call('spawn_workers', {
    specs: [{ name: 'work', prompt: 'x' }],
  })
  expect(errors).toEqual([])
  expect(spawned[0].warnings).toEqual([])
  const filed = await tree.logged(
    'work',
    'its pull request',
    (entry) => entry['name'] === 'file_pr',
  )
  const merged = await tree.call('merge_pr', { pr_number: filed['answer'].pr_number, wait: true })
  expect(merged).toMatchObject({ merged: true, local_synced: true })
  expect(existsSync(join(tree.repository.path, 'b.txt'))).toBe(true)
}

describe('a clone that is not whole', () => {
  it.each([
    ['shallow', shallow],
    ['partial', () => cloned('--filter=blob:none')],
    ['of a single branch', () => cloned('--single-branch', '--branch', 'main')],
  ])('that is %s works: spawning, filing, merging', async (_, clone) => {
    const tree = await clone()
    expect((await tree.command(['init'])).code).toBe(0)
    expect(await doctor(tree, 'push')).toMatchObject({ status: 'ok' })
    await works(tree)
    const objects = join(tree.state, 'origin.git', 'objects')
    expect(readdirSync(join(objects, 'pack'))).toEqual([])
    expect((await tree.command(['down'])).code).toBe(0)
    expect((await tree.command(['deinit', '--force'])).code).toBe(0)
    expect(await tree.repository.git('for-each-ref', 'refs/exomonad')).toBe('')
  })

  it('has a forge of an earlier version borrow its objects when it is asked to', async () => {
    const noise = randomBytes(22_000_000).toString('latin1')
    const tree = await startExomonad({ init: false, files: { 'noise.bin': noise } })
    onTestFinished(() => tree.stop())
    const { repository } = tree
    const origin = join(tree.state, 'origin.git')
    mkdirSync(tree.state, { recursive: true })
    await repository.git('init', '-q', '--bare', origin)
    await repository.gitIn(origin, 'config', 'receive.unpackLimit', '1')
    await repository.git('push', '-q', origin, 'main')
    expect((await tree.command(['init'])).code).toBe(0)
    expect(await doctor(tree, 'objects')).toMatchObject({
      status: 'note',
      found: expect.stringMatching(/copy of the history, \d+ MB$/),
    })
    await tree.command(['doctor', '--fix'])
    expect(await doctor(tree, 'objects')).toBeUndefined()
    expect(readdirSync(join(origin, 'objects', 'pack'))).toEqual([])
    await repository.gitIn(origin, 'fsck', '--full', '--strict')
  })

  it('that lacks objects of its history works: nobody needs them', async () => {
    const tree = await startExomonad({ init: false, files: { 'a.txt': '0\n', 'b.txt': 'lost\n' } })
    onTestFinished(() => tree.stop())
    const blob = await tree.repository.git('rev-parse', 'HEAD:b.txt')
    await tree.repository.commit({ 'b.txt': 'kept\n' })
    rmSync(join(tree.repository.path, '.git', 'objects', blob.slice(0, 2), blob.slice(2)))
    expect((await tree.command(['init'])).code).toBe(0)
    await works(tree)
    expect(await doctor(tree, 'push')).toMatchObject({ status: 'ok' })
  })

  const refused = async (tree: Exomonad, cause: RegExp) => {
    const branches = await tree.repository.git('branch', '--format=%(refname:short)')
    expect(
      await tree.refusal('spawn_workers', { specs: [{ name: 'late', prompt: 'x' }] }),
    ).toMatchObject({
      code: 'SPAWN_FAILED',
      error: expect.stringMatching(
        new RegExp(
          `^Nothing was spawned: main can’t be pushed to \\w+, .* git says: ${cause.source}`,
        ),
      ),
    })
    expect(await tree.repository.git('branch', '--format=%(refname:short)')).toBe(branches)
    expect(await doctor(tree, 'push')).toMatchObject({ status: 'problem' })
  }

  it('that was cut off anew, and shares no commit with what the forge has: no agent is started', async () => {
    const tree = await shallow()
    const { repository } = tree
    const whole = join(repository.folder, 'whole')
    expect((await tree.command(['init'])).code).toBe(0)
    expect(
      (await tree.call('spawn_workers', { specs: [{ name: 'early', prompt: 'x' }] })).errors,
    ).toEqual([])
    for (const number of [1, 2])
      await repository.gitIn(whole, 'commit', '-q', '--allow-empty', '-m', `Elsewhere ${number}`)
    await repository.git('fetch', '-q', '--depth', '1', `file://${whole}`, 'main')
    await repository.git('reset', '-q', '--hard', 'FETCH_HEAD')
    await refused(tree, /\[rejected\] \(non-fast-forward\)/)
    expect((await doctor(tree, 'push')).fix).toContain('git fetch --unshallow')
  })

  it('is not one where a person amended what the forge has already: that can be filed', async () => {
    const tree = await startExomonad({ files: { 'a.txt': '0\n' } })
    onTestFinished(() => tree.stop())
    await tree.repository.commit({ 'b.txt': 'one\n' })
    expect(
      (await tree.call('spawn_workers', { specs: [{ name: 'early', prompt: 'x' }] })).errors,
    ).toEqual([])
    await tree.repository.git('commit', '-q', '--amend', '-m', 'In better words')
    expect(
      (await tree.call('spawn_workers', { specs: [{ name: 'late', prompt: 'x' }] })).errors,
    ).toEqual([])
    expect(await doctor(tree, 'push')).toMatchObject({ status: 'ok' })
  })
})
