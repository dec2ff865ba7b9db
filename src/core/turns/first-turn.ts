import type { Agent } from '../../domain/records.ts'

/**
 * The first turn of programs that ask their model without waiting for their MCP servers: the model
 * would not know of the tree’s tools. Their first prompt’s hook is answered when the tools were
 * listed for them, or after a while.
 */
export interface FirstTurn {
  /** Its program has started. */
  started(agent: Agent): void
  /** Its MCP client has listed the tools. */
  listed(agent: Agent): void
  /**
   * Before the first prompt since `started`: until the tools are listed. Resolves at once for every
   * other prompt.
   */
  ready(agent: Agent, signal?: AbortSignal): Promise<void>
}

/** The hook gives up after 6 s. Milliseconds. */
const LONGEST = 4500
/** For the program to take in the list. Milliseconds. */
const SETTLE = 600
/** Agents that are remembered; a token is an agent’s for one start of its program. */
const MAX_REMEMBERED = 1000

export function createFirstTurn({
  longest = LONGEST,
  settle = SETTLE,
}: { longest?: number; settle?: number } = {}): FirstTurn {
  const starting = new Set<string>()
  const listed = new Set<string>()
  const waiting = new Map<string, () => void>()

  const remember = (set: Set<string>, key: string): void => {
    set.add(key)
    for (const oldest of set) {
      if (set.size <= MAX_REMEMBERED) break
      set.delete(oldest)
    }
  }

  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => setTimeout(resolve, milliseconds).unref())

  return {
    started: ({ tokenHash }) => remember(starting, tokenHash),
    listed: ({ tokenHash }) => {
      remember(listed, tokenHash)
      waiting.get(tokenHash)?.()
    },
    ready: async ({ tokenHash }, signal) => {
      if (!starting.delete(tokenHash)) return
      if (!listed.has(tokenHash)) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, longest)
          timer.unref()
          const done = () => {
            clearTimeout(timer)
            resolve()
          }
          waiting.set(tokenHash, done)
          signal?.addEventListener('abort', done, { once: true })
        })
        waiting.delete(tokenHash)
      }
      if (signal?.aborted !== true) await pause(settle)
    },
  }
}
