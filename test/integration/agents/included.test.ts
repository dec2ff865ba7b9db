import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** Ignored files and folders that new worktrees are given. */

const IGNORED = 'node_modules/\n.venv\n.env*\ndata\nbuild/\n*.log\n'

async function start(config: string, files: Readonly<Record<string, string>> = {}) {
  const tree = await startExomonad({ config, files: { '.gitignore': IGNORED, ...files } })
  onTestFinished(() => tree.stop())
  const write = (path: string, content = path): void => {
    const place = join(tree.repository.path, path)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, content)
  }
  const link = (path: string, to: string): void => {
    const place = join(tree.repository.path, path)
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(to, place)
  }
  return { tree, write, link }
}
async function spawn(tree: Exomonad, name: string, branch?: string) {
  const { spawned, errors } = await tree.call('spawn', {
    kind: 'worker',
    specs: [{ name, prompt: 'x', ...(branch === undefined ? {} : { branch }) }],
    allow_dirty: true,
  })
  expect(errors).toEqual([])
  const { worktree, warnings } = spawned[0]
  const path = (...parts: string[]): string => join(worktree, ...parts)
  return { warnings, path, read: (file: string) => readFileSync(path(file), 'utf8') }
}

it('a folder goes whole, with its links, which mean the same place of the new worktree', async () => {
  const { tree, write, link } = await start(
    '[worktree]\ninclude = ["**/node_modules", ".venv"]\n',
    {
      'packages/a/index.js': 'a',
    },
  )
  const root = tree.repository.path
  write('node_modules/one/cli.js')
  write('node_modules/one/empty/x')
  link('node_modules/.bin/one', '../one/cli.js')
  link('node_modules/@here/a', '../../packages/a')
  link('node_modules/whole-path', join(root, 'packages', 'a'))
  link('node_modules/nowhere', './nothing')
  write('packages/a/node_modules/two/x')
  // As a virtual environment has it: a link to a program of the machine is kept, and not followed.
  link('.venv/bin/sh', '/bin/sh')
  write('unrelated.log')

  const one = await spawn(tree, 'one')
  expect(one.warnings).toEqual([])
  expect(one.read('node_modules/.bin/one')).toBe('node_modules/one/cli.js')
  expect(readlinkSync(one.path('node_modules/.bin/one'))).toBe('../one/cli.js')
  expect(readlinkSync(one.path('node_modules/whole-path'))).toBe('../packages/a')
  expect(readlinkSync(one.path('node_modules/nowhere'))).toBe('./nothing')
  writeFileSync(one.path('packages/a/index.js'), 'changed')
  expect(one.read('node_modules/@here/a/index.js')).toBe('changed')
  expect(one.read('node_modules/whole-path/index.js')).toBe('changed')
  expect(one.read('packages/a/node_modules/two/x')).toBe('packages/a/node_modules/two/x')
  expect(readlinkSync(one.path('.venv/bin/sh'))).toBe('/bin/sh')
  expect(existsSync(one.path('unrelated.log'))).toBe(false)
  // A copy: what is written there reaches nobody.
  writeFileSync(one.path('node_modules/one/cli.js'), 'other')
  expect(readFileSync(join(root, 'node_modules/one/cli.js'), 'utf8')).toBe(
    'node_modules/one/cli.js',
  )

  // A relative link that leads out would mean another place from there.
  link('node_modules/out', '../../elsewhere')
  const refused = await tree.call('spawn_workers', { specs: [{ name: 'out', prompt: 'x' }] })
  expect(refused.errors[0]).toMatchObject({
    code: 'OUTSIDE_ROOT',
    error: expect.stringContaining('node_modules/out'),
  })
})

it('.worktreeinclude names ignored files as .gitignore does; nothing else is brought', async () => {
  const { tree, write, link } = await start('', {
    '.worktreeinclude':
      '# shared\n.env*\n!.env.prod\nnode_modules/\n/notes.txt\n.exomonad\n/out-link.log\n',
  })
  write('src/.env.example', 'tracked')
  await tree.repository.git('add', '-f', 'src/.env.example')
  await tree.repository.git('commit', '-qm', 'An example')
  for (const path of ['.env', '.env.prod', 'src/.env', 'notes.txt']) write(path)
  write('node_modules/one/x')
  write('node_modules/one/.env')
  write('build/node_modules/.env')
  link('out-link.log', '/etc')
  const nested = join(tree.repository.path, 'src', 'node_modules', 'repo')
  await tree.repository.git('init', '-q', nested)
  write('src/node_modules/repo/x')

  const one = await spawn(tree, 'one')
  expect(one.read('.env')).toBe('.env')
  expect(one.read('src/.env')).toBe('src/.env')
  expect(existsSync(one.path('.env.prod'))).toBe(false)
  // Not ignored, so that it is git's to bring; tracked, so that it is as the branch has it.
  expect(existsSync(one.path('notes.txt'))).toBe(false)
  expect(one.read('src/.env.example')).toBe('tracked')
  expect(one.read('node_modules/one/.env')).toBe('node_modules/one/.env')
  expect(existsSync(one.path('.exomonad'))).toBe(false)
  expect(existsSync(one.path('out-link.log'))).toBe(false)
  expect(one.warnings).toContainEqual(
    expect.stringMatching(/^out-link\.log was left out: .*leads out/),
  )
  // A second one, while the first one's worktree lies in an ignored folder of the same repository.
  const two = await spawn(tree, 'two')
  expect(existsSync(two.path('.exomonad'))).toBe(false)
})

