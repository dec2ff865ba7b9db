import type { WireEvent } from '../../client.ts'

/** Events that say when somebody began to wait for a person, and when no longer. */
export const WAIT_TYPES = [
  'agent.waiting',
  'agent.state',
  'agent.failed',
  'agent.killed',
  'approval.requested',
  'approval.decided',
  'question.asked',
  'question.answered',
] as const

export interface Waited {
  /** How long agents waited for the person, in sum; of an agent with several things only once. */
  readonly seconds: number
  readonly count: number
  /** How many of these go on. */
  readonly open: number
}

/** One agent’s wait for the person. Milliseconds since the epoch. */
export interface Wait {
  readonly agentId: string
  readonly from: number
  /** Null while it goes on. */
  readonly to: number | null
}

interface Window {
  /** Milliseconds since the epoch. */
  readonly since: number
  readonly now: number
  /** Agents whose open questions are the person’s to answer. */
  readonly asking: ReadonlySet<string>
}

/**
 * How long agents waited for the person in a stretch of time. `events`: of WAIT_TYPES, oldest first,
 * from some time before it on, as what was open when it began counts from there.
 */
export function waitedForPerson(events: readonly WireEvent[], window: Window): Waited {
  const { now } = window
  const waits = waitsWithin(events, window).map((wait) => ({ ...wait, end: wait.to ?? now }))
  const byAgent = Map.groupBy(waits, ({ agentId }) => agentId)
  let milliseconds = 0
  for (const own of byAgent.values()) {
    let until = 0
    for (const { from, end } of own.toSorted((one, other) => one.from - other.from)) {
      milliseconds += Math.max(0, end - Math.max(from, until))
      until = Math.max(until, end)
    }
  }
  return {
    seconds: Math.round(milliseconds / 1000),
    count: waits.length,
    open: waits.filter(({ to }) => to === null).length,
  }
}

/** The same, each for itself, as much of it as lies in that stretch. */
export const waitsWithin = (events: readonly WireEvent[], window: Window): Wait[] =>
  waitsIn(events, window).flatMap((wait) => {
    const from = Math.max(wait.from, window.since)
    const to = Math.min(wait.to ?? window.now, window.now)
    return to > from ? [{ ...wait, from, to: wait.to === null ? null : to }] : []
  })

function waitsIn(events: readonly WireEvent[], { since, asking }: Window): Wait[] {
  const open = new Map<string, Wait>()
  const over: Wait[] = []
  const begin = (key: string, { agentId, at }: WireEvent): void => {
    if (agentId !== null && !open.has(key)) open.set(key, { agentId, from: at, to: null })
  }
  /** What began before all that is known has waited since the beginning. */
  const end = (key: string, { agentId, at }: WireEvent, isKnown = false): void => {
    const wait = open.get(key) ?? (isKnown && agentId !== null ? { agentId, from: since } : null)
    open.delete(key)
    if (wait !== null) over.push({ ...wait, to: at })
  }
  for (const event of events) {
    const { type, agentId, actor, payload } = event
    const terminal = `terminal ${agentId}`
    const approval = `approval ${String(payload['approval_id'])}`
    const question = `question ${String(payload['question_id'])}`
    switch (type) {
      case 'agent.waiting':
        begin(terminal, event)
        break
      case 'agent.state':
        if (payload['from'] === 'waiting') end(terminal, event)
        break
      case 'agent.failed':
      case 'agent.killed':
        for (const [key, wait] of open) if (wait.agentId === agentId) end(key, event)
        break
      case 'approval.requested':
        begin(approval, event)
        break
      case 'approval.decided':
        end(approval, event, true)
        break
      case 'question.asked':
        begin(question, event)
        break
      case 'question.answered':
        // What another agent answered was for that one.
        if (actor === 'human') end(question, event, true)
        else open.delete(question)
    }
  }
  const isTheirs = ([key, { agentId }]: [string, Wait]): boolean =>
    !key.startsWith('question ') || asking.has(agentId)
  return [...over, ...[...open].filter(isTheirs).map(([, wait]) => wait)]
}
