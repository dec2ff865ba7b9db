/**
 * Rounds of the model, counted from outside: the protocol does not count them. A round ends when
 * the tools that the model called have ended and it goes on to speak, think or call; tools called
 * side by side belong to one round.
 */
export interface TurnCounter {
  /** At least 1. */
  readonly turns: number
  /** It spoke or thought. */
  spoke(): void
  /** The agent said that the model calls a tool, of the registry or of its own. */
  announced(id: string, isRegistrys: boolean): void
  /** The agent said that it has ended. */
  ended(id: string): void
  /** A tool of the registry was called, and answered. */
  called(): void
  answered(): void
}

/**
 * A registry’s tool is reported in two ways, by its call and by what the agent says of it, and
 * either may be late. What the agent reports is in order with what the model says, so that alone
 * counts where the agent reports the registry’s tools at all.
 */
export function createTurnCounter(): TurnCounter {
  const reported = createRounds()
  const called = createRounds()
  let calls = 0
  let reportsAll = false
  return {
    get turns() {
      return reportsAll || calls === 0 ? reported.turns : called.turns
    },
    spoke: () => {
      reported.goOn()
      called.goOn()
    },
    announced: (id, isRegistrys) => {
      reported.begin(id)
      if (isRegistrys) reportsAll = true
      else called.begin(id)
    },
    ended: (id) => {
      reported.end(id)
      called.end(id)
    },
    called: () => {
      calls += 1
      called.begin(`call ${calls}`)
    },
    // Which of them matters to nobody.
    answered: () => called.endOne('call '),
  }
}

function createRounds() {
  const open = new Set<string>()
  let turns = 1
  let toolsEnded = false
  const goOn = (): void => {
    if (!toolsEnded || open.size > 0) return
    turns += 1
    toolsEnded = false
  }
  const end = (id: string): void => {
    if (open.delete(id)) toolsEnded = true
  }
  return {
    get turns() {
      return turns
    },
    goOn,
    begin: (id: string) => {
      if (open.has(id)) return
      goOn()
      open.add(id)
    },
    end,
    endOne: (prefix: string) => end([...open].find((id) => id.startsWith(prefix)) ?? ''),
  }
}
