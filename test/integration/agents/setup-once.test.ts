import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** Set-up commands with a key: once for all worktrees that look the same to them. */

/** Says that it runs, waits while it is to wait, and makes a folder with a link in it. */
const INSTALL = `
  echo "$EXOMONAD_AGENT_NAME" >> "$EXOMONAD_REPOSITORY/../runs"
  while test -e "$EXOMONAD_REPOSITORY/../hold"; do sleep 0.05; done
  test "$(cat lock)" != broken || { echo no such package; exit 3; }
  mkdir -p deps/bin packages/a/deps
  cp lock deps/one
  echo a > packages/a/deps/two
  ln -s ../one deps/bin/one
`
const keyed = (more: Readonly<Record<string, string>> = {}): string =>
  [
    '[[worktree.setup]]',
    `run = ["sh", "-c", ${JSON.stringify(INSTALL)}]`,
    'key = ["lock", "packages/*/lock"]',
    'outputs = ["deps", "packages/*/deps"]',
    ...Object.entries(more).map(([key, value]) => `${key} = ${value}`),
    '',
  ].join('\n')

async function start(config = keyed(), files: Readonly<Record<string, string>> = {}) {
  const tree = await startExomonad({
    config,
    files: { lock: 'one\n', 'packages/a/lock': 'a\n', '.gitignore': 'deps/\n', ...files },
  })
  onTestFinished(() => tree.stop())
  return tree
}
const spawn = (tree: Exomonad, ...names: string[]) =>
  tree.call('spawn_workers', { specs: names.map((name) => ({ name, prompt: 'x' })) })
const folderOf = (tree: Exomonad, name: string, ...parts: string[]): string =>
  join(tree.repository.path, '.exomonad', 'worktrees', name, ...parts)
const runs = (tree: Exomonad): string[] =>
  readFileSync(join(tree.repository.folder, 'runs'), 'utf8').trim().split('\n')
const cache = (tree: Exomonad): string => join(tree.state, 'setup-cache')

it('a second worktree gets what the first made, links and all, as files of its own', async () => {
  const tree = await start()
  const [first] = (await spawn(tree, 'one')).spawned
  const [second] = (await spawn(tree, 'two')).spawned
  expect([first.warnings, second.warnings]).toEqual([[], []])
  expect(runs(tree)).toEqual(['one'])
  expect(readFileSync(folderOf(tree, 'two', 'packages/a/deps/two'), 'utf8')).toBe('a\n')
  expect(readlinkSync(folderOf(tree, 'two', 'deps/bin/one'))).toBe('../one')

  // Written in place, as some tools do: nobody else may see it.
  writeFileSync(folderOf(tree, 'one', 'deps/one'), 'spoilt\n')
  writeFileSync(folderOf(tree, 'two', 'deps/one'), 'spoilt\n')
  await spawn(tree, 'three')
  expect(readFileSync(folderOf(tree, 'three', 'deps/one'), 'utf8')).toBe('one\n')

  // Another lockfile anywhere, of a package too, is another key; the former one is still there.
  await tree.repository.commit({ 'packages/a/lock': 'b\n' })
  await spawn(tree, 'four')
  await tree.repository.commit({ 'packages/a/lock': 'a\n' })
  await spawn(tree, 'five')
  expect(runs(tree)).toEqual(['one', 'four'])

  // Dropped at a word.
  const cleaned = await tree.command(['clean', '--setup-cache'])
  expect(cleaned.stdout).toContain('dropped what set-up commands made: 2 entries')
  expect(readdirSync(cache(tree))).toEqual([])
  await spawn(tree, 'six')
  expect(runs(tree)).toEqual(['one', 'four', 'six'])
})

