import type { MergeResults } from '../adapters/forge/merge-results.ts'
import type { Limits } from '../adapters/limits/limits.ts'
import type { Multiplexer } from '../adapters/terminals/holder.ts'
import { createAdmission } from '../core/spawn/admission.ts'
import { createResults } from '../core/agents/agent-result.ts'
import { createApprovals } from '../core/questions/approvals.ts'
import { createBackground, type Background } from '../core/background.ts'
import { createBudgetWatch } from '../core/usage/budget-watch.ts'
import { createBlockingCalls } from '../core/turns/blocking-calls.ts'
import { createCaptures } from '../core/spawn/captures.ts'
import { createCleaning } from '../core/maintenance/cleaning.ts'
import type { Core } from '../core/core.ts'
import type { Page } from '../core/page.ts'
import type { Deps } from '../core/deps.ts'
import { createActing } from '../core/acting.ts'
import { createDirectory } from '../core/agents/directory.ts'
import { createEndPrograms } from '../core/agents/end-program.ts'
import { createExits } from '../core/agents/exits.ts'
import { createFirstTurn } from '../core/turns/first-turn.ts'
import { createForgeWatch } from '../core/pulls/forge-watch.ts'
import { createForking } from '../core/spawn/fork.ts'
import { createForkContext } from '../core/spawn/fork-context.ts'
import { createHooks } from '../core/turns/hooks.ts'
import { createLabelSpawns } from '../core/spawn/issues/label-spawns.ts'
import { createFinalOutput } from '../core/agents/final-output.ts'
import { createSlots } from '../core/spawn/provision/slots.ts'
import { createTeardown } from '../core/spawn/provision/teardown.ts'
import { createWorktreeVariables } from '../core/spawn/provision/variables.ts'
import { createLauncher, type LaunchEnvironment } from '../core/spawn/launch.ts'
import { createLimitWatch, type LimitWatch } from '../core/limits/limit-watch.ts'
import { createLiveAgentOf } from '../core/agents/live-agent.ts'
import { createMailbox } from '../core/mail/mailbox.ts'
import { createPermissions } from '../core/turns/permissions.ts'
import { createProgramHooks } from '../core/turns/program-hooks.ts'
import { createNotes } from '../core/mail/notes.ts'
import type { Notifications } from '../core/mail/notification-use-cases.ts'
import { createObserving, type Observing } from '../core/agents/observing.ts'
import { createOnce } from '../core/once.ts'
import { createMoveRoot } from '../core/agents/move-root.ts'
import { createOpenWaits } from '../core/mail/open-waits.ts'
import { createOwnPanes } from '../core/panes/panes.ts'
import { createPaneNames, type PaneNames } from '../core/panes/names.ts'
import { createQuestions } from '../core/questions/questions.ts'
import { createReap } from '../core/maintenance/reap.ts'
import { createRadarWithView } from '../core/radar/create.ts'
import { createOverdueHolds } from '../core/maintenance/overdue-holds.ts'
import { createReconcile } from '../core/maintenance/reconcile.ts'
import { createSilence } from '../core/maintenance/silence.ts'
import { createAgentControl } from '../core/agents/agent-control.ts'
import { createInterrupt } from '../core/turns/interrupt.ts'
import { createScrollback } from '../core/panes/scrollback.ts'
import { createSessionEnds } from '../core/sessions/session-ends.ts'
import { createSessionReserve } from '../core/sessions/session-reserve.ts'
import { createSessionStart } from '../core/sessions/session-start.ts'
import { createSessionWatch, type SessionWatch } from '../core/sessions/session-watch.ts'
import { createSessions } from '../core/sessions/sessions.ts'
import type { AgentProbe } from '../core/agents/agent-probe.ts'
import { createSpawnChoices } from '../core/spawn/choices/spawn-choices.ts'
import { createSpawning } from '../core/spawn/spawn.ts'
import { createSpawnStart } from '../core/spawn/start.ts'
import { createSpawnUndo } from '../core/spawn/undo.ts'
import { createStates } from '../core/agents/states.ts'
import { createStatusComment } from '../core/pulls/status-comment/status-comment.ts'
import { createStopChain } from '../core/turns/stop-chain.ts'
import { createSubagentProgress } from '../core/sessions/subagent-progress.ts'
import { createSubagents } from '../core/sessions/subagents.ts'
import { createMessages } from '../core/mail/messages.ts'
import { createMaintenance } from '../core/maintenance/maintenance.ts'
import { createUsage, type UsageReading } from '../core/usage/usage.ts'
import { createView } from '../core/agents/view.ts'
import { createWaiting } from '../core/mail/waiting.ts'
import type { Config } from '../config/schema.ts'
import type { Agent } from '../domain/records.ts'
import type { AgentId, PaneId } from '../domain/ids.ts'
import { repositoryHash, terminalsOf } from '../runtime/paths.ts'
import { createPullUseCases } from './pull-use-cases.ts'

