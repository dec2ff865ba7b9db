import type { ItemType } from '../../domain/inbox-items.ts'
import { isAlive, isInCall, isLasting } from '../../domain/lifecycle.ts'
import type { Agent, Approval, Delivery, Question } from '../../domain/records.ts'
import { isFolded } from '../agents/tree.ts'
import { mergedBranches } from '../pulls/pull-records.ts'
import { isPermission } from '../questions/approvals.ts'
import { aroundOf, type Around, type Found } from './around.ts'
import { gaveUp, hasFailed } from './failures.ts'
import type { InboxFacts } from './inbox-facts.ts'
import type { Item } from './item.ts'
import { pullItems, yourPulls } from './pull-items.ts'

/**
 * Everything that needs a person, the oldest first. Pure: what it asks for may have happened in any
 * way, and it is gone with the next read. `ready`: since when each pull request can be acted on, by
 * number; what is not there counts from its last change.
 */
export function itemsOf(facts: InboxFacts, ready: ReadonlyMap<number, number> = new Map()): Item[] {
  const around = aroundOf(facts.agents)
  const found: Found[] = [
    ...facts.questions.flatMap((question) => questionItem(question, around)),
    ...facts.approvals.flatMap((approval) => approvalItem(approval, around)),
    ...terminalItems(facts, around),
    ...pullItems(facts, around, ready),
    ...failureItems(facts, around),
    ...facts.undecided.flatMap((delivery) => deliveryItem(delivery, around)),
  ]
  return found
    .toSorted((a, b) => a.since - b.since || (a.id < b.id ? -1 : 1))
    .map((item, index) => ({ number: index + 1, ...item }))
}

/** Pull requests that are items, for whoever asks since when. */
export const pullsOfItems = (facts: InboxFacts) => yourPulls(facts, aroundOf(facts.agents))

const firstLine = (text: string): string =>
  text
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim() ?? ''

const about = (agent: Agent | undefined): Pick<Item, 'agent' | 'agent_id'> => ({
  agent: agent?.name ?? null,
  agent_id: agent?.id ?? null,
})

function questionItem({ id, agentId, message, askedAt }: Question, around: Around): Found[] {
  const asker = around.byId.get(agentId)
  if (asker === undefined || !isAlive(asker.state) || !around.isYours(asker.parentId)) return []
  return [
    {
      id: `question:${id}`,
      type: 'question',
      ...about(asker),
      since: askedAt,
      title: `${asker.name} asks: ${firstLine(message)}`,
      text: message,
      settle: [`exomonad answer ${around.call(asker)} "…" --question ${id}`],
    },
  ]
}

/** Of one that is over nobody waits for the answer. */
function approvalItem({ id, agentId, what, requestedAt }: Approval, around: Around): Found[] {
  const agent = around.byId.get(agentId)
  if (agent !== undefined && !isAlive(agent.state)) return []
  const type: ItemType = isPermission(id) ? 'permission' : 'approval'
  return [
    {
      id: `approval:${id}`,
      type,
      ...about(agent),
      since: requestedAt,
      title: `${agent?.name ?? agentId} asks for ${type}: ${firstLine(what)}`,
      text: what,
      settle: [`exomonad approve ${id}`, `exomonad deny ${id} --reason "…"`],
    },
  ]
}

/** What its program asks through us is an approval, and its own call waits by itself. */
function terminalItems({ agents, approvals }: InboxFacts, around: Around): Found[] {
  const asking = new Set(approvals.map(({ agentId }) => agentId))
  return agents
    .filter((agent) => agent.state === 'waiting' && !isInCall(agent) && !asking.has(agent.id))
    .map((agent) => {
      const reason = agent.stateReason ?? 'it waits for a person'
      return {
        id: `terminal:${agent.id}`,
        type: 'terminal',
        ...about(agent),
        since: agent.stateAt,
        title: `${agent.name} waits in its terminal: ${firstLine(reason)}`,
        text: reason,
        settle: [`exomonad attach ${around.call(agent)}`, `exomonad logs ${around.call(agent)}`],
      }
    })
}

function failureItems({ agents, pulls, givenMore }: InboxFacts, around: Around): Found[] {
  const merged = mergedBranches(pulls)
  /** Of those below a call that waits, the call has it; of sessions and processes their parent. */
  const isReported = ({ kind, parentId }: Agent): boolean =>
    kind !== 'spawn' && kind !== 'delegate' && (isLastingKind(kind) || around.isYours(parentId))
  return agents
    .filter((agent) => isReported(agent) && !isFolded(agent, merged))
    .flatMap((agent): Found[] => {
      if (hasFailed(agent)) return [failedItem(agent, around.call(agent))]
      return gaveUp(agent) && !givenMore.has(agent.id)
        ? [gaveUpItem(agent, around.call(agent))]
        : []
    })
}

const isLastingKind = (kind: Agent['kind']): boolean => isLasting({ kind })

function failedItem(agent: Agent, call: string): Found {
  const { stateReason, exitCode, exitSignal, endedAt, stateAt } = agent
  const how =
    exitCode !== null
      ? `exit code ${exitCode}`
      : exitSignal !== null
        ? `ended by ${exitSignal}`
        : ''
  const why = stateReason ?? how
  return {
    id: `failed:${agent.id}`,
    type: 'failed',
    ...about(agent),
    since: endedAt ?? stateAt,
    title: `${agent.name} failed${why === '' ? '' : `: ${firstLine(why)}`}`,
    text: [stateReason ?? '', how].filter((line) => line !== '').join('\n'),
    settle: [
      ...(isLasting(agent)
        ? [`exomonad logs ${call}`, `exomonad resume ${call}`]
        : [`exomonad result ${call}`]),
      'exomonad reap',
    ],
  }
}

function gaveUpItem(agent: Agent, call: string): Found {
  const { error, partial, summary, at } = agent.outcome ?? {}
  const words = [error, summary, partial].filter((part) => part !== undefined && part !== '')
  return {
    id: `failed:${agent.id}`,
    type: 'failed',
    ...about(agent),
    since: at ?? agent.stateAt,
    title: `${agent.name} gave up${words[0] === undefined ? '' : `: ${firstLine(words[0])}`}`,
    text: words.join('\n'),
    settle: [`exomonad logs ${call}`, `exomonad send ${call} "…"`, `exomonad kill ${call}`],
  }
}

/** One that is over on purpose needs nothing any more. */
function deliveryItem(delivery: Delivery, around: Around): Found[] {
  const { id, recipient, text, why, settledAt, createdAt } = delivery
  const agent = recipient === 'human' ? undefined : around.byId.get(recipient)
  if (agent === undefined || agent.reapedAt !== null) return []
  if (agent.state === 'killed' || agent.state === 'completed') return []
  const call = around.call(agent)
  return [
    {
      id: `delivery:${id}`,
      type: 'delivery',
      ...about(agent),
      since: settledAt ?? createdAt,
      title: `nobody knows whether a message reached ${agent.name}: ${firstLine(text)}`,
      text: why === null ? text : `${text}\n(${why})`,
      settle: isAlive(agent.state)
        ? [`exomonad logs ${call}`, `exomonad --as ${call} ack ${id}`, `exomonad send ${call} "…"`]
        : [`exomonad logs ${call}`, `exomonad resume ${call}`, `exomonad reap ${call}`],
    },
  ]
}
