import type { MergeWays } from '../merging.ts'
import type { MergeStrategy } from '../merge-results.ts'
import type { BranchRule } from './reading/branch-rules.ts'

const ALL: readonly MergeStrategy[] = ['merge', 'squash', 'rebase']
const NAMES: Readonly<Record<MergeStrategy, string>> = {
  merge: 'merge commits',
  squash: 'squash merges',
  rebase: 'rebase merges',
}

export interface MergeFacts {
  /** `octo/widgets`. */
  readonly repository: string
  readonly base: string
  /** By the repository’s settings. */
  readonly settings: Readonly<Record<MergeStrategy, boolean>>
  /** By the protection of the base. */
  readonly linear: boolean
  readonly signed: boolean
  /**
   * How the base’s merge queue merges; null where it has none, undefined where that is not known.
   */
  readonly queue?: MergeStrategy | null | undefined
  /** Of the base. */
  readonly rules: readonly BranchRule[]
}

/**
 * How pull requests may be merged into a base: what the repository’s settings, the base’s
 * protection and its rulesets leave.
 */
export function mergeWays({
  repository,
  base,
  settings,
  linear,
  signed,
  queue,
  rules,
}: MergeFacts): MergeWays {
  // All else is the queue’s own.
  if (queue != null)
    return { allowed: [queue], why: `the merge queue of ${base} merges by ${queue}`, queue: true }
  const has = (type: string): boolean => rules.some((rule) => rule.type === type)
  let allowed = ALL
  const why: string[] = []
  const forbid = (ways: readonly MergeStrategy[], reason: (names: string) => string): void => {
    const now = allowed.filter((way) => ways.includes(way))
    if (now.length > 0) why.push(reason(now.map((way) => NAMES[way]).join(' or ')))
    allowed = allowed.filter((way) => !ways.includes(way))
  }
  forbid(
    ALL.filter((way) => !settings[way]),
    (names) => `${repository} allows no ${names}`,
  )
  for (const { type, parameters } of rules) {
    const methods = type === 'pull_request' ? parameters?.['allowed_merge_methods'] : undefined
    if (Array.isArray(methods) && methods.length > 0) {
      forbid(
        ALL.filter((way) => !methods.includes(way)),
        (names) => `the rules of ${base} allow no ${names}`,
      )
    }
  }
  if (linear || has('required_linear_history'))
    forbid(['merge'], () => `${base} has to have a linear history`)
  // Commits that GitHub rebases have nobody’s signature.
  if (signed || has('required_signatures'))
    forbid(['rebase'], () => `commits of ${base} have to be signed`)
  return {
    allowed,
    why: why.length === 0 ? null : why.join(', and '),
    ...(has('merge_queue') ? { queue: true } : {}),
  }
}
