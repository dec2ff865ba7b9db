import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import type { StoreVerbs } from '../../adapters/store/store.ts'
import { sharesBranch } from '../../domain/agent-kinds.ts'
import type { AgentId } from '../../domain/ids.ts'
import { hasProgram, isAlive, isInCall, isLasting } from '../../domain/lifecycle.ts'
import type { Agent, Approval, JournalEntry, Question } from '../../domain/records.ts'
import { isFolded } from '../agents/tree.ts'
import { landingsIn } from '../fold/view.ts'
import { blockersOf, isBlocked, isReady } from '../pulls/readiness.ts'
import { knownPulls, mergedBranches } from '../pulls/pull-records.ts'
import { allOwnWaits, type OwnWaits } from '../turns/own-waits.ts'

/** What an agent waits for that does not work, in words, and since when (ms since the epoch). */
export interface Wait {
  readonly what: string
  readonly since: number
}

/** What waits are made of, all of it as it is stored. */
export interface WaitFacts {
  readonly agents: readonly Agent[]
  readonly pulls: readonly PullRequestSnapshot[]
  /** Unanswered. */
  readonly questions: readonly Question[]
  /** Undecided. */
  readonly approvals: readonly Approval[]
  /** Open entries. */
  readonly journal: readonly JournalEntry[]
  readonly own: ReadonlyMap<AgentId, OwnWaits>
}

/** Of each agent that waits for something known; the oldest first. */
export function waitsIn(facts: WaitFacts): (agent: Agent) => Wait[] {
  const merged = mergedBranches(facts.pulls)
  const landing = landingsIn(facts.journal, 0)
  const pullsOf = Map.groupBy(facts.pulls, ({ head }) => head.branch)
  const byParent = Map.groupBy(facts.agents, ({ parentId }) => parentId)
  const asking = Map.groupBy(facts.questions, ({ agentId }) => agentId)
  const askingYou = Map.groupBy(facts.approvals, ({ agentId }) => agentId)
  return (agent) => {
    if (agent.state !== 'idle' && agent.state !== 'waiting') return []
    const asked = [
      ...(asking.get(agent.id) ?? []).map(({ id, askedAt }) => ({
        what: `an answer to ${id}`,
        since: askedAt,
      })),
      ...(askingYou.get(agent.id) ?? []).map(({ what, requestedAt }) => ({
        what: `your approval: ${firstLine(what)}`,
        since: requestedAt,
      })),
    ]
    const own = agent.state === 'waiting' ? standing(agent, asked) : resting(agent)
    return [...asked, ...own].toSorted((one, other) => one.since - other.since)
  }

  /** In a call of its own, or at a dialog. */
  function standing(agent: Agent, asked: readonly Wait[]): Wait[] {
    const { stateReason: reason, stateAt: since } = agent
    if (asked.length > 0) return []
    if (isInCall(agent)) return [{ what: reason === 'wait' ? 'mail' : (reason ?? ''), since }]
    return [{ what: reason ?? 'a person', since }]
  }

  function resting(agent: Agent): Wait[] {
    const { waits = [], since = 0 } = facts.own.get(agent.id) ?? {}
    return [
      ...waits.map((what) => ({ what, since })),
      ...(isLasting(agent) ? ofPull(agent) : []),
      // A root without a program waits for nobody.
      ...(isLasting(agent) && hasProgram(agent) ? ofChildren(agent) : []),
    ]
  }

  function ofPull(agent: Agent): Wait[] {
    if (sharesBranch(agent)) return []
    const pull = pullsOf
      .get(agent.branch)
      ?.findLast(({ state, draft }) => state === 'open' && !draft)
    const what = pull === undefined ? undefined : nextOf(pull)
    return pull === undefined || what === undefined ? [] : [{ what, since: pull.updatedAt }]
  }

  /** What comes next for a pull request; undefined where that is its author’s to do. */
  function nextOf(pull: PullRequestSnapshot): string | undefined {
    const number = `#${pull.number}`
    if (landing.has(pull.number)) return `${number} to land`
    if (pull.scheduled !== undefined) return `the forge to merge ${number}`
    if (pull.reviewDecision === 'changes_requested' || pull.mergeable === 'conflicting')
      return undefined
    if (pull.checksState === 'failed') return undefined
    if (pull.checksState === 'pending') return `the checks of ${number}`
    if (isBlocked(pull))
      return `${blockersOf(pull)
        .map(({ needs }) => needs)
        .join(', and ')} on ${number}`
    return isReady(pull) ? `${number} to be reviewed or merged` : undefined
  }

  function ofChildren(agent: Agent): Wait[] {
    const busy = (byParent.get(agent.id) ?? []).filter(
      (child) => isAlive(child.state) && child.state !== 'idle' && !isFolded(child, merged),
    )
    if (busy.length === 0) return []
    const names = busy.map(({ kind, name }) => (kind === 'process' ? `the process ${name}` : name))
    const shown = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} more`] : names
    return [{ what: shown.join(', '), since: agent.stateAt }]
  }
}

/** The same for whoever has read only the agents. */
export async function readWaits(
  store: StoreVerbs,
  agents: readonly Agent[],
): Promise<(agent: Agent) => Wait[]> {
  const [pulls, questions, approvals, journal, own] = await Promise.all([
    knownPulls(store),
    store.questions.open(),
    store.approvals.pending(),
    store.journal.open(),
    allOwnWaits(store),
  ])
  return waitsIn({ agents, pulls, questions, approvals, journal, own })
}

const firstLine = (text: string): string => text.split('\n')[0] ?? ''
