import type { WireEvent } from '../../../../src/surfaces/client.ts'
import { agentPath, pullPath } from '../../shell/paths.ts'

export interface EventLink {
  readonly href: string
  readonly words: string
}

/** Where one goes on from an event, beside its agent: the pull request, what was asked. */
export function linksOf({ type, payload, agentId }: WireEvent): EventLink[] {
  const links: EventLink[] = []
  const number = payload['number']
  // Issues have numbers as well.
  if (typeof number === 'number' && number > 0 && !type.startsWith('issue.'))
    links.push({ href: pullPath(number), words: `#${number}` })
  for (const [key, name] of ITEMS) {
    const id = payload[key]
    // Of a delivery only one that somebody has to decide about is an item.
    if (name === 'delivery' && type !== 'delivery.undecided') continue
    if (typeof id === 'string' && id !== '')
      links.push({ href: `/inbox?item=${encodeURIComponent(`${name}:${id}`)}`, words: name })
  }
  const partner = payload['partner_id']
  if (typeof partner === 'string' && partner !== agentId)
    links.push({ href: agentPath(partner), words: 'the other' })
  return links
}

const ITEMS = [
  ['question_id', 'question'],
  ['approval_id', 'approval'],
  ['delivery_id', 'delivery'],
] as const
