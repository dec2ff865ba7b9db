import type { AgentId } from '../../domain/ids.ts'
import type { StoredEvent } from '../../domain/records.ts'
import type { Deps } from '../deps.ts'
import { removeFormerSnapshots } from './former-snapshots.ts'
import { createLook, type LookDeps } from './look.ts'
import { membersOf } from './pairs.ts'
import { NO_PICTURE, type RadarPicture } from './picture.ts'
import { createResting } from './resting.ts'

/** Whether the work of agents would merge as it stands in their worktrees, committed or not. */
export interface Radar {
  start(): void
  /** Ends what is under way. */
  stop(): Promise<void>
  /** Looks at all of them, and returns what came of it. */
  look(): Promise<RadarPicture>
}

/** What happens at once makes one look. Milliseconds. */
const SETTLE = 2_000
/** Of one processor, in looks that nobody asked for: in a large repository they become rarer. */
const SHARE = 0.05
/** After these the picture may be another one. */
const NEWS: ReadonlySet<string> = new Set([
  'agent.removed',
  'base.moved',
  'pr.closed',
  'pr.merged',
  'pr.pushed',
])

export function createRadar(deps: LookDeps & Pick<Deps, 'settings'>): Radar {
  const { store, settings, publisher, log } = deps
  const lookNow = createLook(deps)
  const resting = createResting(deps)
  let picture = NO_PICTURE
  /** Who is looked at next. */
  let due: Set<AgentId> | 'all' = 'all'
  let isAsked = false
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let stopped = true

  const round = async (): Promise<void> => {
    const [wanted, urgent] = [due, isAsked]
    due = new Set()
    isAsked = false
    try {
      const { enabled } = (await settings.snapshot()).config.radar
      const seen = await lookNow({
        ...{ picture, wanted, urgent, enabled },
        isStopped: () => stopped,
        isAsked: () => isAsked,
      })
      resting.looked(wanted)
      if (seen !== undefined) picture = seen
    } catch (thrown) {
      due = 'all'
      throw thrown
    }
  }

  /** The look that begins after this was asked for. */
  const once = (): Promise<void> => {
    if (stopped) return Promise.resolve()
    if (running === undefined) {
      running = round().finally(() => (running = undefined))
      return running
    }
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined
        return once()
      })
    return next
  }
  let settling: NodeJS.Timeout | undefined
  const soon = (): void => {
    settling ??= setTimeout(() => {
      settling = undefined
      once().catch(notLooked)
    }, SETTLE).unref()
  }
  const notLooked = (thrown: unknown): void =>
    log.warn({ err: thrown }, 'whether the agents’ work merges was not looked at; it is again')

  const handle = ({ type, agentId, payload }: StoredEvent): void => {
    const rests = type === 'agent.state' && agentId !== null && payload['to'] !== 'running'
    if (!rests && !NEWS.has(type)) return
    if (rests && due !== 'all') due.add(agentId)
    soon()
  }

  /** By the clock: whoever may be at work, and what events did not tell of. */
  const arm = (after: number): void => {
    if (stopped) return
    timer = setTimeout(() => void tick(), after)
    timer.unref()
  }
  const tick = async (): Promise<void> => {
    const begun = performance.now()
    try {
      if (due !== 'all')
        for (const member of membersOf(await store.agents.list({ live: true }), new Set()))
          if (
            member.state !== 'idle' &&
            !(await resting.isSpared(member, picture.snapshots)) &&
            (due as Set<AgentId> | 'all') !== 'all'
          )
            due.add(member.id)
      await once()
    } catch (thrown) {
      notLooked(thrown)
    }
    const took = performance.now() - begun
    arm(Math.max(await interval(), took / SHARE))
  }
  const interval = async (): Promise<number> =>
    settings.snapshot().then(
      ({ config }) => config.radar.interval * 1000,
      () => 30_000,
    )

  let leave = (): void => {}
  let begun: Promise<void> | undefined
  return {
    start: () => {
      stopped = false
      leave = publisher.onEvent(handle)
      begun = removeFormerSnapshots(deps)
      void interval().then(arm)
    },
    stop: async () => {
      stopped = true
      leave()
      clearTimeout(timer)
      clearTimeout(settling)
      settling = undefined
      await begun
      await running?.catch(() => {})
    },
    look: async () => {
      due = 'all'
      isAsked = true
      await once()
      return picture
    },
  }
}
