import type { Forge, PullRequestSnapshot } from '../../../adapters/forge/forge.ts'
import type { MergeResult } from '../../../adapters/forge/merging.ts'
import { FORGE_NAMES } from '../../../domain/forge-kinds.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import type { RedResult } from '../../fold/landing.ts'

/** The error of a merge whose result was checked and is red. */
export function redRefusal(pull: PullRequestSnapshot, red: RedResult): ExomonadError {
  const since = red.between.map(({ number, title }) => `#${number} (${title})`).join(', ')
  const why = red.baseRed
    ? `${pull.base.branch} is red without it`
    : since === ''
      ? `its own checks were green on an older ${pull.base.branch}`
      : `its own checks were green before ${since} landed`
  return new ExomonadError(
    'CHECKS_FAILED',
    `#${pull.number} was not merged: the result with ${pull.base.branch} was checked and is red; ${why}. Its agent was notified. The end of the log:\n${red.log}`,
    { number: pull.number, between: red.between, base_red: red.baseRed, log_url: red.logUrl },
  )
}

export type RefusedMerge = Exclude<MergeResult, { kind: 'merged' | 'scheduled' | 'ready' }>

/** The error of a merge that the forge did not make. */
export function mergeRefusal(
  forge: Pick<Forge, 'kind'>,
  pull: PullRequestSnapshot,
  result: RefusedMerge,
): ExomonadError {
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
        `#${pull.number} conflicts with ${pull.base.branch}${where}. Its agent has to rebase; it is notified of that at its next stop.`,
        { reasons: ['conflict'], files: result.files },
      )
    }
    case 'refused':
      return new ExomonadError(
        'PR_NOT_MERGEABLE',
        `${FORGE_NAMES[forge.kind]} refuses to merge #${pull.number}: ${result.reason}`,
        {
          reasons: [result.reason],
        },
      )
    case 'not_open':
      return new ExomonadError('PR_NOT_MERGEABLE', `#${pull.number} is ${result.state} already.`, {
        reasons: [result.state],
      })
  }
}
