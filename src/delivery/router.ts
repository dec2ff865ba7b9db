import type { AgentState, Reach } from '../domain/records.ts'
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
import type { EventDefinition, Target, Tells } from '../events/define.ts'
import { definitionOf, type EventType } from '../events/event.ts'

/** What the router must know of an agent. */
export interface RoutingAgent {
  readonly id: AgentId
  readonly role: string
  readonly parentId: AgentId | null
  /** Where its work is; null for a fork, whose branch is another’s. */
  readonly branch: BranchName | null
  /** Where its pull request goes. */
  readonly baseBranch: BranchName | null
  readonly state: AgentState
  /** Something can be said to it; false for a root without a program. */
  readonly reachable: boolean
  /** A root without a program that had one: `exomonad up` starts it again. */
  readonly startsAgain?: boolean
  /**
   * A call of its parent’s waits for it and has its result, so nobody is notified of its turns and
   * its end besides.
   */
  readonly awaited?: boolean
  /** Its work is in a pull request that is open or merged, which is news where it needs anybody. */
  readonly filed?: boolean
  /** Its work was merged, and nothing was filed since: it is done. */
  readonly folded?: boolean
  /** What it waits for while it rests, in words: nobody has to do anything about that. */
  readonly waitsFor?: string
  /** Its parent was notified that it rests, and gave it nothing since. */
  readonly restIsKnown?: boolean
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
  readonly reach: Reach
  /** Of what is only logged: why. */
  readonly why?: string
  /** News of a sibling, which goes along with other things and wakes nobody. */
  readonly aside?: true
}

/** How an event reaches agents of a role, where its definition says `reach`. */
export type AttentionPolicy = (type: string, role: string, reach: Reach) => Reach

/** What an agent answers to a review of its own work is for who looks after it. */
const ANSWERS: ReadonlySet<string> = new Set<EventType>(['pr.review', 'pr.thread_comment'])

/** What a person says to a root waits for its program to be started again. */
const SAID: ReadonlySet<string> = new Set<EventType>(['message', 'question.answered'])

const LOGGED = 'it is only logged for its role'

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

/** Those at work, but for its author, whose own pull requests go into the same base. */
const siblingsOf = (
  { payload: { head, base } }: RoutableEvent,
  tree: RoutingTree,
  author: AgentId | null,
): RoutingAgent[] =>
  [...tree.values()].filter(
    (one) =>
      one.branch !== null &&
      one.branch !== head &&
      one.baseBranch === base &&
      one.id !== author &&
      !isDead(one.state) &&
      one.reachable &&
      one.folded !== true,
  )

function triedBy({ payload: { tried_by: tried } }: RoutableEvent): Recipient[] {
  return Array.isArray(tried)
    ? tried.filter((who: Actor) => who !== 'daemon' && !who.startsWith('forge:'))
    : []
}

/**
 * Event × tree → who is notified, and how it reaches them, each once: whom its definition names,
 * and what is special about some. Nobody is notified of what they did themselves; what is for the
 * dead goes to the nearest living ancestor; what has no agent left to receive it goes to the human,
 * but for what a person says to a root that will be started again.
 */
