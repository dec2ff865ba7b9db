import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { startExomonad, type Exomonad } from '../test/helpers/daemon.ts'
import { makeLarge } from '../test/helpers/large-repository.ts'
import { waitFor } from '../test/helpers/wait-for.ts'
import { announce, atMost, sample, timed, type Figure } from './figures.ts'
import { IDLE_AGENTS } from './tree.ts'

const NO_POOL = 'no pool'
const FILES = 34_000
const OBJECTS = 600_000
const numbers = (name: string, preset: string): number[] =>
  (process.env[name] ?? preset).split(',').map(Number)
/** Spawned at once. */
const COUNTS = numbers('EXOMONAD_BENCH_SPAWNS', '1,20')
/** What is removed at once, as a person would after a day. */
const REMOVED = numbers('EXOMONAD_BENCH_REMOVED', '8,20')
/** Of a small repository the same: there it is processes that cost. */
const SMALL_FILES = 200
const POOL = Math.max(...COUNTS)

/**
 * Worktrees of a small and of a large repository: spawned with and without a pool, first looked at,
 * and removed, beside git’s own, plain and with the same four checkout workers. Of git’s own one is
 * measured, and stands for as many, which it makes one after the other. What a person types has the
 * start of the command line in it. Each part is said as soon as it is measured.
 */
export async function measureWorkplaces(): Promise<Figure[]> {
  return [...(await measureSmall()), ...(await measureLarge())]
}

async function measureSmall(): Promise<Figure[]> {
  const tree = await startExomonad({
    ...{ init: false, files: null, config: IDLE_AGENTS, multiplexer: 'tmux' },
  })
  try {
    await makeLarge(tree.repository, { files: SMALL_FILES })
    await initialize(tree)
    const floors = await floorsOf(tree)
    const how = `${SMALL_FILES} files`
    return [
      ...announce(await typed(tree, how)),
      ...announce(await spawns(tree, floors, how, 20)),
      ...announce(await removal(tree, floors, how, 20)),
    ]
  } finally {
    await tree.stop()
  }
}

async function measureLarge(): Promise<Figure[]> {
  const tree = await startExomonad({ init: false, files: null, config: IDLE_AGENTS })
  try {
    await makeLarge(tree.repository, { files: FILES, objects: OBJECTS })
    await initialize(tree)
    const figures: Figure[] = [...announce(await forge(tree))]
    const floors = await floorsOf(tree)
    for (const count of COUNTS) {
      figures.push(...announce(await spawns(tree, floors, NO_POOL, count)))
      if (count === 1) figures.push(...announce(await firstStatus(tree, NO_POOL)))
      // What was spawned is what is removed, where that is to be measured.
      if (REMOVED.includes(count))
        figures.push(...announce(await removal(tree, floors, `${FILES} files`, count)))
      else await clear(tree)
    }
    figures.push(...announce(await typed(tree, NO_POOL)))
    for (const count of REMOVED.filter((one) => !COUNTS.includes(one))) {
      await spawn(tree, `away-${count}`, count)
      figures.push(...announce(await removal(tree, floors, `${FILES} files`, count)))
    }
    configure(tree, `[worktree]\npool = ${POOL}\n`)
    const how = `pool of ${POOL}`
    for (const count of COUNTS) {
      await pooled(tree)
      figures.push(...announce(await spawns(tree, floors, how, count)))
      if (count === 1) figures.push(...announce(await firstStatus(tree, how)))
      await clear(tree)
    }
    await pooled(tree)
    figures.push(...announce(await typed(tree, how)))
    return figures
  } finally {
    await tree.stop()
  }
}

async function initialize(tree: Exomonad): Promise<void> {
  const init = await tree.run(['init'])
  if (init.code !== 0) throw new Error(init.stderr)
}

function configure(tree: Exomonad, toml: string): void {
  const file = join(tree.repository.path, '.exomonad', 'config.toml')
  writeFileSync(file, `${readFileSync(file, 'utf8')}\n${toml}`)
}

/** How long nothing has changed in the pool once it is ready, milliseconds. */
const SETTLED = 5_000

/**
 * All are ready: with the last of their files, and with nothing going on any more, which would be
 * measured as well.
 */
