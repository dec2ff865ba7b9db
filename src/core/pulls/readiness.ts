import type { Blocker, PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import type { Check } from '../../adapters/forge/check.ts'

export const hasFailed = ({ status }: Check): boolean =>
  status === 'failed' || status === 'timed_out'

/**
 * Nothing stands against a merge, which nobody has arranged yet. No checks is not “passed” where
 * they are required; where they are not, nothing may have failed, run, or be unknown.
 */
export const isReady = (pull: PullRequestSnapshot): boolean =>
  pull.state === 'open' &&
  pull.scheduled === undefined &&
  !pull.draft &&
  pull.mergeable === 'mergeable' &&
  blockersOf(pull).length === 0 &&
  pull.reviewDecision !== 'changes_requested' &&
  (pull.checksState === 'passed' || (pull.checksState === 'none' && !pull.checksRequired))

export const blockersOf = ({ blockers = [] }: PullRequestSnapshot): readonly Blocker[] => blockers

/**
 * It could be merged, and the forge would not. What the forge merges once nothing stands against it
 * waits for just that.
 */
export const isBlocked = (pull: PullRequestSnapshot): boolean => {
  const { scheduled, ...rest } = pull
  return (
    blockersOf(pull).length > 0 &&
    isReady({ ...rest, ...(scheduled?.kind === 'queue' ? { scheduled } : {}), blockers: [] })
  )
}
