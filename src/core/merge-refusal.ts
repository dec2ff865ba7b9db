import type { Forge, MergeResult, PullRequestSnapshot } from '../adapters/forge/forge.ts'
import { ExomonadError } from '../errors.ts'

/** The error of a merge that the forge did not make. */
export function mergeRefusal(forge: Pick<Forge, 'kind'>, pull: PullRequestSnapshot, result: Exclude<MergeResult, { kind: 'merged' }>): ExomonadError {
  switch (result.kind) {
    case 'head_changed':
      return new ExomonadError(
        'HEAD_CHANGED',
        `#${pull.number} got new commits (${result.head.slice(0, 8)}) since it was looked at. Look at them (pr_diff), then merge again.`,
        { head: result.head },
      )
    case 'conflict': {
      const where = result.files.length === 0 ? '' : ` in ${result.files.join(', ')}`
      return new ExomonadError(
        'PR_NOT_MERGEABLE',
        `#${pull.number} conflicts with ${pull.base.branch}${where}. Its agent has to rebase; it is told so at its next stop.`,
        { reasons: ['conflict'], files: result.files },
      )
    }
    case 'refused':
      return new ExomonadError('PR_NOT_MERGEABLE', `${forge.kind === 'github' ? 'GitHub' : 'The forge'} refuses to merge #${pull.number}: ${result.reason}`, {
        reasons: [result.reason],
      })
    case 'not_open':
      return new ExomonadError('PR_NOT_MERGEABLE', `#${pull.number} is ${result.state} already.`, { reasons: [result.state] })
  }
}
