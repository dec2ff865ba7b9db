import type { StoreVerbs } from '../../adapters/store/store.ts'
import type { AgentId } from '../../domain/ids.ts'

/** What an agent’s program goes on by itself for, as it said when its turn ended. */
export interface OwnWaits {
  /** In words: “a background task: npm test”. Not empty. */
  readonly waits: readonly string[]
  /** Since when, milliseconds since the epoch. */
  readonly since: number
  /** One of them is a time at which its next turn begins. */
  readonly scheduled?: boolean
}

type Verbs = Pick<StoreVerbs, 'snapshots'>

export const OWN_WAITS_PREFIX = 'own-waits:'

/** At the end of each turn; none: it rests for nothing of its own. */
export const recordOwnWaits = (
  { snapshots }: Verbs,
  id: AgentId,
  { waits, since, scheduled = false }: OwnWaits,
): Promise<void> =>
  waits.length === 0
    ? snapshots.remove(`${OWN_WAITS_PREFIX}${id}`)
    : snapshots.put(`${OWN_WAITS_PREFIX}${id}`, { waits, since, scheduled })

export const ownWaitsOf = async (
  { snapshots }: Verbs,
  id: AgentId,
): Promise<OwnWaits | undefined> =>
  (await snapshots.get(`${OWN_WAITS_PREFIX}${id}`)) as OwnWaits | undefined

/** Of all agents. */
export async function allOwnWaits({ snapshots }: Verbs): Promise<Map<AgentId, OwnWaits>> {
  return ownWaitsIn(await snapshots.list(OWN_WAITS_PREFIX))
}

/** The same of the records themselves, by key. */
export const ownWaitsIn = (
  records: Iterable<[string, Record<string, unknown>]>,
): Map<AgentId, OwnWaits> =>
  new Map(
    [...records].map(([key, waits]) => [
      key.slice(OWN_WAITS_PREFIX.length) as AgentId,
      waits as unknown as OwnWaits,
    ]),
  )