export function route(
  event: RoutableEvent,
  tree: RoutingTree,
  options: {
    readonly policy?: AttentionPolicy | undefined
    /** Default: of the event’s type. */
    readonly definition?: Pick<EventDefinition, 'tells' | 'personal'>
  } = {},
): Route[] {
  const { policy = asDefined, definition = definitionOf(event.type) } = options
  const { type } = event
  if (definition?.tells === undefined) return []
  const partner = event.payload['partner_id']
  const family = {
    ...familyOf(event, tree),
    partner: typeof partner === 'string' ? (partner as AgentId) : null,
  }
  const about = event.agentId === null ? undefined : tree.get(event.agentId)
  const routes = new Map<Recipient, Route>()
  for (const [target, defined] of entriesOf(definition.tells(event.payload))) {
    if (target === 'siblings') {
      for (const { id: to } of siblingsOf(event, tree, family.owner))
        if (!routes.has(to) && to !== event.actor)
          routes.set(to, { to, type, reach: defined, aside: true })
      continue
    }
    if (target === 'human' && type === 'agent.failed' && about?.isMinor === true) continue
    // The root has no parent to care for its turns; a person who does looks at the tree.
    if (target === 'parent' && family.parent === null && type === 'agent.idle') continue
    const answers =
      target === 'owner' &&
      ANSWERS.has(type) &&
      family.owner !== null &&
      event.actor === family.owner
    if (target === 'partner' && family.partner === null) continue
    const to =
      target === 'human'
        ? 'human'
        : target === 'owner' && waitsForStart(event, about)
          ? about.id
          : nearestLiving(tree, family[answers ? 'parent' : target])
    const before = routes.get(to)
    const after = reachOf(event, about, to, answers ? 'wake' : defined)
    if (before === undefined || RANK[after.reach] > RANK[before.reach])
      routes.set(to, { to, type, ...after })
  }
  // Whoever was refused the same has to know that it is done.
  if (type === 'pr.merged')
    for (const who of triedBy(event)) {
      const to = who === 'human' ? 'human' : nearestLiving(tree, who)
      if (!routes.has(to)) routes.set(to, { to, type, ...reachOf(event, about, to, 'carry') })
    }
  return [...routes.values()].map((one) => configured(one, tree, policy, definition))
}

/** It would be the person’s own inbox else, where nobody reads what they themselves said. */
const waitsForStart = (
  { type, actor }: RoutableEvent,
  about: RoutingAgent | undefined,
): about is RoutingAgent =>
  about?.startsAgain === true && !isDead(about.state) && actor === 'human' && SAID.has(type)

const RANK: Readonly<Record<Reach, number>> = { log: 0, carry: 1, wake: 2 }
const asDefined: AttentionPolicy = (_type, _role, reach) => reach
const entriesOf = (tells: Tells) => Object.entries(tells) as [Target, Reach][]

/** What its definition says, but for what nobody has to know of it now. */
function reachOf(
  event: RoutableEvent,
  about: RoutingAgent | undefined,
  to: Recipient,
  defined: Reach,
): { reach: Reach; why?: string } {
  const { type } = event
  // What it was asked for long ago is news to whoever asked.
  const isLate = type === 'pr.merged' && event.payload['scheduled'] === true
  if (to === event.actor && !isLate) return { reach: 'log', why: 'it did so itself' }
  if (LIFE.has(type) && about?.awaited === true)
    return { reach: 'log', why: 'a call waits for it, and returns it' }
  if (type === 'agent.idle' && about?.filed === true)
    return { reach: 'log', why: 'its work is in a pull request' }
  if (type === 'agent.idle' && about?.waitsFor !== undefined)
    return { reach: 'log', why: `it waits for ${about.waitsFor}` }
  if (type === 'agent.idle' && about?.restIsKnown === true)
    return { reach: 'log', why: 'it is known to rest or to be done, and was given nothing since' }
  if (type === 'agent.completed' && about?.filed === true && defined === 'wake')
    return { reach: 'carry' }
  // A task of its parent’s, which may rest until it ends.
  if (type === 'agent.killed' && about?.isMinor === true) return { reach: 'wake' }
  return { reach: defined }
}

/** A person’s inbox is no program’s turn: `[attention]` is about agents. */
function configured(
  { why, ...one }: Route,
  tree: RoutingTree,
  policy: AttentionPolicy,
  { personal }: Pick<EventDefinition, 'personal'>,
): Route {
  const role = one.to === 'human' ? undefined : tree.get(one.to)?.role
  if (why !== undefined) return { ...one, why }
  if (role === undefined) return { ...one, reach: one.reach === 'log' ? 'log' : 'wake' }
  const wanted = policy(one.type, role, one.reach)
  const reach =
    (personal === true && wanted === 'log') || (one.aside === true && wanted === 'wake')
      ? 'carry'
      : wanted
  return { ...one, reach, ...(reach === 'log' && { why: LOGGED }) }
}
