import { agentActedFor } from './agents/agent.acted_for.ts'
import { agentCompleted } from './agents/agent.completed.ts'
import { agentFailed } from './agents/agent.failed.ts'
import { agentIdle } from './agents/agent.idle.ts'
import { agentInterrupted } from './agents/agent.interrupted.ts'
import { agentKilled } from './agents/agent.killed.ts'
import { agentLimited } from './agents/agent.limited.ts'
import { agentReaped } from './agents/agent.reaped.ts'
import { agentRemoved } from './agents/agent.removed.ts'
import { agentSilent } from './agents/agent.silent.ts'
import { agentSpawned } from './agents/agent.spawned.ts'
import { agentStarted } from './agents/agent.started.ts'
import { agentState } from './agents/agent.state.ts'
import { agentTool } from './agents/agent.tool.ts'
import { agentUnsettled } from './agents/agent.unsettled.ts'
import { agentWaiting } from './agents/agent.waiting.ts'
import { spawnFailed } from './agents/spawn.failed.ts'
import { stopBlocked } from './agents/stop.blocked.ts'
import { stopReleased } from './agents/stop.released.ts'
import { budgetExhausted } from './budgets/budget.exhausted.ts'
import { budgetUnpriced } from './budgets/budget.unpriced.ts'
import { budgetWarning } from './budgets/budget.warning.ts'
import { foldEjected } from './fold/fold.ejected.ts'
import { foldGreen } from './fold/fold.green.ts'
import { foldLanded } from './fold/fold.landed.ts'
import { foldRed } from './fold/fold.red.ts'
import { foldUnexplained } from './fold/fold.unexplained.ts'
import { ciFailed } from './forge/ci.failed.ts'
import { ciPassed } from './forge/ci.passed.ts'
import { ciPending } from './forge/ci.pending.ts'
import { forgeLacks } from './forge/forge.lacks.ts'
import { forgeRecovered } from './forge/forge.recovered.ts'
import { forgeTrouble } from './forge/forge.trouble.ts'
import { issueRefused } from './forge/issue.refused.ts'
import { baseGreen } from './landing/base.green.ts'
import { baseMoved } from './landing/base.moved.ts'
import { baseRed } from './landing/base.red.ts'
import { landingCulprit } from './landing/landing.culprit.ts'
import { landingDone } from './landing/landing.done.ts'
import { landingQueued } from './landing/landing.queued.ts'
import { landingRed } from './landing/landing.red.ts'
import { landingStopped } from './landing/landing.stopped.ts'
import { mergeStarted } from './landing/merge.started.ts'
import { rebaseAborted } from './landing/rebase.aborted.ts'
import { rebaseConflict } from './landing/rebase.conflict.ts'
import { rebaseDone } from './landing/rebase.done.ts'
import { approvalDecided } from './mail/approval.decided.ts'
import { approvalRequested } from './mail/approval.requested.ts'
import { deliveryAcked } from './mail/delivery.acked.ts'
import { deliveryFailed } from './mail/delivery.failed.ts'
import { deliverySent } from './mail/delivery.sent.ts'
import { deliveryUndecided } from './mail/delivery.undecided.ts'
import { deliveryWithdrawn } from './mail/delivery.withdrawn.ts'
import { mail } from './mail/mail.ts'
import { message } from './mail/message.ts'
import { note } from './mail/note.ts'
import { personNotified } from './mail/person.notified.ts'
import { questionAnswered } from './mail/question.answered.ts'
import { questionAsked } from './mail/question.asked.ts'
import { prBehind } from './pulls/pr.behind.ts'
import { prBlocked } from './pulls/pr.blocked.ts'
import { prClosed } from './pulls/pr.closed.ts'
import { prComment } from './pulls/pr.comment.ts'
import { prConflict } from './pulls/pr.conflict.ts'
import { prConflictCleared } from './pulls/pr.conflict_cleared.ts'
import { prFork } from './pulls/pr.fork.ts'
import { prMerged } from './pulls/pr.merged.ts'
import { prOpened } from './pulls/pr.opened.ts'
import { prPushed } from './pulls/pr.pushed.ts'
import { prReady } from './pulls/pr.ready.ts'
import { prReopened } from './pulls/pr.reopened.ts'
import { prRetargeted } from './pulls/pr.retargeted.ts'
import { prReview } from './pulls/pr.review.ts'
import { prScheduled } from './pulls/pr.scheduled.ts'
import { prStalled } from './pulls/pr.stalled.ts'
import { prThreadComment } from './pulls/pr.thread_comment.ts'
import { prUnscheduled } from './pulls/pr.unscheduled.ts'
import { reviewTimeout } from './pulls/review.timeout.ts'
import { conflictCleared } from './radar/conflict.cleared.ts'
import { conflictForetold } from './radar/conflict.foretold.ts'
import { daemonStarted } from './tree/daemon.started.ts'
import { daemonStopped } from './tree/daemon.stopped.ts'
import { treeInitialized } from './tree/tree.initialized.ts'
import { treeMoved } from './tree/tree.moved.ts'

/**
 * Every event type there is, in the order of docs/reference.md. A file in the folders beside this
 * that is not here fails test/parity.test.ts.
 */
export const ALL_EVENTS = [
  treeInitialized,
  treeMoved,
  daemonStarted,
  daemonStopped,
  agentSpawned,
  agentState,
  agentStarted,
  agentIdle,
  agentActedFor,
  agentCompleted,
  agentFailed,
  agentInterrupted,
  agentKilled,
  agentLimited,
  agentSilent,
  agentUnsettled,
  agentWaiting,
  agentTool,
  agentReaped,
  agentRemoved,
  spawnFailed,
  note,
  questionAsked,
  questionAnswered,
  message,
  mail,
  budgetWarning,
  budgetUnpriced,
  budgetExhausted,
  approvalRequested,
  approvalDecided,
  personNotified,
  prOpened,
  prReview,
  prThreadComment,
  prComment,
  ciPending,
  ciFailed,
  ciPassed,
  prReady,
  prPushed,
  prConflict,
  prConflictCleared,
  prMerged,
  prScheduled,
  prUnscheduled,
  prClosed,
  prReopened,
  prFork,
  prRetargeted,
  prBlocked,
  prBehind,
  prStalled,
  reviewTimeout,
  baseMoved,
  mergeStarted,
  landingQueued,
  landingRed,
  landingCulprit,
  landingStopped,
  landingDone,
  foldGreen,
  foldRed,
  foldEjected,
  foldLanded,
  foldUnexplained,
  baseRed,
  baseGreen,
  conflictForetold,
  conflictCleared,
  issueRefused,
  forgeTrouble,
  forgeRecovered,
  forgeLacks,
  stopBlocked,
  stopReleased,
  rebaseDone,
  rebaseConflict,
  rebaseAborted,
  deliverySent,
  deliveryAcked,
  deliveryFailed,
  deliveryWithdrawn,
  deliveryUndecided,
] as const
