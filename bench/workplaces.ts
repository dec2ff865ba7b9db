import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { startExomonad, type Exomonad } from '../test/helpers/daemon.ts'
import { makeLarge } from '../test/helpers/large-repository.ts'
import { waitFor } from '../test/helpers/wait-for.ts'
import { atMost, sample, timed, type Figure } from './figures.ts'
import { IDLE_AGENTS } from './tree.ts'

const NO_POOL = 'no pool'
const FILES = 34_000
const OBJECTS = 600_000
const numbers = (name: string, preset: string): number[] =>
  (process.env[name] ?? preset).split(',').map(Number)
/** Spawned at once. A busy disk takes half an hour for 20: fewer are a matter of minutes. */
const COUNTS = numbers('EXOMONAD_BENCH_SPAWNS', '1,5,20')
/** What is removed at once, as a person would after a day. */
const REMOVED = numbers('EXOMONAD_BENCH_REMOVED', '8,20')
const POOL = Math.max(...COUNTS)

/**
 * Worktrees of a large repository: spawned with and without a pool, first looked at, and removed,
 * beside git’s own, plain and with the same four checkout workers. What a person types has the
 * start of the command line in it.
 */
export async function measureWorkplaces(): Promise<Figure[]> {
  const tree = await startExomonad({ init: false, files: null, config: IDLE_AGENTS })
  try {
    await makeLarge(tree.repository, { files: FILES, objects: OBJECTS })
    const init = await timed(() => tree.run(['init']))
    if (init.result.code !== 0) throw new Error(init.result.stderr)
    const figures: Figure[] = [...(await forge(tree)), ...(await ready(tree, NO_POOL))]
    figures.push(...(await removal(tree)))
    configure(tree, `[worktree]\npool = ${POOL}\n`)
    await pooled(tree)
    figures.push(...(await ready(tree, `pool of ${POOL}`)))
    return figures
  } finally {
    await tree.stop()
  }
}

function configure(tree: Exomonad, toml: string): void {
  const file = join(tree.repository.path, '.exomonad', 'config.toml')
  writeFileSync(file, `${readFileSync(file, 'utf8')}\n${toml}`)
}

const pooled = (tree: Exomonad): Promise<unknown> => {
  const pool = join(tree.repository.path, '.exomonad', 'worktrees', '.pool')
  const isFull = async (): Promise<boolean> => {
    const names = existsSync(pool) ? readdirSync(pool) : []
    return (
      names.length === POOL &&
      names.every((name) => existsSync(join(pool, name, 'pkg-33/lib-19/file-49.ts')))
    )
  }
  return waitFor('the pool', isFull, { limit: 600_000 })
}

const kilobytes = (path: string): number =>
  Number(/^\d+/.exec(execFileSync('du', ['-sk', path], { encoding: 'utf8' }))?.[0])

/** What the local forge’s repository costs: its first push, and its room. */
async function forge(tree: Exomonad): Promise<Figure[]> {
  const origin = join(tree.state, 'origin.git')
  const copy = join(tree.repository.folder, 'copy.git')
  await tree.repository.gitIn(tree.repository.folder, 'init', '-q', '--bare', copy)
  const head = await tree.repository.git('rev-parse', 'main')
  const push = await timed(() => tree.repository.git('push', '-q', origin, `${head}:refs/heads/x`))
  const full = await timed(() => tree.repository.git('push', '-q', copy, 'main'))
  const size = kilobytes(origin)
  return [
    {
      name: 'first push to the local forge, 600,000 objects',
      unit: 'ms',
      value: push.ms,
      floorName: 'git push to a repository that holds a copy',
      floor: full.ms,
      target: atMost(300, 'ms', push.ms),
      samples: 1,
    },
    {
      name: 'room of the local forge’s repository',
      unit: 'kB',
      value: size,
      floorName: 'that copy',
      floor: kilobytes(copy),
      target: atMost(1000, 'kB', size),
      samples: 1,
    },
  ]
}

/** Spawns, typed and as the daemon does it, and the first `git status` in what they made. */
async function ready(tree: Exomonad, how: string): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const count of COUNTS) {
    const floors = await floorsOf(tree, count)
    if (how !== NO_POOL) await pooled(tree)
    const names = Array.from(
      { length: count },
      (_, index) => `${how.slice(0, 2)}-${count}-${index}`,
    )
    const specs = names.map((name) => ({ name, prompt: 'Nothing to do.', agent: 'idle' }))
    const spawned = await timed(() => tree.call('spawn_workers', { specs }))
    if (spawned.result.spawned.length !== count) throw new Error(JSON.stringify(spawned.result))
    figures.push({
      name: `spawn ${count} on ${FILES} files, ${how}`,
      unit: 'ms',
      value: spawned.ms,
      floorName: `git worktree add; with four workers ${Math.round(floors[1] ?? 0)} ms`,
      floor: floors[0] ?? Number.NaN,
      target:
        how === NO_POOL || count === 5 ? null : atMost(count === 1 ? 150 : 1500, 'ms', spawned.ms),
      samples: 1,
    })
    if (count === 1) figures.push(await firstStatus(tree, how, spawned.result.spawned[0].worktree))
    await clear(tree)
  }
  if (how !== NO_POOL) await pooled(tree)
  const typed = await timed(() =>
    tree.run(['spawn', 'workers', 'typed=Nothing to do.', '--agent', 'idle']),
  )
  if (typed.result.code !== 0) throw new Error(typed.result.stderr)
  const start = await sample(3, () => tree.run(['--version']))
  figures.push({
    name: `the same of 1 as typed, ${how}`,
    unit: 'ms',
    value: typed.ms,
    floorName: 'exomonad --version',
    floor: Math.min(...start),
    target: null,
    samples: 1,
  })
  await clear(tree)
  return figures
}