export interface AssembledCore {
  readonly core: Core
  readonly paneDied: Parameters<Multiplexer['onDeath']>[0]
  readonly usage: UsageReading
  readonly observing: Observing
  readonly sessions: Pick<SessionWatch, 'stop'>
  readonly paneNames: Pick<PaneNames, 'stop'>
  readonly limits: Pick<LimitWatch, 'stop'>
  readonly landings: { stop(): Promise<void> }
  readonly background: Background
}

/** Names of the listed tools that an agent may call. */
export type ToolsOf = (config: Config, agent: Pick<Agent, 'role' | 'tools'>) => readonly string[]

/** Wires the use cases. Order is that of dependence. */
export function assembleCore(
  deps: Deps &
    LaunchEnvironment & {
      probe: AgentProbe
      toolsOf: ToolsOf
      notifications: Notifications
      holdsLimits: Limits
      landResults: MergeResults
      page: Page
    },
): AssembledCore {
  const states = createStates(deps)
  const launching = new Set<AgentId>()
  const openWaits = createOpenWaits()
  const panes = createOwnPanes(deps)
  const paneNames = createPaneNames({ ...deps, panes })
  const block = Number.parseInt(repositoryHash(deps.paths.commonDir).slice(0, 6), 16)
  const slots = createSlots({ ...deps, firstBlock: block })
  const variablesOf = createWorktreeVariables({ ...deps, slots })
  const limits = createLimitWatch({ ...deps, panes, limits: deps.holdsLimits })
  const teardown = createTeardown({ ...deps, variablesOf, limits })
  const launcher = createLauncher({ ...deps, panes, slots, limits })
  const finalOutput = createFinalOutput(deps)
  const results = createResults({ ...deps, finalOutput })
  const exits = createExits({ ...deps, states, panes, results })
  const approvals = createApprovals(deps)
  const blockingCalls = createBlockingCalls({ states })
  const questions = createQuestions({ ...deps, blockingCalls })
  const mailbox = createMailbox(deps)
  const notes = createNotes(deps)
  const usage = createUsage({
    ...deps,
    liveOf: createLiveAgentOf(deps),
    checkBudgets: createBudgetWatch(deps).check,
  })
  const spawnUndo = createSpawnUndo({ ...deps, states, teardown })
  const { pulls, fold, mergePull, followBase, sync, keepUpToDate } = createPullUseCases({
    ...deps,
    ask: questions.askInBehalf,
  })
  const permissions = createPermissions({
    ...deps,
    states,
    approvals,
    live: createLiveAgentOf(deps),
  })
  const observing = createObserving({ ...deps, states, panes, isAsked: permissions.pending })
  const sessionEnds = createSessionEnds({
    ...deps,
    ...{ states, exits, panes, mailbox, results, finalOutput, limits },
    readUsage: ({ id }) => usage.readNow(id),
  })
  const sessionWatch = createSessionWatch({ ...deps, ends: sessionEnds })
  const reconciling = createReconcile({
    formerSession: terminalsOf(repositoryHash(deps.paths.commonDir)).formerZellijSession,
    ...deps,
    ...{ states, exits, panes, observing, blockingCalls, sessionEnds, sessionWatch, limits },
    silence: createSilence(deps),
    overdueHolds: createOverdueHolds(deps),
    isLaunching: (id) => launching.has(id),
  })
  /** Records an end, where there was one. */
  const look = (paneId: PaneId): void => {
    reconciling
      .paneDied(paneId)
      .catch((thrown: unknown) =>
        deps.log.error(
          { err: thrown, paneId },
          'a pane’s death could not be recorded; the next reconciliation does',
        ),
      )
  }
  const admission = createAdmission(deps)
  const start = createSpawnStart({ ...deps, launcher, states, opened: look })
  const hooks = createHooks({
    ...deps,
    states,
    usage,
    stopChain: createStopChain({ ...deps, sync, followBase, forgeWatch: createForgeWatch(deps) }),
  })
  const firstTurn = createFirstTurn()
  const endPrograms = createEndPrograms({ ...deps, exits, panes, results, finalOutput, limits })
  const running = createAgentControl({
    ...deps,
    launcher,
    states,
    ...{ panes, endPrograms },
    opened: look,
    launching,
    remindOfMail: mailbox.remind,
    say: async (agent, message) => {
      await deps.publisher.publish({
        type: 'message',
        agentId: agent.id,
        actor: 'human',
        payload: { message },
      })
    },
  })
  const scrollback = createScrollback({ ...deps, running })
  const reserve = createSessionReserve({ ...deps, admission, approvals, undo: spawnUndo })
  const sessionStart = createSessionStart({
    ...deps,
    launcher,
    reserve,
    start,
    results,
    watch: sessionWatch,
  })
  const subagents = createSubagents({
    ...deps,
    blockingCalls,
    sessions: sessionStart,
    progress: createSubagentProgress(deps),
    kill: (caller, id, reason) => running.kill(caller, id, reason),
  })
  const directory = createDirectory(deps)
  const { radar, use } = createRadarWithView(deps)
  const core: Core = {
    directory,
    acting: createActing(deps),
    spawnChoices: createSpawnChoices(deps),
    spawning: createSpawning({
      ...deps,
      ...{ launcher, admission, start, approvals, states, variablesOf, limits },
      undo: spawnUndo,
    }),
    forking: createForking({
      ...deps,
      ...{ launcher, admission, start, approvals, scrollback },
      undo: spawnUndo,
      inherit: createForkContext({ ...deps, panes, launcher }),
    }),
    control: { ...running, interrupt: createInterrupt({ ...deps, panes, observing }) },
    pulls,
    fold,
    once: createOnce(deps),
    messages: createMessages({
      ...deps,
      states,
      approvals,
      questions,
      notes,
      mailbox,
      blockingCalls,
    }),
    notifications: deps.notifications,
    waiting: createWaiting({ ...deps, mailbox, blockingCalls, openWaits, scrollback }),
    captures: createCaptures({ ...deps, scrollback }),
    sessions: createSessions({
      ...deps,
      launcher,
      reserve,
      start,
      sessions: sessionStart,
      watch: sessionWatch,
      results,
      running,
    }),
    subagents,
    hooks: {
      ...hooks,
      fromProgram: createProgramHooks({ ...deps, states, hooks, permissions, usage, firstTurn }),
      toolsListed: ({ agent }) => firstTurn.listed(agent),
    },
    maintenance: createMaintenance({
      ...deps,
      reconcile: async () => {
        await reconciling.reconcile()
        await paneNames.look()
        await subagents.endLost('nobody waits for its answer any more')
        await usage.refreshChanged()
        await notes.flush()
        void keepUpToDate.look()
      },
      ...createCleaning({ ...deps, panes, states, endPrograms, teardown, results }),
      reap: createReap(deps),
      moveRoot: createMoveRoot({ ...deps, directory }),
      ...{ spawnUndo, mergePull, approvals, teardown },
      deliverUnclaimed: questions.deliverUnclaimed,
      giveBackUnconfirmed: async () => {
        await questions.giveBackUnconfirmed()
        await mailbox.recover()
        await sessionWatch.recover()
        await subagents.endLost('the call that it worked for was lost by a restart of the daemon')
      },
    }),
    radar: use,
    ...{ view: createView({ ...deps, openWaits }), page: deps.page },
  }
  const labelSpawns = createLabelSpawns({ ...deps, spawning: core.spawning, root: directory.root })
  const statusComment = createStatusComment({ ...deps, view: core.view, root: directory.root })
  return {
    core,
    paneDied: ({ paneId }) => look(paneId),
    usage,
    observing,
    sessions: sessionWatch,
    ...{ paneNames, limits },
    landings: mergePull,
    background: createBackground({
      resume: mergePull.resume,
      starts: [labelSpawns, statusComment, radar],
      stops: [labelSpawns, statusComment, keepUpToDate, radar],
    }),
  }
}