it('each entry comes by its method; a link is taken away without what it points to', async () => {
  const { tree, write } = await start(
    `[worktree]
include = [
  ".env",
  { path = "node_modules", method = "hardlink" },
  { path = "data", method = "symlink" },
  { path = "build", method = "symlink" },
]
`,
  )
  const root = tree.repository.path
  for (const path of ['.env', 'node_modules/one/x', 'data/large', 'build/y']) write(path)
  tree.script('one', {
    steps: [
      { do: 'tool', name: 'spawn_workers', input: { specs: [{ name: 'below', prompt: 'x' }] } },
    ],
  })
  const { spawned } = await tree.call('spawn_subtree', { task: 'x', branch_name: 'one' })
  const worktree = spawned?.[0]?.worktree ?? join(root, '.exomonad', 'worktrees', 'one')
  const inode = (path: string): number => statSync(path).ino
  expect(inode(join(worktree, 'node_modules/one/x'))).toBe(inode(join(root, 'node_modules/one/x')))
  expect(inode(join(worktree, '.env'))).not.toBe(inode(join(root, '.env')))
  expect(readlinkSync(join(worktree, 'data'))).toBe(join(root, 'data'))
  // `build/` in .gitignore means folders alone: a link would be committed with the work.
  expect(existsSync(join(worktree, 'build'))).toBe(false)
  expect(await tree.repository.gitIn(worktree, 'status', '--porcelain')).toBe('')

  // A child of it has the same, and not by way of its parent's worktree.
  const below = join(root, '.exomonad', 'worktrees', 'below')
  await waitFor(
    'the child',
    async () =>
      (await tree.agent('below'))?.state === 'running' ||
      (await tree.agent('below'))?.state === 'idle',
  )
  expect(readlinkSync(join(below, 'data'))).toBe(join(root, 'data'))
  await tree.call('kill', { agent: 'one' })
  const { removed } = await tree.call('clean', {})
  expect(removed.map(({ agent }: { agent: string }) => agent).toSorted()).toEqual(['below', 'one'])
  await waitFor(
    'the files to be deleted',
    () => readdirSync(join(tree.state, 'trash')).length === 0,
  )
  expect(lstatSync(join(root, 'data')).isDirectory()).toBe(true)
  expect(readFileSync(join(root, 'data/large'), 'utf8')).toBe('data/large')
})

it('where its file system makes no copies that share blocks, reflink leaves an entry out', async () => {
  const { tree, write } = await start(
    '[worktree]\ninclude = [{ path = "build", method = "reflink" }]\n',
  )
  write('build/large')
  const one = await spawn(tree, 'one')
  const there = existsSync(one.path('build/large'))
  expect(one.warnings).toEqual(
    there ? [] : [expect.stringMatching(/^build was left out: .*method = "reflink"/)],
  )
  expect(existsSync(one.path('build'))).toBe(there)
})

it('what a worktree has already, and what its branch tracks, stays as it is', async () => {
  const { tree, write } = await start('[worktree]\ninclude = ["node_modules", ".env"]\n')
  const { repository } = tree
  write('node_modules/one/x', 'brought')
  write('node_modules/one/tracked', 'brought')
  const side = join(repository.folder, 'side')
  await repository.git('worktree', 'add', '-q', '-b', 'side', side)
  mkdirSync(join(side, 'node_modules', 'one'), { recursive: true })
  writeFileSync(join(side, 'node_modules', 'one', 'tracked'), 'tracked')
  await repository.gitIn(side, 'add', '-f', 'node_modules')
  await repository.gitIn(side, 'commit', '-qm', 'Tracked')
  await repository.git('worktree', 'remove', side)

  const one = await spawn(tree, 'one', 'side')
  expect(one.read('node_modules/one/tracked')).toBe('tracked')
  expect(one.read('node_modules/one/x')).toBe('brought')
})

it('no part of node_modules comes by itself, and no repository or worktree that is in a folder', async () => {
  const { tree, write } = await start('[worktree]\ninclude = ["build", "data", ".venv"]\n', {
    '.worktreeinclude': '.env*\n',
  })
  const { repository } = tree
  write('node_modules/one/x')
  write('node_modules/one/.env')
  write('.env')
  write('build/x')
  await repository.git(
    'worktree',
    'add',
    '-q',
    '-b',
    'inner',
    join(repository.path, 'build', 'inner'),
  )
  await repository.git('init', '-q', join(repository.path, 'data'))
  write('data/x')
  write('.venv/x')
  const one = await spawn(tree, 'one')
  expect(readdirSync(one.path()).toSorted()).toEqual(
    ['.env', '.git', '.gitignore', '.venv', '.worktreeinclude'].toSorted(),
  )
})
