import type { Touch, Touches } from '../../adapters/store/watched.ts'
import type { StoreVerbs } from '../../adapters/store/store.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { Agent } from '../../domain/records.ts'
import { gaveUp } from '../inbox/failures.ts'
import { PULL_PREFIX, pullsIn } from '../pulls/pull-records.ts'
import { TOLD_PREFIX } from '../radar/told.ts'
import { OWN_WAITS_PREFIX, ownWaitsIn } from '../turns/own-waits.ts'
import type { Settings } from '../deps.ts'
import { wasGivenMore } from './done.ts'
import { readConfigured, readDeliveryCounts, type TreeFacts } from './tree-facts.ts'

/** The facts of the tree, kept between reads: of the store only what was written since is read. */
export interface KeptFacts {
  /** The same as `readTreeFacts`. What did not change is the same object as before. */
  read(): Promise<TreeFacts>
  /** Listens no more. */
  stop(): void
}

/** Something read of the store, and whether what was written makes it old. */
interface Part<Value> {
  get(): Promise<Value>
  touched(touch: Touch): void
}

export function createKeptFacts(
  store: StoreVerbs,
  touches: Touches,
  settings: Pick<Settings, 'snapshot'>,
): KeptFacts {
  const on =
    (table: Touch['table'], verbs?: readonly string[]) =>
    (touch: Touch): boolean =>
      touch.table === table && (verbs === undefined || verbs.includes(touch.verb))
  const agents = keptAgents(store)
  const pulls = derived(keptSnapshots(store, PULL_PREFIX), (map) => pullsIn(map.values()))
  const own = derived(keptSnapshots(store, OWN_WAITS_PREFIX), ownWaitsIn)
  // Names stand in the order of keys, as the store lists them.
  const told = derived(
    keptSnapshots(store, TOLD_PREFIX),
    (map) => new Map([...map].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  )
  const questions = whole(on('questions'), () => store.questions.open())
  const approvals = whole(on('approvals'), () => store.approvals.pending())
  const journal = whole(on('journal'), () => store.journal.open())
  const counts = whole(on('outbox'), () => readDeliveryCounts(store))
  const unread = whole(on('mail'), () => store.mail.counts())
  // Nothing else makes or ends one.
  const undecided = whole(on('outbox', ['settle', 'reroute', 'prune']), () =>
    store.outbox.list({ states: ['undecided'] }),
  )
  const givenMore = keptGivenMore(store)
  const parts: readonly Part<unknown>[] = [
    ...[agents, pulls, own, told, questions, approvals, journal, counts, unread, undecided],
    givenMore,
  ]
  const stop = touches.onTouch((found) => {
    for (const touch of found) for (const part of parts) part.touched(touch)
  })
  return {
    stop,
    read: async () => {
      const list = await agents.get()
      return {
        agents: list,
        pulls: await pulls.get(),
        own: await own.get(),
        told: await told.get(),
        questions: await questions.get(),
        approvals: await approvals.get(),
        journal: await journal.get(),
        counts: await counts.get(),
        unread: await unread.get(),
        undecided: await undecided.get(),
        givenMore: await givenMore.of(list),
        ...(await readConfigured(settings)),
      }
    },
  }
}

/** Read anew as a whole. What comes meanwhile makes it old again. */
function whole<Value>(isOn: (touch: Touch) => boolean, load: () => Promise<Value>): Part<Value> {
  let known: { readonly value: Value } | undefined
  let isOld = true
  return {
    touched: (touch) => {
      if (isOn(touch)) isOld = true
    },
    get: async () => {
      if (known !== undefined && !isOld) return known.value
      isOld = false
      try {
        known = { value: await load() }
      } catch (error) {
        isOld = true
        throw error
      }
      return known.value
    },
  }
}

/** Read anew row by row; all at once where many changed. */
const MANY = 50

function byKey<Row>(options: {
  readonly isOn: (touch: Touch) => boolean
  readonly all: () => Promise<Map<string, Row>>
  readonly one: (key: string) => Promise<Row | undefined>
  /** Whether a row that was not there may stand at the end. */
  readonly fits: (last: Row | undefined, row: Row) => boolean
}): Part<ReadonlyMap<string, Row>> {
  let rows: Map<string, Row> | undefined
  const old = new Set<string>()
  const readAll = async (): Promise<Map<string, Row>> => {
    old.clear()
    rows = undefined
    const read = await options.all()
    rows = read
    return read
  }
  return {
    touched: (touch) => {
      if (options.isOn(touch) && touch.key !== null) old.add(touch.key)
    },
    get: async () => {
      if (rows === undefined || old.size > MANY) return readAll()
      if (old.size === 0) return rows
      const keys = [...old]
      old.clear()
      const next = new Map(rows)
      rows = undefined
      for (const key of keys) {
        const row = await options.one(key)
        if (row === undefined) next.delete(key)
        else if (next.has(key) || options.fits([...next.values()].at(-1), row)) next.set(key, row)
        else return readAll()
      }
      rows = next
      return next
    },
  }
}

function derived<From, To>(part: Part<From>, make: (from: From) => To): Part<To> {
  let known: { readonly from: From; readonly to: To } | undefined
  return {
    touched: part.touched,
    get: async () => {
      const from = await part.get()
      if (known?.from !== from) known = { from, to: make(from) }
      return known.to
    },
  }
}

/** Oldest first, as the store lists them. */
const keptAgents = (store: StoreVerbs): Part<readonly Agent[]> =>
  derived(
    byKey<Agent>({
      isOn: ({ table }) => table === 'agents',
      all: async () => new Map((await store.agents.list()).map((agent) => [agent.id, agent])),
      one: (id) => store.agents.get(id as AgentId),
      fits: (last, { spawnedAt }) => last === undefined || last.spawnedAt <= spawnedAt,
    }),
    (map) => [...map.values()],
  )

const keptSnapshots = (
  store: StoreVerbs,
  prefix: string,
): Part<ReadonlyMap<string, Record<string, unknown>>> =>
  byKey({
    isOn: ({ table, key }) => table === 'snapshots' && key?.startsWith(prefix) === true,
    all: () => store.snapshots.list(prefix),
    one: (key) => store.snapshots.get(key),
    fits: () => true,
  })

/** Of those that gave up, whether they were sent something since; asked once until they are. */
function keptGivenMore(store: StoreVerbs) {
  const known = new Map<AgentId, { readonly at: number; readonly more: boolean }>()
  let written = 0
  return {
    get: () => Promise.resolve(),
    touched: ({ table, verb, key }: Touch): void => {
      if (table !== 'events') return
      written++
      if (verb === 'prune') known.clear()
      else if (key !== null) known.delete(key as AgentId)
    },
    of: async (agents: readonly Agent[]): Promise<ReadonlySet<AgentId>> => {
      const found = new Set<AgentId>()
      for (const agent of agents) {
        const at = agent.outcome?.at
        if (!gaveUp(agent) || at === undefined) continue
        const before = known.get(agent.id)
        if (before?.at === at) {
          if (before.more) found.add(agent.id)
          continue
        }
        const writtenBefore = written
        const more = await wasGivenMore(store, agent, at)
        // What came while it was asked may not be in the answer.
        if (written === writtenBefore) known.set(agent.id, { at, more })
        if (more) found.add(agent.id)
      }
      return found
    },
  }
}
