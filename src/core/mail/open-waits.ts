import type { AgentId } from '../../domain/ids.ts'

/**
 * Waits for several agents that are open in this process: what people are shown while they last.
 */
export interface OpenWaits {
  /** Returns what to call when it is over. */
  open(agentId: AgentId, from: readonly AgentId[]): () => void
  /** The agents that the latest open wait of this one is for; null where there is none. */
  of(agentId: AgentId): AgentId[] | null
}

export function createOpenWaits(): OpenWaits {
  const waits = new Map<AgentId, (readonly AgentId[])[]>()
  return {
    open: (agentId, from) => {
      const own = waits.get(agentId) ?? []
      waits.set(agentId, own)
      own.push(from)
      return () => {
        own.splice(own.indexOf(from), 1)
        if (own.length === 0) waits.delete(agentId)
      }
    },
    of: (agentId) => {
      const latest = waits.get(agentId)?.at(-1)
      return latest === undefined ? null : [...latest]
    },
  }
}
