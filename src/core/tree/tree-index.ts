import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import { shortAddresses } from '../../domain/addresses.ts'
import { sharesBranch } from '../../domain/agent-kinds.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { AgentId } from '../../domain/ids.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import type { Agent } from '../../domain/records.ts'
import type { TreeView } from '../agents/tree-document.ts'
import { isFolded } from '../agents/tree.ts'
import { landingsOf } from '../fold/view.ts'
import { itemsByAgent } from '../inbox/items-by-agent.ts'
import { itemsOf } from '../inbox/items.ts'
import type { OpenWaits } from '../mail/open-waits.ts'
import { mergedBranches } from '../pulls/pull-records.ts'
import { conflictsTold } from '../radar/told.ts'
import { type NodeFacts, pullView, seconds } from './node-document.ts'
import type { TreeFacts } from './tree-facts.ts'
import { waitsIn } from './waits.ts'
import { whoseTurn } from './whose-turn.ts'

/** What is worked out of all facts together before any node is. */
export interface TreeIndex {
  readonly root: Agent
  /** In sight, oldest first, the root among them. */
  readonly shown: readonly Agent[]
  /** What was cleaned away leaves its children to the next above it. */
  under(agent: Agent): AgentId | null
  factsOf(agent: Agent): NodeFacts
  readonly counts: TreeView['counts']
  readonly inbox: TreeView['inbox']
  unfinished(now: number): TreeView['unfinished']
}

/** Pure but for waits that are open now. NOT_INITIALIZED without a root. */
export function indexTree(
  facts: TreeFacts,
  openWaits: Pick<OpenWaits, 'of'>,
  short: ReadonlyMap<string, string> = shortAddresses(facts.agents),
): TreeIndex {
  const { agents, pulls, questions, counts, radar, prices } = facts
  const root = agents.find((agent) => agent.kind === 'root')
  if (root === undefined)
    throw new ExomonadError('NOT_INITIALIZED', 'No root is registered here. Run `exomonad init`.')
  const pullOf = new Map<string, PullRequestSnapshot>()
  for (const pull of pulls) pullOf.set(pull.head.branch, pull)
  const byId = new Map(agents.map((agent) => [agent.id, agent]))
  const under = (agent: Agent): AgentId | null => {
    const parent = agent.parentId === null ? undefined : byId.get(agent.parentId)
    return parent === undefined || parent.reapedAt === null ? agent.parentId : under(parent)
  }
  const landings = landingsOf(facts.journal)
  const asked = Map.groupBy(questions, (question) => question.agentId)
  const items = itemsOf(facts)
  const itemsOfAgent = itemsByAgent(items, byId, under)
  // What was told before the radar was turned off nobody looks at again.
  const conflictsOf = radar ? conflictsTold(facts.told, byId) : new Map<string, string[]>()
  const waitsOf = waitsIn(facts)
  const merged = mergedBranches(pulls)
  const shown = agents.filter((agent) => agent.reapedAt === null)
  const below = shown.filter((agent) => agent.kind !== 'root')

  return {
    root,
    shown,
    under,
    factsOf: (agent) => {
      const pull = sharesBranch(agent) ? null : (pullOf.get(agent.branch) ?? null)
      const landing = pull === null ? null : (landings.get(pull.number) ?? null)
      const itemCount = itemsOfAgent.get(agent.id) ?? 0
      return {
        ...{ agent, pull, landing, prices },
        short: short.get(agent.id) ?? agent.name,
        undelivered: counts.undelivered.get(agent.id) ?? 0,
        undecided: counts.undecided.get(agent.id) ?? 0,
        unread: facts.unread.get(agent.id) ?? 0,
        openQuestions: asked.get(agent.id)?.length ?? 0,
        items: itemCount,
        turn: whoseTurn(byId, agent, {
          question: asked.has(agent.id),
          pull: pull === null ? null : pullView(pull, landing, 0),
          items: itemCount,
        }),
        waitingFor: openWaits.of(agent.id),
        waits: waitsOf(agent),
        conflicts: conflictsOf.get(agent.id) ?? [],
      }
    },
    counts: {
      agents: below.length,
      live: below.filter((agent) => isAlive(agent.state)).length,
      done: below.filter((agent) => isDone(agent, merged)).length,
      failed: below.filter((agent) => agent.state === 'failed' || agent.outcome?.success === false)
        .length,
    },
    inbox: {
      messages: counts.unsettled.get('human') ?? 0,
      questions: questions.filter((question) => question.agentId === root.id).length,
      approvals: facts.approvals.length,
      items: items.length,
      news: counts.news.get('human') ?? 0,
    },
    unfinished: (now) =>
      facts.journal.map((entry) => ({
        kind: entry.kind,
        step: entry.step,
        age_seconds: seconds(now - entry.startedAt),
        facts: entry.data,
      })),
  }
}

const isDone = (agent: Agent, merged: ReadonlySet<string>): boolean =>
  agent.state === 'completed' || agent.outcome?.success === true || isFolded(agent, merged)