it('worktrees made at once wait for one run, say so, and fail with it', async () => {
  const tree = await start()
  const hold = join(tree.repository.folder, 'hold')
  writeFileSync(hold, '')
  const made = spawn(tree, 'a', 'b', 'c')
  const reasons = async () =>
    (await tree.tree()).root.children.map((child: any) => child.state_reason).toSorted()
  await waitFor('two to wait for the third', async () => {
    const said: (string | null)[] = await reasons()
    return (
      said.filter((reason) => reason?.startsWith('set-up: waiting for `sh') === true).length === 2
    )
  })
  expect((await tree.tree()).root.children).toHaveLength(3)
  expect((await tree.command(['tree'])).stdout).toMatch(/spawning: set-up: waiting for/)
  rmSync(hold)
  expect((await made).errors).toEqual([])
  expect(runs(tree)).toHaveLength(1)
  for (const name of ['a', 'b', 'c'])
    expect(readFileSync(folderOf(tree, name, 'deps/one'), 'utf8')).toBe('one\n')
  expect(await reasons()).not.toContainEqual(expect.stringContaining('set-up'))

  await tree.repository.commit({ lock: 'broken' })
  writeFileSync(hold, '')
  const failing = spawn(tree, 'd', 'e')
  await waitFor('one to wait', async () =>
    (await reasons()).some((reason: string | null) => reason?.includes('waiting') === true),
  )
  rmSync(hold)
  const { errors } = await failing
  expect(errors).toHaveLength(2)
  expect(runs(tree)).toHaveLength(2)
  for (const { code, error } of errors) {
    expect(code).toBe('SPAWN_FAILED')
    expect(error).toContain('no such package')
    const log = /wrote is in (.+)\.$/.exec(error)?.[1] ?? ''
    expect(readFileSync(log, 'utf8')).toMatch(/^\$ sh -c[^]*no such package\nexit 3\n$/)
  }
  expect(readdirSync(cache(tree))).toHaveLength(1)
})

it('half an entry is never used, and what a killed daemon left of one is gone', async () => {
  const tree = await start()
  await spawn(tree, 'one')
  const [entry = ''] = readdirSync(cache(tree))
  rmSync(join(cache(tree), entry, 'tree', 'deps'), { recursive: true })
  await spawn(tree, 'two')
  expect(runs(tree)).toEqual(['one', 'two'])
  expect(readFileSync(folderOf(tree, 'two', 'deps/one'), 'utf8')).toBe('one\n')

  const hold = join(tree.repository.folder, 'hold')
  await tree.repository.commit({ lock: 'other\n' })
  writeFileSync(hold, '')
  const cut = spawn(tree, 'three').catch(() => undefined)
  await waitFor('it to run', () => runs(tree).length === 3)
  mkdirSync(join(cache(tree), '.making-half', 'tree', 'deps'), { recursive: true })
  await tree.crash()
  rmSync(hold)
  await cut
  await tree.tree()
  await waitFor('the half one to be gone', () => !existsSync(join(cache(tree), '.making-half')))
  expect((await spawn(tree, 'four')).errors).toEqual([])
  expect(runs(tree).slice(3)).toEqual(['four'])
  expect(readFileSync(folderOf(tree, 'four', 'deps/one'), 'utf8')).toBe('other\n')
})

it('keeps what is within its bounds, those used last; says what can’t be kept', async () => {
  const tree = await start(
    `[worktree]\nsetup_cache_entries = 2\n${keyed({ method: '"hardlink"' })}`,
  )
  for (const [name, lock] of [
    ['one', '1'],
    ['two', '2'],
    ['again', '1'],
    ['three', '3'],
    ['once-more', '1'],
  ] as const) {
    await tree.repository.commit({ lock })
    expect((await spawn(tree, name)).spawned[0].warnings).toEqual([])
  }
  expect(runs(tree)).toEqual(['one', 'two', 'three'])
  expect(readdirSync(cache(tree))).toHaveLength(2)
  // The very same file, as was asked for.
  expect(statSync(folderOf(tree, 'once-more', 'deps/one')).ino).toBe(
    statSync(folderOf(tree, 'one', 'deps/one')).ino,
  )

  mkdirSync(join(tree.repository.path, 'deps'))
  writeFileSync(join(tree.repository.path, 'deps', 'tracked'), 'x\n')
  await tree.repository.git('add', '-f', 'deps/tracked')
  await tree.repository.git('commit', '-qm', 'Tracked')
  const [tracked] = (await spawn(tree, 'tracked')).spawned
  expect(tracked.warnings).toEqual([expect.stringMatching(/not kept .*git tracks deps\/tracked/)])
  expect(readFileSync(folderOf(tree, 'tracked', 'deps/tracked'), 'utf8')).toBe('x\n')
})
