/**
 * Rounds of the model, told from outside: the protocol does not count them. A round ends when the tools that the model called have ended and it
 * goes on to speak, think or call; tools called side by side belong to one round.
 */
export interface TurnCounter {
  /** At least 1. */
  readonly turns: number
  /** It spoke or thought. */
  spoke(): void
  /** The agent said that the model calls a tool. */
  announced(id: string): void
  /** That tool has ended. */
  ended(id: string): void
  /** A tool of the registry was called; its agent may have announced that or not. */
  called(): void
  answered(): void
}

export function createTurnCounter(): TurnCounter {
  const open = new Set<string>()
  let turns = 1
  let running = 0
  let toolsEnded = false
  const goOn = (): void => {
    if (!toolsEnded || open.size > 0 || running > 0) return
    turns += 1
    toolsEnded = false
  }
  return {
    get turns() {
      return turns
    },
    spoke: goOn,
    announced: (id) => {
      if (open.has(id)) return
      goOn()
      open.add(id)
    },
    ended: (id) => {
      if (open.delete(id)) toolsEnded = true
    },
    called: () => {
      goOn()
      running += 1
    },
    answered: () => {
      running -= 1
      toolsEnded = true
    },
  }
}
