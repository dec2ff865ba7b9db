import { atMost, percentile, type Figure } from './figures.ts'
import { enroll, numbered, openStoreOf, type Member } from './mail/enroll.ts'
import { measureFanIn } from './mail/fan-in.ts'
import { openFloor } from './mail/floor.ts'
import { officeOf } from './mail/office.ts'
import { restOf, type Rest } from './mail/process-cost.ts'
import { measureRounds, openWaits, type PostOffice, type Rounds } from './mail/rounds.ts'
import { benchTree } from './tree.ts'

const ROUNDS = 500
const WARM_UP = 50
const WAITERS = 1000
const CHILDREN = 200
/** Seconds in which nothing happens. */
const REST = 20

/**
 * What `send` and `wait` cost through the real daemon on its socket: agents whose clients are this
 * process, the daemon and the floor are others.
 */
export async function measureMail(): Promise<Figure[]> {
  const tree = await benchTree()
  const store = await openStoreOf(tree)
  const floor = await openFloor()
  try {
    const pid = await tree.exomonad.daemonPid()
    const [sender, single] = (await enroll(store, tree.socket, ['sender', 'single'])) as [
      Member,
      Member,
    ]
    const [one, oneFloor] = await inTurn(officeOf([single], sender, store), floor.officeOf(1))
    const fanIn = await measureFanIn(tree, store, floor, CHILDREN)

    const members = await enroll(store, tree.socket, numbered('waiter', WAITERS))
    const idle = await restOf(pid, REST)
    const floorIdle = await restOf(floor.pid, 1)
    let waiting = { daemon: idle, floor: floorIdle }
    const [many, manyFloor] = await inTurn(
      officeOf(members, sender, store),
      floor.officeOf(WAITERS),
      async () => {
        waiting = { daemon: await restOf(pid, REST), floor: await restOf(floor.pid, 1) }
      },
    )
    return [
      ...returns('1 waiter', one, oneFloor, 5),
      ...returns(`${WAITERS} waiters`, many, manyFloor, 20),
      {
        name: `CPU of the daemon in a second, ${WAITERS} waits open and nothing happens`,
        unit: 'ms',
        value: waiting.daemon.cpu,
        floorName: 'the same without the waits',
        floor: idle.cpu,
        target: null,
        samples: REST,
      },
      {
        name: 'memory for an open wait',
        unit: 'kB',
        value: perWait(idle, waiting.daemon),
        floorName: 'a bare HTTP server',
        floor: perWait(floorIdle, waiting.floor),
        target: null,
        samples: WAITERS,
      },
      ...fanIn,
    ]
  } finally {
    await floor.stop()
    await store.close()
    await tree.exomonad.stop()
  }
}

const perWait = (before: Rest, after: Rest): number =>
  ((after.memory - before.memory) * 1024) / WAITERS

/**
 * The daemon’s office and that of the floor; `between` while all waits are open and nothing
 * happens.
 */
async function inTurn(
  daemon: PostOffice,
  floor: PostOffice,
  between: () => Promise<void> = async () => {},
): Promise<[Rounds, Rounds]> {
  try {
    const offices = [
      { office: daemon, waits: await openWaits(daemon) },
      { office: floor, waits: await openWaits(floor) },
    ]
    await between()
    await measureRounds(offices, WARM_UP)
    return (await measureRounds(offices, ROUNDS)) as [Rounds, Rounds]
  } finally {
    daemon.close()
    floor.close()
  }
}

function returns(who: string, measured: Rounds, floor: Rounds, limit: number): Figure[] {
  const row = (
    what: string,
    share: number,
    samples: readonly number[],
    floors: readonly number[],
    target: Figure['target'] = null,
  ): Figure => ({
    name: `${who}: ${what}`,
    unit: 'ms',
    value: percentile(samples, share),
    floorName: 'a bare HTTP server with SQLite',
    floor: percentile(floors, share),
    target,
    samples: samples.length,
  })
  return [
    row('send → wait returns, p50', 0.5, measured.woken, floor.woken),
    row(
      'send → wait returns, p99',
      0.99,
      measured.woken,
      floor.woken,
      atMost(limit, 'ms', percentile(measured.woken, 0.99)),
    ),
    row('send → wait returns, slowest', 1, measured.woken, floor.woken),
    row('send, p50', 0.5, measured.sent, floor.sent),
    row('send, p99', 0.99, measured.sent, floor.sent),
  ]
}
