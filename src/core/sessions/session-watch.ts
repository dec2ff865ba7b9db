import type { Agent } from '../../domain/records.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { Deps } from '../deps.ts'
import { isAlive, isLasting } from '../../domain/lifecycle.ts'
import type { SessionEnds } from './session-ends.ts'

/** Ends sessions when their turn is over, and whatever has a deadline when that passes. */
export interface SessionWatch {
  /** From now on, until it ends. */
  begin(id: AgentId): Promise<void>
  /** After a start: all that live, also those whose turn or time was over meanwhile. */
  recover(): Promise<void>
  /**
   * Looks at one that lives: what was not reported to the daemon counts as well, and what could not
   * be ended in time is tried again.
   */
  look(agent: Agent): Promise<void>
  /** Lets go of all timers and channels; resolves when nothing is under way. */
  stop(): Promise<void>
}

/** The longest that a timer can be set to, milliseconds. */
const FAR = 2 ** 31 - 1
/** A turn that is over shows its reason a moment later, milliseconds. */
const MOMENT = 20
const LOOKS = 50

export function createSessionWatch({
  store,
  detached,
  clock,
  log,
  ends,
}: Pick<Deps, 'store' | 'detached' | 'clock' | 'log'> & {
  ends: Pick<SessionEnds, 'turnOver' | 'timedOut'>
}): SessionWatch {
  const watched = new Map<AgentId, { stop: () => void; deadline: number | null }>()
  const busy = new Map<AgentId, Promise<void>>()
  let stopped = false

  const forget = (id: AgentId): void => {
    watched.get(id)?.stop()
    watched.delete(id)
  }

  /** Its program says that it is done with a turn, not that it never began one. */
  const rests = async ({ id, paneId }: Agent, looks = LOOKS): Promise<boolean> => {
    for (let look = 0; look < looks && !stopped; look++) {
      const session = paneId === null ? undefined : await detached.session(paneId)
      if (session === undefined || session.agentId !== id || session.state === 'starting')
        return false
      if (session.state === 'idle')
        return session.reason !== null || session.turns > 0 || session.lastText !== ''
      // Its host still waits for the answer that it may stop.
      if (look + 1 < looks) await new Promise((resolve) => setTimeout(resolve, MOMENT))
    }
    return false
  }

  const attend = async (id: AgentId): Promise<void> => {
    const agent = await store.agents.get(id)
    if (agent === undefined || !isAlive(agent.state)) {
      forget(id)
      return
    }
    if (agent.state === 'idle' && agent.kind !== 'process' && (await rests(agent)))
      await ends.turnOver(agent)
  }

  /** One look after the other: each sees what the one before did. */
  const wake = (id: AgentId, work: () => Promise<void> = () => attend(id)): Promise<void> => {
    const next = (busy.get(id) ?? Promise.resolve())
      .then(() => (stopped ? undefined : work()))
      .catch((thrown: unknown) =>
        log.error(
          { err: thrown, agent: id },
          'a session could not be ended; the next look tries again',
        ),
      )
      .finally(() => {
        if (busy.get(id) === next) busy.delete(id)
      })
    busy.set(id, next)
    return next
  }

  const expire = (id: AgentId): Promise<void> =>
    wake(id, async () => {
      const agent = await store.agents.get(id)
      if (agent === undefined || !isAlive(agent.state)) return
      // Its turn may have ended in time, and nobody knows of it yet: the daemon was away.
      if (agent.kind !== 'process' && (await rests(agent, 1).catch(() => false)))
        await ends.turnOver(agent)
      const now = await store.agents.get(id)
      if (now !== undefined && isAlive(now.state)) await ends.timedOut(now)
    })

  const arm = (id: AgentId, deadline: number): (() => void) => {
    let timer: NodeJS.Timeout
    const set = (): void => {
      const left = deadline - clock()
      timer = setTimeout(
        () => (deadline > clock() ? set() : void expire(id)),
        Math.min(Math.max(left, 0), FAR),
      )
      timer.unref()
    }
    set()
    return () => clearTimeout(timer)
  }

  const begin = async (id: AgentId): Promise<void> => {
    if (stopped || watched.has(id)) return
    const unsubscribe = store.subscribe(id, () => void wake(id))
    const entry = { stop: unsubscribe, deadline: null as number | null }
    watched.set(id, entry)
    const run = await store.runs.get(id).catch((thrown: unknown) => {
      // It is begun anew by the next look.
      if (watched.get(id) === entry) forget(id)
      throw thrown
    })
    const deadline = run?.deadline ?? null
    if (deadline !== null && watched.get(id) === entry) {
      entry.deadline = deadline
      const disarm = arm(id, deadline)
      entry.stop = () => {
        unsubscribe()
        disarm()
      }
    }
    // It may have come to its end before anybody watched.
    void wake(id)
  }

  return {
    begin,
    recover: async () => {
      for (const agent of await store.agents.list({ live: true }))
        if (!isLasting(agent)) await begin(agent.id)
    },
    look: async ({ id, state, kind }) => {
      await begin(id)
      if (state === 'idle' && kind !== 'process') await wake(id)
      const deadline = watched.get(id)?.deadline ?? null
      if (deadline !== null && deadline <= clock()) await expire(id)
    },
    stop: async () => {
      stopped = true
      for (const id of [...watched.keys()]) forget(id)
      await Promise.all(busy.values())
    },
  }
}
