import type { Multiplexer } from '../adapters/multiplexer/multiplexer.ts'
import { createApprovals } from '../core/approvals.ts'
import { createBudgetWatch } from '../core/budget-watch.ts'
import { createBranchLock } from '../core/branch-lock.ts'
import { createClean } from '../core/clean.ts'
import type { Core } from '../core/core.ts'
import type { Deps } from '../core/deps.ts'
import { createDirectory } from '../core/directory.ts'
import { createExits } from '../core/exits.ts'
import { createFilePull } from '../core/file-pull.ts'
import { createFirstTurn } from '../core/first-turn.ts'
import { createFollowBase } from '../core/follow-base.ts'
import { createHooks } from '../core/hooks.ts'
import { createLauncher, type Surroundings } from '../core/launch.ts'
import { createLiveAgentOf } from '../core/live-agent.ts'
import { createMergePull } from '../core/merge-pull.ts'
import { createPermissions } from '../core/permissions.ts'
import { createProgramHooks } from '../core/program-hooks.ts'
import { createObserving, type Observing } from '../core/observing.ts'
import { createOwnPanes } from '../core/panes.ts'
import { createPullViews } from '../core/pull-views.ts'
import { createBranchPush } from '../core/push-branch.ts'
import { createQuestions } from '../core/questions.ts'
import { createReconcile } from '../core/reconcile.ts'
import { createRunning } from '../core/running.ts'
import type { Sight } from '../core/sight.ts'
import { createSpawning } from '../core/spawn.ts'
import { createSpawnUndo } from '../core/spawn-undo.ts'
import { createStates } from '../core/states.ts'
import { createStopChain } from '../core/stop-chain.ts'
import { createStopSync } from '../core/stop-sync.ts'
import { createTalking } from '../core/talking.ts'
import { createUpkeep } from '../core/upkeep.ts'
import { createUsage, type UsageReading } from '../core/usage.ts'
import { createView } from '../core/view.ts'
import type { AgentId, PaneId, QuestionId } from '../ids.ts'

export interface AssembledCore {
  readonly core: Core
  readonly paneDied: Parameters<Multiplexer['onDeath']>[0]
  readonly usage: UsageReading
  readonly observing: Observing
}

/** Wires the use cases. Order is that of dependence. */
export function assembleCore(deps: Deps & Surroundings & { sight: Sight }): AssembledCore {
  const states = createStates(deps)
  const launching = new Set<AgentId>()
  const launcher = createLauncher(deps)
  const panes = createOwnPanes(deps)
  const exits = createExits({ ...deps, states, panes })
  const approvals = createApprovals(deps)
  const questions = createQuestions({ ...deps, states })
  const talking = createTalking({ ...deps, approvals, questions })
  const usage = createUsage({
    ...deps,
    liveOf: createLiveAgentOf(deps),
    checkBudgets: createBudgetWatch(deps).check,
  })
  const branchPush = createBranchPush(deps)
  const spawnUndo = createSpawnUndo({ ...deps, states })
  const branchLock = createBranchLock()
  const mergePull = createMergePull({ ...deps, branchLock, branchPush })
  const followBase = createFollowBase(deps)
  const sync = createStopSync({ ...deps, branchPush, branchLock, ask: questions.askInBehalf })
  const permissions = createPermissions({ ...deps, states, approvals, live: createLiveAgentOf(deps) })
  const observing = createObserving({ ...deps, states, panes, isAsked: permissions.pending })
  const reconciling = createReconcile({
    ...deps,
    states,
    exits,
    panes,
    observing,
    isWaiting: (id) => questions.isWaiting(id as QuestionId),
    isLaunching: (id) => launching.has(id),
  })
  /** Records an end, where there was one. */
  const look = (paneId: PaneId): void => {
    reconciling
      .paneDied(paneId)
      .catch((thrown: unknown) => deps.log.error({ err: thrown, paneId }, 'a pane’s death could not be recorded; the next reconciliation does'))
  }
  const hooks = createHooks({ ...deps, states, usage, stopChain: createStopChain({ ...deps, sync, followBase }) })
  const firstTurn = createFirstTurn()
  const core: Core = {
    directory: createDirectory(deps),
    spawning: createSpawning({ ...deps, launcher, states, approvals, undo: spawnUndo, opened: look }),
    running: createRunning({
      ...deps,
      launcher,
      states,
      exits,
      panes,
      opened: look,
      launching,
      remindOfMail: talking.remindOfMail,
      say: async (agent, message) => {
        await deps.publisher.publish({ type: 'message', agentId: agent.id, actor: 'human', payload: { message } })
      },
    }),
    pulls: { ...createPullViews(deps), file: createFilePull({ ...deps, branchPush, followBase }), merge: mergePull.merge },
    talking,
    hooks: {
      ...hooks,
      fromProgram: createProgramHooks({ ...deps, states, hooks, permissions, usage, firstTurn }),
      toolsListed: ({ agent }) => firstTurn.listed(agent),
    },
    upkeep: createUpkeep({
      ...deps,
      reconcile: async () => {
        await reconciling.reconcile()
        await usage.refreshChanged()
      },
      clean: createClean({ ...deps, panes }),
      spawnUndo,
      mergePull,
      approvals,
      deliverUnclaimed: questions.deliverUnclaimed,
      giveBackUnconfirmed: async () => {
        await questions.giveBackUnconfirmed()
        await talking.giveBackUnconfirmed()
      },
    }),
    view: createView(deps),
  }
  return {
    core,
    paneDied: ({ paneId }) => look(paneId),
    usage,
    observing,
  }
}