const pooled = (tree: Exomonad): Promise<unknown> => {
  const pool = join(tree.repository.path, '.exomonad', 'worktrees', '.pool')
  let fullSince = Infinity
  const isFull = async (): Promise<boolean> => {
    const names = existsSync(pool) ? readdirSync(pool) : []
    const now =
      names.length >= POOL &&
      names.every((name) => existsSync(join(pool, name, 'pkg-33/lib-19/file-49.ts')))
    fullSince = now ? Math.min(fullSince, Date.now()) : Infinity
    return Date.now() - fullSince > SETTLED
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

let spawned = 0
/** The worktrees, and how long it took. */
async function spawn(
  tree: Exomonad,
  prefix: string,
  count: number,
): Promise<{ ms: number; worktrees: string[] }> {
  spawned += 1
  const specs = Array.from({ length: count }, (_, index) => ({
    name: `${prefix}-${spawned}-${index}`.replace(/[^a-z0-9-]/g, '-'),
    prompt: 'Nothing to do.',
    agent: 'idle',
  }))
  const { ms, result } = await timed(() => tree.call('spawn_workers', { specs }))
  if (result.spawned.length !== count) throw new Error(JSON.stringify(result))
  return { ms, worktrees: result.spawned.map(({ worktree }: { worktree: string }) => worktree) }
}

/** As the daemon does it. */
async function spawns(
  tree: Exomonad,
  floors: Floors,
  how: string,
  count: number,
): Promise<Figure[]> {
  const { ms } = await spawn(tree, how, count)
  const target = how.startsWith('pool') ? atMost(count === 1 ? 150 : 1500, 'ms', ms) : null
  return [
    {
      name: `spawn ${count}, ${how}`,
      unit: 'ms',
      value: ms,
      floorName: `${count} × git worktree add; with four workers ${Math.round(count * floors.four)} ms`,
      floor: count * floors.plain,
      target,
      samples: 1,
    },
  ]
}

async function typed(tree: Exomonad, how: string): Promise<Figure[]> {
  const ran = await timed(() =>
    tree.run(['spawn', 'workers', 'typed=Nothing to do.', '--agent', 'idle']),
  )
  if (ran.result.code !== 0) throw new Error(ran.result.stderr)
  const start = await sample(3, () => tree.run(['--version']))
  await clear(tree)
  return [
    {
      name: `spawn 1 as typed, ${how}`,
      unit: 'ms',
      value: ran.ms,
      floorName: 'exomonad --version',
      floor: Math.min(...start),
      target: null,
      samples: 1,
    },
  ]
}

/** In the only worktree that there is of an agent. */
async function firstStatus(tree: Exomonad, how: string): Promise<Figure[]> {
  const status = (path: string) => timed(() => tree.repository.gitIn(path, 'status', '--porcelain'))
  const { root } = await tree.tree()
  const first = await status(root.children.at(-1).worktree)
  const plain = join(tree.repository.folder, 'plain')
  await tree.repository.git('worktree', 'add', '-q', '--detach', plain)
  const floor = await status(plain)
  await tree.repository.git('worktree', 'remove', '--force', plain)
  return [
    {
      name: `first git status in it, ${how}`,
      unit: 'ms',
      value: first.ms,
      floorName: 'after git worktree add',
      floor: floor.ms,
      target: null,
      samples: 1,
    },
  ]
}

const FOUR = ['-c', 'checkout.workers=4']

/**
 * As worktrees are after some hours. One whose files are not on disk yet goes without its disk being
 * told, in a fifth of the time.
 */
const writeDown = (): void => void execFileSync('sync')

/** Milliseconds of one, by hand. */
interface Floors {
  readonly plain: number
  readonly four: number
  readonly remove: number
}

async function floorsOf(tree: Exomonad): Promise<Floors> {
  const path = join(tree.repository.folder, 'hand')
  const add = (...settings: string[]) =>
    timed(() => tree.repository.git(...settings, 'worktree', 'add', '-q', '--detach', path))
  const remove = () => timed(() => tree.repository.git('worktree', 'remove', path))
  const plain = await add()
  writeDown()
  const removed = await remove()
  const four = await add(...FOUR)
  await remove()
  return { plain: plain.ms, four: four.ms, remove: removed.ms }
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

/** As typed, of all that there are: kill, then clean; until it returns, and until the files are gone. */
async function removal(
  tree: Exomonad,
  floors: Floors,
  how: string,
  count: number,
): Promise<Figure[]> {
  const { root } = await tree.tree()
  const names = root.children
    .filter(({ state }: { state: string }) => state !== 'killed')
    .map(({ name }: { name: string }) => name)
  writeDown()
  const begun = performance.now()
  const kill = await timed(() => tree.run(['kill', ...names]))
  const clean = await timed(() => tree.run(['clean', '--done', '--json']))
  if (kill.result.code !== 0 || clean.result.json.removed.length !== count)
    throw new Error(`${kill.result.stderr} ${clean.result.stdout}`)
  await gone(tree)
  const until = performance.now() - begun
  const row = {
    floorName: `${count} × git worktree remove`,
    floor: count * floors.remove,
    samples: 1,
    unit: 'ms',
    target: null,
  } as const
  return [
    { ...row, name: `kill ${count} as typed, ${how}`, value: kill.ms },
    { ...row, name: `clean ${count} as typed, ${how}`, value: clean.ms },
    { ...row, name: `both, until the files are gone, ${how}`, value: until },
  ]
}
