import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { openAt, placeOn } from '../test/conformance/store/postgres-store.ts'
import {
  asAgent,
  mailFolder,
  memberRow,
  openMailWorld,
  type MailPlace,
} from '../test/helpers/mail-world.ts'
import { type Server, startPostgres } from '../test/helpers/postgres.ts'
import { median, percentile, sample, timed, type Figure } from './figures.ts'
import { measureTrees } from './store/trees.ts'

/** Pairs of send and wait; agents that wait at once; of these so many get mail. */
const PAIRS = 500
const WAITERS = 1000
const SENDS = 200
const RECOVERIES = 5
/** How long nothing happens while 1,000 wait. Milliseconds. */
const STILL = 20_000

/**
 * The store on PostgreSQL beside the one on SQLite, in one run: the floor of each line is SQLite’s
 * figure, unless it says another. The server is a real one with `fsync` on, over its Unix socket.
 */
export async function measureStore(): Promise<Figure[]> {
  const server = await startPostgres({
    fsync: 'on',
    shared_buffers: '128MB',
    shared_preload_libraries: 'pg_stat_statements',
  })
  try {
    await server.sql('create extension pg_stat_statements')
    return [
      ...(await mailboxPair(server)),
      ...(await manyWaiters(server)),
      ...(await recovery(server)),
      ...(await measureTrees(server)),
    ]
  } finally {
    await server.dispose()
  }
}

const onPostgres = (server: Server): MailPlace => {
  const place = placeOn(server)
  return {
    file: () => openAt(place),
    remove: async () => void (await server.sql(`drop schema "${place.schema}" cascade`)),
  }
}

const call = { signal: new AbortController().signal }

const inWorld = async <Result>(
  place: MailPlace,
  work: (world: Awaited<ReturnType<typeof openMailWorld>>) => Promise<Result>,
): Promise<Result> => {
  const world = await openMailWorld(place.file)
  try {
    return await work(world)
  } finally {
    await world.store.close()
    await place.remove()
  }
}

async function mailboxPair(server: Server): Promise<Figure[]> {
  const pairs = (place: MailPlace): Promise<number[]> =>
    inWorld(place, async ({ store, waiting, messages }) => {
      const lead = memberRow('lead', null)
      const one = memberRow('one', lead)
      for (const agent of [lead, one]) await store.agents.insert(agent)
      return sample(PAIRS, async (index) => {
        const waited = waiting.wait(asAgent(one), { timeout: 100, from: undefined }, call)
        await messages.send(asAgent(lead), one.id, `message ${index}`)
        await waited
      })
    })
  const [sqlite, postgres] = [await pairs(mailFolder()), await pairs(onPostgres(server))]
  const [bare, commits] = [await notifyFloor(server), await commitFloor(server)]
  return [0.5, 0.99].flatMap((share) => {
    const name = `mailbox pair, send → wait, p${share * 100}`
    const value = percentile(postgres, share)
    return [
      line(name, 'ms', value, percentile(sqlite, share), PAIRS),
      { ...line(name, 'ms', value, percentile(bare, share), PAIRS), floorName: 'NOTIFY → LISTEN' },
      { ...line(name, 'ms', value, percentile(commits, share), PAIRS), floorName: 'one commit' },
    ]
  })
}

/** What the disk makes of it: one row, written for good. */
async function commitFloor(server: Server): Promise<number[]> {
  const client = new pg.Client({
    ...{ host: server.folder, user: 'owner', password: '', database: 'postgres' },
  })
  await client.connect()
  await client.query('create table floor (id int)')
  const samples = await sample(PAIRS, () => client.query('insert into floor values (1)'))
  await client.query('drop table floor')
  await client.end()
  return samples
}

async function notifyFloor(server: Server): Promise<number[]> {
  const clients = [1, 2].map(
    () => new pg.Client({ host: server.folder, user: 'owner', password: '', database: 'postgres' }),
  )
  const [from, to] = clients as [pg.Client, pg.Client]
  for (const client of clients) await client.connect()
  await to.query('listen floor')
  const samples = await sample(PAIRS, async () => {
    const heard = new Promise((resolve) => to.once('notification', resolve))
    await from.query('notify floor')
    await heard
  })
  for (const client of clients) await client.end()
  return samples
}

