import type { StoreVerbs } from '../../adapters/store/store.ts'
import type { Config } from '../../config/schema.ts'
import type { AgentId, Recipient } from '../../domain/ids.ts'
import { type InboxFacts, readInboxFacts } from '../inbox/inbox-facts.ts'
import { ANNOUNCEMENTS } from '../inbox/news.ts'
import { knownPulls } from '../pulls/pull-records.ts'
import { TOLD_PREFIX } from '../radar/told.ts'
import { allOwnWaits, type OwnWaits } from '../turns/own-waits.ts'
import type { Settings } from '../deps.ts'

/** All that the tree is made of, as it is stored. */
export interface TreeFacts extends InboxFacts {
  /** Deliveries that wait to wake somebody; of which nobody knows whether they arrived. */
  readonly counts: DeliveryCounts
  /** Mail that waits. */
  readonly unread: ReadonlyMap<AgentId, number>
  readonly own: ReadonlyMap<AgentId, OwnWaits>
  /** What the radar told, by key. */
  readonly told: ReadonlyMap<string, unknown>
  readonly prices: Config['prices']
  /** Whether the radar looks. */
  readonly radar: boolean
}

export interface DeliveryCounts {
  readonly undelivered: ReadonlyMap<Recipient, number>
  readonly undecided: ReadonlyMap<Recipient, number>
  readonly unsettled: ReadonlyMap<Recipient, number>
  /** Of those what announces no item. */
  readonly news: ReadonlyMap<Recipient, number>
}

export async function readDeliveryCounts({
  outbox,
}: Pick<StoreVerbs, 'outbox'>): Promise<DeliveryCounts> {
  const [undelivered, undecided, unsettled, news] = await Promise.all([
    outbox.counts(['queued'], { reach: 'wake' }),
    outbox.counts(['undecided']),
    outbox.counts(['queued', 'sent']),
    outbox.counts(['queued', 'sent'], { but: ANNOUNCEMENTS }),
  ])
  return { undelivered, undecided, unsettled, news }
}

/** A configuration that can’t be read hides what things cost, not the tree. */
export const readConfigured = (
  settings: Pick<Settings, 'snapshot'>,
): Promise<Pick<TreeFacts, 'prices' | 'radar'>> =>
  settings.snapshot().then(
    ({ config }) => ({ prices: config.prices, radar: config.radar.enabled }),
    () => ({ prices: NO_PRICES, radar: true }),
  )

const NO_PRICES: Config['prices'] = {}

/** One read of the store. */
export async function readTreeFacts(
  store: StoreVerbs,
  settings: Pick<Settings, 'snapshot'>,
): Promise<TreeFacts> {
  const [agents, pulls, questions, approvals, journal, counts, unread, own, told, configured] =
    await Promise.all([
      store.agents.list(),
      knownPulls(store),
      store.questions.open(),
      store.approvals.pending(),
      store.journal.open(),
      readDeliveryCounts(store),
      store.mail.counts(),
      allOwnWaits(store),
      store.snapshots.list(TOLD_PREFIX),
      readConfigured(settings),
    ])
  const inbox = await readInboxFacts(store, { agents, pulls, questions, approvals, journal })
  return { ...inbox, counts, unread, own, told, ...configured }
}
