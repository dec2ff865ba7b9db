import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import type { StoreVerbs } from '../../adapters/store/store.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { Agent, Approval, Delivery, JournalEntry, Question } from '../../domain/records.ts'
import { knownPulls } from '../pulls/pull-records.ts'
import { wasGivenMore } from '../tree/done.ts'
import { gaveUp } from './failures.ts'

/** What items are made of. */
export interface InboxFacts {
  readonly agents: readonly Agent[]
  readonly pulls: readonly PullRequestSnapshot[]
  /** Unanswered, oldest first. */
  readonly questions: readonly Question[]
  readonly approvals: readonly Approval[]
  /** Open entries. */
  readonly journal: readonly JournalEntry[]
  /** Deliveries of which nobody knows whether they arrived. */
  readonly undecided: readonly Delivery[]
  /** Agents that gave up and were sent something since. */
  readonly givenMore: ReadonlySet<AgentId>
}

type Known = Pick<InboxFacts, 'agents' | 'pulls' | 'questions' | 'approvals' | 'journal'>

/** From the store alone. `known`: what the caller has read already. */
export async function readInboxFacts(store: StoreVerbs, known?: Known): Promise<InboxFacts> {
  const facts = known ?? (await readKnown(store))
  const givenUp = facts.agents.filter(gaveUp)
  // A person or its parent, who sent it something, has seen that it gave up.
  const more = await Promise.all(
    givenUp.map(
      async (agent) =>
        agent.outcome?.at !== undefined && wasGivenMore(store, agent, agent.outcome.at),
    ),
  )
  return {
    ...facts,
    undecided: await store.outbox.list({ states: ['undecided'] }),
    givenMore: new Set(givenUp.filter((_, index) => more[index]).map(({ id }) => id)),
  }
}

async function readKnown(store: StoreVerbs): Promise<Known> {
  const [agents, pulls, questions, approvals, journal] = await Promise.all([
    store.agents.list(),
    knownPulls(store),
    store.questions.open(),
    store.approvals.pending(),
    store.journal.open(),
  ])
  return { agents, pulls, questions, approvals, journal }
}

/** When it was last reported of these that somebody can act on them, by number. */
export async function readySince(
  store: Pick<StoreVerbs, 'events'>,
  pulls: readonly PullRequestSnapshot[],
): Promise<Map<number, number>> {
  const types = ['pr.ready', 'pr.blocked']
  const since = new Map<number, number>()
  for (const { number, url, agentId } of pulls) {
    const of = agentId === null ? {} : { agentId }
    const events = await store.events.list({ types, ...of, last: 50 })
    const at = events.findLast(({ payload }) => payload['url'] === url)?.at
    if (at !== undefined) since.set(number, at)
  }
  return since
}
