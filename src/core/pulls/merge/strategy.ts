import type { Forge, PullRequestSnapshot } from '../../../adapters/forge/forge.ts'
import type { MergeStrategy } from '../../../adapters/forge/merge-results.ts'
import type { Agent } from '../../../domain/records.ts'
import { ExomonadError } from '../../../domain/errors.ts'

/** After the one that fits the agent: a squash is always possible, a rebase not. */
const NEXT: readonly MergeStrategy[] = ['squash', 'merge', 'rebase']

/**
 * How the work of an agent is merged where nothing else is asked for. What the fold lands on a
 * forge elsewhere keeps its head, by which that knows it to be merged.
 */
export const usualStrategy = (
  author: Pick<Agent, 'kind'> | undefined,
  landsHere: boolean,
): MergeStrategy => (author?.kind === 'worker' && !landsHere ? 'squash' : 'merge')

export interface ChosenStrategy {
  readonly strategy: MergeStrategy
  /** What to say where it is another than usual; null else. */
  readonly instead: string | null
  /** A merge queue merges it. */
  readonly queue?: true
}

/**
 * The asked one, else the one that fits, or what the base allows instead. PR_NOT_MERGEABLE where
 * the asked one, or every one, is forbidden.
 */
export async function chooseStrategy(
  forge: Pick<Forge, 'mergeWays'>,
  pull: PullRequestSnapshot,
  asked: MergeStrategy | undefined,
  usual: MergeStrategy,
): Promise<ChosenStrategy> {
  const { allowed, why, queue } = await forge.mergeWays(pull.base.branch)
  const strategy = [asked ?? usual, ...(asked === undefined ? NEXT : [])].find((one) =>
    allowed.includes(one),
  )
  if (strategy !== undefined) {
    const instead =
      strategy === (asked ?? usual)
        ? null
        : `It ${queue === true ? 'is' : 'was'} merged by ${strategy} instead of ${usual}: ${why}.`
    return { strategy, instead, ...(queue === undefined ? {} : { queue }) }
  }
  const rest =
    allowed.length === 0
      ? 'No way of merging is left; whoever owns the repository has to allow one.'
      : `Merge it by ${allowed.join(' or ')} (strategy).`
  throw new ExomonadError(
    'PR_NOT_MERGEABLE',
    `#${pull.number} can’t be merged${asked === undefined ? '' : ` by ${asked}`}: ${why}. ${rest}`,
    {
      reasons: [why],
      allowed,
    },
  )
}