async function firstStatus(tree: Exomonad, how: string, worktree: string): Promise<Figure> {
  const status = (path: string) => timed(() => tree.repository.gitIn(path, 'status', '--porcelain'))
  const first = await status(worktree)
  const plain = join(tree.repository.folder, 'plain')
  await tree.repository.git('worktree', 'add', '-q', '--detach', plain)
  const floor = await status(plain)
  await tree.repository.git('worktree', 'remove', '--force', plain)
  return {
    name: `first git status in it, ${how}`,
    unit: 'ms',
    value: first.ms,
    floorName: 'after git worktree add',
    floor: floor.ms,
    target: null,
    samples: 1,
  }
}

const FOUR = ['-c', 'checkout.workers=4']

const measured = new Map<number, number[]>()
/** Plain, and with four workers; once. */
async function floorsOf(tree: Exomonad, count: number): Promise<number[]> {
  const floors = measured.get(count) ?? [
    await byHand(tree, count, []),
    await byHand(tree, count, FOUR),
  ]
  measured.set(count, floors)
  return floors
}

/** One after the other, and away again. Milliseconds of the making. */
async function byHand(tree: Exomonad, count: number, settings: readonly string[]): Promise<number> {
  const folder = join(tree.repository.folder, 'hand')
  mkdirSync(folder, { recursive: true })
  const paths = Array.from({ length: count }, (_, index) => join(folder, String(index)))
  const { ms } = await timed(async () => {
    for (const path of paths)
      await tree.repository.git(...settings, 'worktree', 'add', '-q', '--detach', path)
  })
  execFileSync('rm', ['-rf', folder])
  await tree.repository.git('worktree', 'prune')
  return ms
}

/** Everybody is ended and cleaned away, and their files are gone. */
async function clear(tree: Exomonad): Promise<void> {
  const { root } = await tree.tree()
  const living = root.children.filter(({ state }: { state: string }) => state !== 'killed')
  for (const { name } of living) await tree.call('kill', { agent: name })
  await tree.call('clean', {})
  await gone(tree)
}

const gone = (tree: Exomonad): Promise<unknown> =>
  waitFor(
    'the trash to be empty',
    async () => readdirSync(join(tree.state, 'trash')).length === 0,
    {
      limit: 600_000,
    },
  )

/** As typed: kill of all, then clean; until it returns, and until the files are gone. */
async function removal(tree: Exomonad): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const count of REMOVED) {
    const names = Array.from({ length: count }, (_, index) => `away-${count}-${index}`)
    const specs = names.map((name) => ({ name, prompt: 'Nothing to do.', agent: 'idle' }))
    await tree.call('spawn_workers', { specs })
    const { root } = await tree.tree()
    const paths = root.children.map(({ worktree }: { worktree: string }) => worktree)
    const start = performance.now()
    const kill = await timed(() => tree.run(['kill', ...names]))
    const clean = await timed(() => tree.run(['clean', '--json']))
    if (kill.result.code !== 0 || clean.result.json.removed.length !== count)
      throw new Error(`${kill.result.stderr} ${clean.result.stdout}`)
    const returned = performance.now() - start
    await gone(tree)
    const until = performance.now() - start
    const floor = await byHandRemoved(tree, paths)
    const row = { floorName: 'git worktree remove, serial', floor, samples: 1, unit: 'ms' } as const
    figures.push(
      {
        ...row,
        name: `kill and clean of ${count} as typed: until both return`,
        value: returned,
        target: atMost(count === 8 ? 1900 : 10_000, 'ms', returned),
      },
      {
        ...row,
        name: `the same of ${count}: until the files are gone`,
        value: until,
        target: null,
      },
    )
  }
  return figures
}

async function byHandRemoved(tree: Exomonad, paths: readonly string[]): Promise<number> {
  for (const path of paths)
    await tree.repository.git(...FOUR, 'worktree', 'add', '-q', '--detach', path)
  const { ms } = await timed(async () => {
    for (const path of paths) await tree.repository.git('worktree', 'remove', path)
  })
  return ms
}
