import type { PullRequestSnapshot } from '../../../adapters/forge/forge.ts'
import type { ErrorCode } from '../../../domain/error-codes.ts'

export interface MergeBlocker {
  readonly code: ErrorCode
  readonly reason: string
  /** It may be gone in a while, with the same head: a check that runs, a review that is missing. */
  readonly passes: boolean
}

/**
 * Why a pull request must not be merged, worst first; empty where it may. `force` overrides checks
 * and reviews, never conflicts.
 */
export function mergeBlockers(pull: PullRequestSnapshot, force: boolean): MergeBlocker[] {
  const objections: MergeBlocker[] = []
  const object = (code: ErrorCode, reason: string, passes = false) =>
    objections.push({ code, reason, passes })

  if (pull.state !== 'open') object('PR_NOT_MERGEABLE', `it is ${pull.state}`)
  if (pull.mergeable === 'conflicting')
    object(
      'PR_NOT_MERGEABLE',
      `it conflicts with ${pull.base.branch} in ${pull.conflictFiles.join(', ') || 'some files'}`,
    )
  if (pull.draft)
    object('PR_NOT_MERGEABLE', 'it is a draft: its agent files it again with draft=false')
  if (force) return objections

  if (pull.reviewDecision === 'changes_requested')
    object('PR_NOT_MERGEABLE', 'changes were requested and no push answered them')
  // Where the forge requires some, the others are for information; where it requires none, all
  // count.
  const counting = pull.checks.some((check) => check.required)
    ? pull.checks.filter((check) => check.required)
    : pull.checks
  const red = counting.filter((check) => check.status !== 'passed')
  for (const { kind, needs } of pull.blockers ?? []) {
    const how =
      kind === 'behind'
        ? ', which exomonad does as soon as its agent rests: you get a message when it is ready'
        : ''
    object('PR_NOT_MERGEABLE', `it needs ${needs}${how}`, true)
  }
  switch (pull.checksState) {
    case 'failed':
      object(
        'CHECKS_FAILED',
        `checks failed: ${red.map((check) => check.name).join(', ') || 'see pr_checks'} (\`exomonad pr checks ${pull.number}\` shows why)`,
      )
      break
    case 'pending': {
      // A check that waits for something else than its turn says so.
      const held = red.flatMap((check) =>
        check.status === 'queued' && check.logTail !== null
          ? [`${check.name}: ${check.logTail}`]
          : [],
      )
      const running = `checks are still running: ${red.map((check) => check.name).join(', ') || 'see pr_checks'}`
      object('CHECKS_FAILED', held.length > 0 ? held.join('; ') : running, true)
      break
    }
    case 'none':
      if (pull.checksRequired) object('CHECKS_FAILED', 'the required checks have not run', true)
      break
    case 'unknown':
      if (pull.checksRequired)
        object('CHECKS_FAILED', 'the state of the checks could not be read', true)
      break
    case 'passed':
      break
  }
  return objections
}
