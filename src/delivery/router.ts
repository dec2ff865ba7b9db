import type { AgentState } from '../domain/records.ts'
import { baseOwners } from '../domain/base-owner.ts'
import {
  parentBranch,
  type Actor,
  type AgentId,
  type BranchName,
  type Recipient,
} from '../domain/ids.ts'
import { nearestLiving } from '../domain/nearest-living.ts'
import { ALL_EVENTS } from '../events/all.ts'
import type { EventDefinition } from '../events/define.ts'
import { definitionOf, type EventType } from '../events/event.ts'

/** What the router must know of an agent. */
export interface RoutingAgent {
  readonly id: AgentId
  readonly parentId: AgentId | null
  /** Where its work is; null for a fork, whose branch is another’s. */
  readonly branch: BranchName | null
  /** Where its pull request goes. */
  readonly baseBranch: BranchName | null
  readonly state: AgentState
  /** Something can be said to it; false for a root without a program. */
  readonly reachable: boolean
  /**
   * A call of its parent’s waits for it and has its result, so nobody is notified of its turns and
   * its end besides.
   */
  readonly awaited?: boolean
  /** Its work is in a pull request that is open or merged: that it rests needs nobody. */
  readonly filed?: boolean
  /** A session or background task: that it failed is its parent’s business alone. */
  readonly isMinor?: boolean
}
export type RoutingTree = ReadonlyMap<AgentId, RoutingAgent>

export interface RoutableEvent {
  readonly type: string
  readonly agentId: AgentId | null
  readonly actor: Actor
  readonly payload: Readonly<Record<string, unknown>>
}

export interface Route {
  readonly to: Recipient
  /** The event’s. */
  readonly type: string
}

/** What an agent answers to a review of its own work is for who looks after it. */
const ANSWERS: ReadonlySet<string> = new Set<EventType>(['pr.review', 'pr.thread_comment'])

/** That it paused or ended. */
const LIFE: ReadonlySet<string> = new Set<EventType>([
  'agent.idle',
  'agent.completed',
  'agent.failed',
  'agent.killed',
])

/** Every event type that is ever sent to somebody; each has a template. */
export const ROUTED_TYPES: readonly EventType[] = ALL_EVENTS.filter(
  ({ tells }) => tells !== undefined,
).map(({ type }) => type)

const DEAD: readonly AgentState[] = ['completed', 'failed', 'killed']

export const isDead = (state: AgentState): boolean => DEAD.includes(state)

/**
 * Owner and parent by record; only for a pull request that no agent filed by its branches. Of a
 * pull request the owner of its base stands in for the parent: it is the one who merges.
 */
function familyOf(
  event: RoutableEvent,
  tree: RoutingTree,
): { owner: AgentId | null; parent: AgentId | null } {
  const head = event.payload['head']
  const base = event.payload['base']
  if (event.agentId !== null) {
    const parent =
      typeof head === 'string' && typeof base === 'string'
        ? baseOwners(tree, event.agentId, base)[0]?.id
        : tree.get(event.agentId)?.parentId
    return { owner: event.agentId, parent: parent ?? null }
  }
  if (typeof head !== 'string' || typeof base !== 'string') return { owner: null, parent: null }
  const on = (branch: string | null): RoutingAgent | undefined =>
    branch === null
      ? undefined
      : [...tree.values()].find((agent) => agent.branch === branch && !isDead(agent.state))
  const owner = on(head)
  const parent = owner
    ? (baseOwners(tree, owner.id, base)[0]?.id ?? null)
    : ((on(base) ?? on(parentBranch(head as BranchName)))?.id ?? null)
  return { owner: owner?.id ?? parent, parent }
}

function triedBy({ payload: { tried_by: tried } }: RoutableEvent): Recipient[] {
  return Array.isArray(tried)
    ? tried.filter((who: Actor) => who !== 'daemon' && !who.startsWith('forge:'))
    : []
}

/**
 * Event × tree → who is notified, each once: whom its definition names, and what is special about
 * some. Nobody is notified of what they did themselves; what is for the dead goes to the nearest
 * living ancestor; what has no agent left to receive it goes to the human.
 */
export function route(
  event: RoutableEvent,
  tree: RoutingTree,
  definition: Pick<EventDefinition, 'tells'> | undefined = definitionOf(event.type),
): Route[] {
  const { type } = event
  if (definition?.tells === undefined) return []
  const about = event.agentId === null ? undefined : tree.get(event.agentId)
  if (LIFE.has(type) && about?.awaited === true) return []
  if (type === 'agent.idle' && about?.filed === true) return []
  const family = familyOf(event, tree)
  const recipients = new Set<Recipient>()
  for (const target of definition.tells(event.payload)) {
    if (target === 'human' && type === 'agent.failed' && about?.isMinor === true) continue
    // The root has no parent to care for its turns; a person who does looks at the tree.
    if (target === 'parent' && family.parent === null && type === 'agent.idle') continue
    const answers =
      target === 'owner' &&
      ANSWERS.has(type) &&
      family.owner !== null &&
      event.actor === family.owner
    recipients.add(
      target === 'human' ? 'human' : nearestLiving(tree, family[answers ? 'parent' : target]),
    )
  }
  // Whoever was refused the same has to know that it is done.
  if (type === 'pr.merged')
    for (const who of triedBy(event))
      recipients.add(who === 'human' ? 'human' : nearestLiving(tree, who))
  // What it was asked for long ago is news to whoever asked.
  if (!(type === 'pr.merged' && event.payload['scheduled'] === true))
    recipients.delete(event.actor as Recipient)
  return [...recipients].map((to) => ({ to, type }))
}
