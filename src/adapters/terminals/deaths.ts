import type { AgentId, PaneId } from '../../domain/ids.ts'
import type { Log } from '../../runtime/log.ts'
import type { Multiplexer, Pane } from './holder.ts'

type DeathListener = Parameters<Multiplexer['onDeath']>[0]
type Death = Parameters<DeathListener>[0]

export interface Deaths {
  /**
   * Looks at all panes: what is dead or missing and was alive before is reported. The first look
   * only learns. Looks don't overlap; calls during one ask for another after it. A look that fails
   * reports nothing.
   */
  look(): Promise<void>
  /** A pane this process opened itself. */
  opened(paneId: PaneId, agentId: AgentId): void
  onDeath(listener: DeathListener): () => void
}

/**
 * Reports each death once, by comparing what is with what was: notices from the multiplexer only
 * make it look earlier.
 */
export function createDeaths({ list, log }: { list: () => Promise<Pane[]>; log: Log }): Deaths {
  const known = new Map<PaneId, { agentId: AgentId | null; dead: boolean; since: number }>()
  const listeners = new Set<DeathListener>()
  let learning = true
  let looks = 0
  let wanted = false
  let looking: Promise<void> | undefined

  const report = (death: Death) => {
    for (const listener of listeners) {
      try {
        listener(death)
      } catch (error) {
        log.error({ err: error, paneId: death.paneId }, 'a listener for dead panes failed')
      }
    }
  }

  const compare = (panes: readonly Pane[], startedAt: number) => {
    const deaths: Death[] = []
    const present = new Set(panes.map((pane) => pane.paneId))
    for (const { paneId, agentId, dead, exitCode, exitSignal } of panes) {
      const before = known.get(paneId)
      // A terminal that is closed while its program still ends has no exit yet: the next look has
      // it.
      const ended = dead && (exitCode !== null || exitSignal !== null)
      known.set(paneId, {
        agentId,
        dead: ended || (before?.dead ?? false),
        since: before?.since ?? startedAt,
      })
      if (ended && !learning && before?.dead !== true)
        deaths.push({ paneId, agentId, exitCode, exitSignal })
    }
    for (const [paneId, { agentId, dead, since }] of known) {
      // A pane that was opened after the list was asked for can't be in it.
      if (present.has(paneId) || since >= startedAt) continue
      known.delete(paneId)
      if (!dead) deaths.push({ paneId, agentId, exitCode: null, exitSignal: null })
    }
    learning = false
    for (const death of deaths) report(death)
  }

  const lookNow = async () => {
    const startedAt = (looks += 1)
    try {
      compare(await list(), startedAt)
    } catch (error) {
      log.warn({ err: error }, 'could not list the panes to see which died')
    }
  }

  const lookWhileWanted = async () => {
    while (wanted) {
      wanted = false
      await lookNow()
    }
    looking = undefined
  }

  return {
    look: async () => {
      wanted = true
      looking ??= lookWhileWanted()
      await looking
    },
    opened: (paneId, agentId) => {
      if (!known.has(paneId)) known.set(paneId, { agentId, dead: false, since: looks })
    },
    onDeath: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
