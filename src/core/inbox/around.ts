import { addressBook } from '../../domain/addresses.ts'
import type { AgentId } from '../../domain/ids.ts'
import { nearestLiving } from '../../domain/nearest-living.ts'
import type { Agent } from '../../domain/records.ts'
import { addressOf } from '../agents/tree.ts'
import { isUnmanned } from '../mail/mail-notices.ts'
import type { Item } from './item.ts'

/** An item before it has a number. */
export type Found = Omit<Item, 'number'>

/** What the items of one read look up of its agents. */
export interface Around {
  readonly byId: ReadonlyMap<AgentId, Agent>
  /** What is sent to this one, or its nearest ancestor that is there, comes to the human. */
  isYours(id: AgentId | null): boolean
  /** How commands call it. */
  call(agent: Agent): string
}

export function aroundOf(agents: readonly Agent[]): Around {
  const byId = new Map(agents.map((agent) => [agent.id, agent]))
  const tree = new Map(
    agents.map((agent) => [
      agent.id,
      {
        ...{ id: agent.id, parentId: agent.parentId, state: agent.state },
        reachable: !isUnmanned(agent),
      },
    ]),
  )
  let meantBy: ReturnType<typeof addressBook<Agent>> | undefined
  const call = (agent: Agent): string => {
    const book = (meantBy ??= addressBook(agents))
    return (
      [agent.name, addressOf(agent)].find(
        (word) => isPlainWord(word) && isOnly(book(word), agent),
      ) ?? agent.id
    )
  }
  return { byId, call, isYours: (id) => nearestLiving(tree, id) === 'human' }
}

const isOnly = (meant: readonly Agent[], agent: Agent): boolean =>
  meant.length === 1 && meant[0] === agent

/** A shell reads it as it is, and no command takes it for an option. */
const isPlainWord = (word: string): boolean => /^\w[\w./-]*$/.test(word)
