import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseConninfo } from '../../src/adapters/store/postgres/conninfo.ts'
import { openPostgresStore } from '../../src/adapters/store/postgres/open.ts'
import { openSqliteStore } from '../../src/adapters/store/sqlite/open.ts'
import type { Store } from '../../src/adapters/store/store.ts'
import { silentLog } from '../../src/runtime/log.ts'
import type { Server } from '../../test/helpers/postgres.ts'
import { median, sample, timed, type Figure } from '../figures.ts'
import { agentRow } from '../rows.ts'
import { difference, line, type Statements, statements } from '../store.ts'
import { benchTree, IDLE_AGENTS, type BenchTree } from '../tree.ts'

const ROUNDS = 3
const AGENTS = 1000
const IDLE = 20
/** How long nothing happens. Milliseconds. */
const STILL = 60_000
/** Until what a start or a spawn brings with it is over. Milliseconds. */
const REST = 20_000

interface Measured {
  readonly spawns: ReadonlyMap<number, number>
  readonly tree: number
  readonly restart: number
}

/** The real daemon on either: spawns, a tree of 1,000, a restart with it, and what idle agents cost. */
export async function measureTrees(server: Server): Promise<Figure[]> {
  const sqlite = await measure(await benchTree({ multiplexer: 'headless' }), ofFile)
  const tree = await benchTree({
    multiplexer: 'headless',
    config: `${IDLE_AGENTS}\n[store]\nkind = "postgres"\nurl_file = "~/url"\nschema = "bench"\n`,
    prepareHome: (home) => writeFileSync(join(home, 'url'), server.url(), { mode: 0o600 }),
  })
  const alone = await still(server)
  const { idle, ...postgres } = await measure(tree, ofSchema(server), async () => {
    await tree.client.call('down', {})
    await spawn(tree, 'idle', IDLE)
    return still(server)
  })
  const perHour = 3_600_000 / STILL
  return [
    ...[1, 5, 20].map((count) =>
      line(
        `spawn ${count} worker${count === 1 ? '' : 's'}, headless, median`,
        'ms',
        postgres.spawns.get(count) ?? 0,
        sqlite.spawns.get(count) ?? 0,
        ROUNDS,
      ),
    ),
    line(`GET /v1/tree, ${AGENTS} agents, p50`, 'ms', postgres.tree, sqlite.tree, 10),
    line(
      `restart of the daemon, ${AGENTS} agents, median`,
      'ms',
      postgres.restart,
      sqlite.restart,
      ROUNDS,
    ),
    line('statements of a daemon without agents, per hour', 'calls', alone.calls * perHour, 0, 1),
    ...(idle === undefined ? [] : ofIdle(difference(idle, alone), perHour)),
  ]
}

/** What each of the agents adds; nothing where it is less than what else differs. */
const ofIdle = ({ calls, bytes, ms }: Statements, perHour: number): Figure[] => {
  const each = (value: number): number => (Math.max(0, value) * perHour) / IDLE
  const carried = ms <= 0 ? 0 : (IDLE * STILL) / ms
  return [
    line('statements per idle agent and hour', 'calls', each(calls), 0, 1),
    line('written ahead per idle agent and hour', 'bytes', each(bytes), 0, 1),
    line('idle agents that one core of PostgreSQL carries', 'points', carried, 0, 1),
  ]
}

async function measure<Idle>(
  tree: BenchTree,
  open: (tree: BenchTree) => Promise<Store>,
  idle?: () => Promise<Idle>,
): Promise<Measured & { idle: Idle | undefined }> {
  try {
    const spawns = new Map<number, number>()
    for (const count of [1, 5, 20]) {
      const times: number[] = []
      for (let round = 0; round < ROUNDS; round += 1)
        times.push((await timed(() => spawn(tree, `${count}-${round}`, count))).ms)
      spawns.set(count, median(times))
    }
    const cost = await idle?.()
    await tree.exomonad.call('down', {})
    await run(tree, 'daemon', 'stop')
    await fill(await open(tree))
    const restarts: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      restarts.push((await timed(() => run(tree, 'daemon', 'start'))).ms)
      if (round < ROUNDS - 1) await run(tree, 'daemon', 'stop')
    }
    const shown = median(await sample(10, () => tree.client.get('/v1/tree')))
    return { spawns, tree: shown, restart: median(restarts), idle: cost }
  } finally {
    await tree.exomonad.stop()
  }
}

/** While nothing happens, once what was begun has come to rest. */
async function still(server: Server): Promise<Statements> {
  await delay(REST)
  const before = await statements(server)
  await delay(STILL)
  return difference(await statements(server), before)
}

async function spawn(tree: BenchTree, round: string, count: number): Promise<void> {
  const specs = Array.from({ length: count }, (_, worker) => ({
    name: `w-${round}-${worker}`,
    prompt: 'Nothing to do.',
    agent: 'idle',
  }))
  const { spawned, errors } = await tree.client.call('spawn_workers', { specs })
  if (spawned.length !== count)
    throw new Error(`spawned ${spawned.length} of ${count}: ${JSON.stringify(errors)}`)
}

async function run(tree: BenchTree, ...args: string[]): Promise<void> {
  const { code, stdout, stderr } = await tree.exomonad.run(args)
  if (code !== 0) throw new Error(`exomonad ${args.join(' ')}: ${stdout}${stderr}`)
}

const ofFile = ({ exomonad }: BenchTree): Promise<Store> =>
  openSqliteStore({ file: join(exomonad.state, 'store.db'), log: silentLog() })

const ofSchema =
  (server: Server) =>
  ({ exomonad }: BenchTree): Promise<Store> =>
    openPostgresStore({
      target: parseConninfo(server.url(), {}, '/nowhere'),
      schema: 'bench',
      tree: {
        id: readFileSync(join(exomonad.state, 'tree-id'), 'utf8').trim(),
        home: exomonad.repository.path,
        host: 'bench',
        pid: process.pid,
      },
      log: silentLog(),
    })

/** Ended agents, as many as are missing to the thousand, below the root. */
async function fill(store: Store): Promise<void> {
  const agents = await store.agents.list()
  const root = agents.find(({ kind }) => kind === 'root')
  if (root === undefined) throw new Error('no root in the store')
  await store.transaction(async (tx) => {
    for (let index = agents.length; index < AGENTS; index += 1)
      await tx.agents.insert(
        agentRow({ name: `ended-${index}`, kind: 'worker', parentId: root.id, depth: 1 }),
      )
  })
  await store.close()
}
