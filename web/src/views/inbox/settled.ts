import type { WireEvent } from '../../../../src/surfaces/client.ts'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { keyOf, type Item } from './items.ts'

/**
 * Who settled an item and how, from what happened lately, oldest first: for a person who was about
 * to. `nameOf`: of an actor. Null where nothing tells.
 */
export function settledBy(
  item: Item,
  events: readonly WireEvent[],
  nameOf: (actor: string) => string,
): string | null {
  for (const event of events.toReversed()) {
    const words = wordsOf(item, event, nameOf)
    if (words !== null) return printableLine(words)
  }
  return null
}

function wordsOf(
  item: Item,
  { type, payload, actor, agentId }: WireEvent,
  nameOf: (actor: string) => string,
): string | null {
  const key = keyOf(item)
  const by = nameOf(actor)
  switch (type) {
    case 'question.answered':
      return item.type === 'question' && payload['question_id'] === key
        ? `${nameOf(String(payload['by']))} answered: ${String(payload['answer'])}`
        : null
    case 'approval.decided': {
      if (payload['approval_id'] !== key) return null
      const reason = payload['reason']
      if (payload['ended'] === true) return 'Its agent ended: nobody waits for it.'
      return `${by} ${String(payload['decision'])} it${typeof reason === 'string' && reason !== '' ? `: ${reason}` : ''}.`
    }
    case 'pr.merged':
    case 'pr.closed':
    case 'pr.pushed':
    case 'landing.queued':
    case 'pr.scheduled':
      return item.type === 'pull' && String(payload['number']) === key
        ? `${by} ${PULL_WORDS[type] ?? ''}`
        : null
    case 'delivery.acked':
      return item.type === 'delivery' && payload['delivery_id'] === key ? 'It arrived.' : null
    case 'agent.killed':
    case 'agent.reaped':
    case 'agent.started':
    case 'agent.completed':
      return agentId !== null && agentId === item.agent_id
        ? `${by} ${AGENT_WORDS[type] ?? ''}`
        : null
    default:
      return null
  }
}

const PULL_WORDS: Readonly<Record<string, string>> = {
  'pr.merged': 'merged it.',
  'pr.closed': 'closed it.',
  'pr.pushed': 'pushed new commits.',
  'landing.queued': 'asked for the merge.',
  'pr.scheduled': 'asked for the merge.',
}
const AGENT_WORDS: Readonly<Record<string, string>> = {
  'agent.killed': 'ended the agent.',
  'agent.reaped': 'took the agent out of sight.',
  'agent.started': 'started the agent again.',
  'agent.completed': 'saw the agent finish.',
}
