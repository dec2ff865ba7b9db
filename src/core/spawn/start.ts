import type { StoreTransaction } from '../../adapters/store/store.ts'
import type { Agent } from '../../domain/records.ts'
import type { PaneId } from '../../domain/ids.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Configured, Deps } from '../deps.ts'
import { actorOf } from '../agents/directory.ts'
import type { Launcher, LaunchOptions } from './launch.ts'
import { KilledMeanwhile, requireSpawning } from './provision/while-spawning.ts'
import { sessionPatch, type Launched } from './launched.ts'
import { newToken } from './token.ts'
import type { States } from '../agents/states.ts'

/** The last part of every spawn: the program in its pane, then the agent live. */
export interface SpawnStart {
  /** Writes down the step that is about to be taken. */
  step(journal: string, name: string): Promise<void>
  /**
   * `live`: what is written in the same transaction. The caller undoes on a throw; SPAWN_FAILED
   * where the agent was killed meanwhile.
   */
  start(spawn: Spawned & { configured: Configured; launch: LaunchOptions }): Promise<Launched>
  /** The same of what `open` runs, which needs no token. */
  open<Result extends Opened>(spawn: Spawned & { open: () => Promise<Result> }): Promise<Result>
}

interface Spawned {
  readonly caller: Caller
  readonly agent: Agent
  readonly journal: string
  readonly live?: (tx: StoreTransaction) => Promise<void>
}
type Opened = Pick<Launched, 'paneId' | 'pid'> & Partial<Pick<Launched, 'session'>>

export function createSpawnStart(
  deps: Pick<Deps, 'store' | 'onJournalStep'> & {
    launcher: Launcher
    states: States
    /**
     * The pane of an agent that is live now: its program may have ended before anybody knew whose
     * it was.
     */
    opened: (paneId: PaneId) => void
  },
): SpawnStart {
  const { store, launcher, states } = deps

  const step: SpawnStart['step'] = async (journal, name) => {
    await store.journal.step(journal, name)
    deps.onJournalStep('spawn', name)
  }

  const open: SpawnStart['open'] = async ({ caller, agent, journal, open: launch, live }) => {
    await requireSpawning(deps, agent)
    await step(journal, 'pane')
    const launched = await launch()
    await step(journal, 'live')
    await store.transaction(async (tx) => {
      const now = await tx.agents.get(agent.id)
      const changed = await states.change(
        agent.id,
        {
          // Its hooks may have reported more by now: that its first turn is over already, say.
          ...(now === undefined || now.state === 'spawning'
            ? ({ to: 'running', source: 'process' } as const)
            : { to: now.state, source: now.stateSource, reason: now.stateReason }),
          actor: actorOf(caller),
          patch: {
            paneId: launched.paneId,
            pid: launched.pid,
            ...sessionPatch({ session: launched.session ?? null }),
          },
          events: () => [
            {
              type: 'agent.spawned',
              agentId: agent.id,
              actor: actorOf(caller),
              payload: {
                name: agent.name,
                kind: agent.kind,
                role: agent.role,
                branch: agent.branch,
                worktree: agent.worktree,
                adopted: agent.adopted,
              },
            },
          ],
        },
        tx,
      )
      if (changed === undefined) throw new KilledMeanwhile(agent)
      await live?.(tx)
      await tx.journal.finish(journal, 'done')
    })
    deps.opened(launched.paneId)
    return launched
  }

  return {
    step,
    open,
    start: async ({ configured, launch, ...spawn }) => {
      const token = newToken()
      // The hash is stored before the program can use the token.
      await store.agents.update(spawn.agent.id, { tokenHash: token.hash })
      return open({
        ...spawn,
        open: () => launcher.launch(configured, spawn.agent, { ...launch, token }),
      })
    },
  }
}