async function manyWaiters(server: Server): Promise<Figure[]> {
  const measure = (place: MailPlace) =>
    inWorld(place, async ({ store, waiting, messages, quiet }) => {
      const lead = memberRow('lead', null)
      await store.agents.insert(lead)
      const agents = Array.from({ length: WAITERS }, (_, index) => memberRow(`w${index}`, lead))
      await store.transaction(async (tx) => {
        for (const agent of agents) await tx.agents.insert(agent)
      })
      const leaving = new AbortController()
      const waits = agents.map((agent) =>
        waiting.wait(
          asAgent(agent),
          { timeout: 3600, from: undefined },
          { signal: leaving.signal },
        ),
      )
      await quiet()
      const before = await statements(server)
      const cpu = process.cpuUsage()
      await delay(STILL)
      const spent = process.cpuUsage(cpu)
      const still = difference(await statements(server), before)
      const got = await sample(SENDS, async (index) => {
        const agent = agents[index * Math.floor(WAITERS / SENDS)]
        if (agent === undefined) throw new Error('nobody')
        await messages.send(asAgent(lead), agent.id, 'go')
        await waits[index * Math.floor(WAITERS / SENDS)]
      })
      leaving.abort()
      await Promise.allSettled(waits)
      return { got, still, busy: ((spent.user + spent.system) / 1000 / STILL) * 100 }
    })
  const [sqlite, postgres] = [await measure(mailFolder()), await measure(onPostgres(server))]
  const perHour = 3_600_000 / STILL / WAITERS
  return [
    ...[0.5, 0.99].map((share) =>
      line(
        `${WAITERS} waiters, send → wait of one, p${share * 100}`,
        'ms',
        percentile(postgres.got, share),
        percentile(sqlite.got, share),
        SENDS,
      ),
    ),
    line(
      `${WAITERS} waiters, nothing happens, the daemon’s core`,
      '%',
      postgres.busy,
      sqlite.busy,
      1,
    ),
    line('statements per waiter and hour', 'calls', postgres.still.calls * perHour, 0, 1),
    line(
      `${WAITERS} waiters, nothing happens, the server’s core in statements`,
      '%',
      (postgres.still.ms / STILL) * 100,
      0,
      1,
    ),
  ]
}

async function recovery(server: Server): Promise<Figure[]> {
  const store = await openAt(placeOn(server))
  const waits: number[] = []
  for (let round = 0; round < RECOVERIES; round += 1) {
    await store.snapshots.put('round', { round })
    await server.kill()
    await store.snapshots.get('round').catch(() => {})
    await server.start()
    const { ms } = await timed(async () => {
      for (;;) {
        const found = await store.snapshots.get('round').catch(() => undefined)
        if (found?.['round'] === round) return
        await delay(2)
      }
    })
    waits.push(ms)
  }
  await store.close()
  return [
    {
      ...line(
        'kill -9 of PostgreSQL: from its being back to the first read, median',
        'ms',
        median(waits),
        0,
        RECOVERIES,
      ),
      floorName: 'nothing',
    },
  ]
}

export interface Statements {
  readonly calls: number
  /** In them, on the server. */
  readonly ms: number
  /** Written ahead. */
  readonly bytes: number
}

export async function statements(server: Server): Promise<Statements> {
  const [row] = await server.sql(
    "select sum(calls)::float8 as calls, sum(total_exec_time)::float8 as ms, (pg_current_wal_lsn() - '0/0')::float8 as bytes from pg_stat_statements",
  )
  return row as unknown as Statements
}

export const difference = (after: Statements, before: Statements): Statements => ({
  calls: after.calls - before.calls,
  ms: after.ms - before.ms,
  bytes: after.bytes - before.bytes,
})

export const line = (
  name: string,
  unit: Figure['unit'],
  value: number,
  floor: number,
  samples: number,
): Figure => ({ name, unit, value, floorName: 'SQLite', floor, target: null, samples })
