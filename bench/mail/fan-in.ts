import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from '../../src/adapters/store/store.ts'
import { median, timed, type Figure } from '../figures.ts'
import type { BenchTree } from '../tree.ts'
import { enroll, numbered, type Member } from './enroll.ts'
import type { Floor } from './floor.ts'
import { cpuOf } from './process-cost.ts'

/** Times that all of it is done, each with agents of its own. */
const ROUNDS = 3

interface Gathered {
  /**
   * Milliseconds from the answer to the last call until the wait returned; 0 where the wait was
   * first.
   */
  readonly last: number
  /** From the first call until both are there. */
  readonly total: number
  /** Of CPU, of the server, for all. */
  readonly cpu: number
}

/**
 * One agent waits for all its children; each of them sends once, all at the same time. Then the
 * same with kills in place of messages.
 */
export async function measureFanIn(
  tree: BenchTree,
  store: Store,
  floor: Floor,
  children: number,
): Promise<Figure[]> {
  const pid = await tree.exomonad.daemonPid()
  const kinds = [
    {
      name: 'messages',
      status: 'received',
      act: (child: Member, parent: Member) =>
        child.client.callTool('send', { to: parent.id, message: 'done' }),
    },
    {
      name: 'kills',
      status: 'dead',
      act: (child: Member) => tree.client.callTool('kill', { agent: child.id }),
    },
  ]
  const bare = floor.officeOf(children)
  const figures: Figure[] = []
  for (const { name, status, act } of kinds) {
    const rounds: Gathered[] = []
    const floors: (Gathered & { one: number })[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const [parent] = (await enroll(store, tree.socket, [`gatherer-${name}-${round}`])) as [Member]
      const members = await enroll(
        store,
        tree.socket,
        numbered(`${name}-${round}`, children),
        parent,
      )
      const wait = parent.client.call('wait', {
        timeout: 60,
        from_agents: members.map(({ id }) => id),
      })
      while ((await store.agents.get(parent.id))?.state !== 'waiting') await delay(1)
      rounds.push(
        await gather(
          pid,
          wait,
          members.map((child) => () => act(child, parent)),
        ),
      )
      const { results } = (await wait) as FanIn
      if (results.length !== children || results.some((result) => result.status !== status))
        throw new Error(`not all are ${status}: ${JSON.stringify(results)}`)
      const sends = members.map((_, box) => () => bare.send(box, 'done'))
      floors.push({
        ...(await gather(floor.pid, Promise.resolve(), sends)),
        one: (await timed(() => bare.send(0, 'done'))).ms,
      })
    }
    const row = (
      what: string,
      value: (round: Gathered) => number,
      floorName: string,
      least: (round: Gathered & { one: number }) => number,
    ): Figure => ({
      name: `fan-in over ${children}, ${name}: ${what}`,
      unit: 'ms',
      value: median(rounds.map(value)),
      floorName,
      floor: median(floors.map(least)),
      target: null,
      samples: ROUNDS,
    })
    const all = `${children} calls to a bare HTTP server with SQLite`
    figures.push(
      row(
        'last answer → the wait returns',
        ({ last }) => last,
        'one call to a bare HTTP server with SQLite',
        ({ one }) => one,
      ),
      row(
        'all of it',
        ({ total }) => total,
        all,
        ({ total }) => total,
      ),
      row(
        'CPU of the daemon',
        ({ cpu }) => cpu,
        all,
        ({ cpu }) => cpu,
      ),
    )
  }
  return figures
}

interface FanIn {
  readonly results: readonly { readonly status: string }[]
}

async function gather(
  pid: number,
  wait: Promise<unknown>,
  acts: readonly (() => Promise<unknown>)[],
): Promise<Gathered> {
  const cpu = cpuOf(pid)
  const start = performance.now()
  const returned = wait.then(() => performance.now())
  await Promise.all(acts.map((act) => act()))
  const answered = performance.now()
  const end = Math.max(answered, await returned)
  return { last: end - answered, total: end - start, cpu: cpuOf(pid) - cpu }
}
