import type { Store } from '../../adapters/store/store.ts'
import type { Agent } from '../../domain/records.ts'
import { sharesBranch } from '../../domain/agent-kinds.ts'
import type { AgentId } from '../../domain/ids.ts'
import { hasProgram, isInCall } from '../../domain/lifecycle.ts'

/** Characters of a label: a status line of 80 columns holds several. */
const LABEL = 16

/**
 * What agents are called where there is little room: as much of the end of their branch as no other
 * has (`auth`, `api.auth`), one that works on another's branch by its name. What is too long loses
 * its beginning, as long as no other is called so then.
 */
export function labelsOf(
  agents: readonly Pick<Agent, 'id' | 'kind' | 'branch' | 'name'>[],
): Map<AgentId, string> {
  const paths = agents.map((agent) => ({
    id: agent.id,
    path: [...agent.branch.split('.'), ...(sharesBranch(agent) ? [agent.name] : [])],
  }))
  const endings = new Map<string, number>()
  const count = (ending: string) => endings.set(ending, (endings.get(ending) ?? 0) + 1)
  for (const { path } of paths)
    for (let from = 0; from < path.length; from += 1) count(path.slice(from).join('.'))
  const whole = paths.map(({ id, path }) => {
    const endingsOf = path.map((_, index) => path.slice(-1 - index).join('.'))
    return { id, label: endingsOf.find((ending) => endings.get(ending) === 1) ?? path.join('.') }
  })
  const cut = (label: string) => (label.length <= LABEL ? label : `…${label.slice(1 - LABEL)}`)
  const shortened = Map.groupBy(whole, ({ label }) => cut(label))
  return new Map(
    whole.map(({ id, label }) => [
      id,
      shortened.get(cut(label))?.length === 1 ? cut(label) : label,
    ]),
  )
}

/** Who waits for a person in the inbox. */
export interface InboxNeeds {
  readonly approvals: ReadonlySet<AgentId>
  readonly questions: ReadonlySet<AgentId>
}

/**
 * Of a question its asker's parent: the root without a program has a person answer, as for what the
 * root itself asks.
 */
export async function inboxNeeds(
  store: Pick<Store, 'agents' | 'questions' | 'approvals'>,
): Promise<InboxNeeds> {
  const [open, approvals] = await Promise.all([store.questions.open(), store.approvals.pending()])
  const questions = new Set<AgentId>()
  for (const { agentId } of open) {
    const asker = await store.agents.get(agentId)
    const parent =
      asker === undefined || asker.parentId === null
        ? undefined
        : await store.agents.get(asker.parentId)
    if (asker?.kind === 'root' || (parent?.kind === 'root' && !hasProgram(parent)))
      questions.add(agentId)
  }
  return { approvals: new Set(approvals.map(({ agentId }) => agentId)), questions }
}

/** What a person has to do for it, in a word or two; empty where nothing is. */
export function needOf(agent: Agent, { approvals, questions }: InboxNeeds): string {
  if (approvals.has(agent.id)) return 'approve'
  if (questions.has(agent.id)) return 'asks'
  // At a prompt for permission, or a dialog.
  if (agent.state === 'waiting' && !isInCall(agent)) return 'waits'
  if (agent.state === 'unknown') return 'look'
  return agent.state === 'idle' && agent.outcome?.success === false ? 'gave up' : ''
}
