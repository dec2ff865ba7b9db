import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { describeWith } from '../../helpers/terminals/require-tool.ts'

/** Submodules and large files of a new worktree, from what this machine has already. */

const NOWHERE = 'https://nowhere.invalid'
const FILE = ['-c', 'protocol.file.allow=always']

/** A repository with `lib` and `other words` as submodules, and `deep` within lib. */
async function start(): Promise<Exomonad> {
  const tree = await startExomonad()
  onTestFinished(() => tree.stop())
  const { repository } = tree
  const make = async (name: string): Promise<string> => {
    const place = join(repository.folder, name)
    await repository.git('init', '-q', '-b', 'main', place)
    writeFileSync(join(place, `${name}.txt`), name)
    await repository.gitIn(place, 'add', '.')
    await repository.gitIn(place, 'commit', '-qm', name)
    return place
  }
  const [deep, lib, other] = [await make('deep'), await make('lib'), await make('other')]
  await repository.gitIn(lib, ...FILE, 'submodule', '--quiet', 'add', deep, 'deep')
  await repository.gitIn(lib, 'commit', '-qm', 'Deep')
  await repository.git(...FILE, 'submodule', '--quiet', 'add', lib, 'lib')
  await repository.git(...FILE, 'submodule', '--quiet', 'add', other, 'other words')
  await repository.git(...FILE, 'submodule', '--quiet', 'update', '--init', '--recursive')
  // From here on nobody answers where they came from.
  for (const [name, path] of [
    ['lib', 'lib'],
    ['other words', 'other'],
  ] as const) {
    await repository.git(
      'config',
      '-f',
      '.gitmodules',
      `submodule.${name}.url`,
      `${NOWHERE}/${path}`,
    )
    await repository.git('config', `submodule.${name}.url`, `${NOWHERE}/${path}`)
    const inside = join(repository.path, name)
    await repository.gitIn(inside, 'remote', 'set-url', 'origin', `${NOWHERE}/${path}`)
  }
  await repository.git('add', '-A')
  await repository.git('commit', '-qm', 'Submodules')
  for (const place of [deep, lib, other]) rmSync(place, { recursive: true })
  return tree
}
async function spawn(tree: Exomonad, name: string) {
  const { spawned, errors } = await tree.call('spawn_workers', { specs: [{ name, prompt: 'x' }] })
  expect(errors).toEqual([])
  const { worktree, warnings } = spawned[0]
  return { worktree, warnings, path: (...parts: string[]) => join(worktree, ...parts) }
}

it('submodules are filled from those of the main worktree, nested ones too, and go where nothing is lost', async () => {
  const tree = await start()
  const { repository } = tree
  const one = await spawn(tree, 'one')
  expect(one.warnings).toEqual([])
  expect(readFileSync(one.path('lib', 'lib.txt'), 'utf8')).toBe('lib')
  expect(readFileSync(one.path('lib', 'deep', 'deep.txt'), 'utf8')).toBe('deep')
  expect(readFileSync(one.path('other words', 'other.txt'), 'utf8')).toBe('other')
  expect(await repository.gitIn(one.worktree, 'status', '--porcelain')).toBe('')
  expect(await repository.gitIn(one.path('lib'), 'remote', 'get-url', 'origin')).toBe(
    `${NOWHERE}/lib`,
  )
  expect(await repository.gitIn(one.path('lib'), 'branch', '-r')).toContain('origin/main')
  // Its own, and not the main worktree's: what is checked out here changes nothing there.
  await repository.gitIn(one.path('lib'), 'checkout', '-q', '-b', 'mine')
  expect(await repository.gitIn(join(repository.path, 'lib'), 'branch', '--list', 'mine')).toBe('')

  const two = await spawn(tree, 'two')
  await repository.gitIn(two.path('lib'), 'commit', '-q', '--allow-empty', '-m', 'Only here')
  await repository.gitIn(two.path('lib'), 'branch', 'kept')
  await repository.gitIn(two.path('lib'), 'checkout', '-q', 'HEAD~')
  for (const agent of ['one', 'two']) await tree.call('kill', { agent })
  const { removed, kept } = await tree.call('clean', {})
  expect(removed).toMatchObject([{ agent: 'one' }])
  expect(kept).toMatchObject([
    { agent: 'two', reason: expect.stringMatching(/submodule lib .*on no remote.*push/) },
  ])
  expect([existsSync(one.worktree), existsSync(two.path('lib', 'lib.txt'))]).toEqual([false, true])
})

it('one that isn’t there is named, with the reason', async () => {
  const tree = await start()
  const { repository } = tree
  await repository.git('submodule', '--quiet', 'deinit', '-f', 'other words')
  rmSync(join(repository.path, '.git', 'modules', 'other words'), { recursive: true })
  // A commit that somebody else made, and that nobody fetched here.
  const sha = '1234567890'.repeat(4)
  await repository.git('update-index', '--cacheinfo', `160000,${sha},lib`)
  await repository.git('commit', '-qm', 'Ahead')
  const { spawned } = await tree.call('spawn', {
    kind: 'worker',
    specs: [{ name: 'one', prompt: 'x' }],
    allow_dirty: true,
  })
  const said = spawned[0].warnings.find((warning: string) => warning.includes('submodule'))
  expect(said).toMatch(/^The submodules lib, other words are empty in its worktree/)
  expect(said).toContain('lib: the main worktree’s has no commit 1234567890')
  expect(said).toContain('other words: it is not checked out in the main worktree')
})

it('pointers of Git LFS that could not be filled are named', async () => {
  const tree = await startExomonad({
    files: {
      '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
      'art/large.bin': `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12\n`,
    },
  })
  onTestFinished(() => tree.stop())
  const one = await spawn(tree, 'one')
  expect(one.warnings).toEqual([
    expect.stringMatching(
      /^art\/large\.bin is still a pointer of Git LFS: .*(installed|git lfs pull)/,
    ),
  ])
})

describeWith(['git-lfs'], 'large files', () => {
  it('come from the store of the main worktree', async () => {
    const tree = await startExomonad()
    onTestFinished(() => tree.stop())
    const { repository } = tree
    await repository.git('lfs', 'install', '--local')
    await repository.git('lfs', 'track', '*.bin')
    await repository.commit({
      '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
      'large.bin': 'x'.repeat(5000),
    })
    const one = await spawn(tree, 'one')
    expect(one.warnings).toEqual([])
    expect(readFileSync(one.path('large.bin'), 'utf8')).toBe('x'.repeat(5000))
    expect(await repository.gitIn(one.worktree, 'status', '--porcelain')).toBe('')
  })
})
