import type { PullRequestSnapshot } from '../../../adapters/forge/forge.ts'
import type { Config } from '../../../config/schema.ts'
import type { Agent } from '../../../domain/records.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import { baseMergers, placed } from '../../../domain/base-owner.ts'
import type { Caller } from '../../../domain/caller.ts'

/**
 * Only the owner of the branch that it goes into, or who stands in for one that is over, may merge
 * a pull request; the human anywhere. NOT_A_CHILD, NOT_ALLOWED.
 */
export function requireBaseOwner(
  config: Pick<Config, 'protected_branches'>,
  caller: Caller,
  pull: PullRequestSnapshot,
  { author, agents }: { author: Agent | undefined; agents: readonly Agent[] },
): void {
  if (caller.kind === 'human') return
  const owners =
    author === undefined ? [] : baseMergers(placed(agents), author.id, pull.base.branch)
  const owner = owners.at(-1)
  if (!owners.some(({ id }) => id === caller.agent.id)) {
    const who =
      owner === undefined
        ? 'only the human merges it'
        : `it goes into ${pull.base.branch}, and only ${owner.name} merges there`
    throw new ExomonadError(
      'NOT_A_CHILD',
      `#${pull.number} (${pull.head.branch}) is not yours to merge: ${who}.`,
      {
        number: pull.number,
        base: pull.base.branch,
        ...(owner === undefined ? {} : { owner: owner.id }),
      },
    )
  }
  if (config.protected_branches.includes(pull.base.branch)) {
    throw new ExomonadError(
      'NOT_ALLOWED',
      `${pull.base.branch} is protected: only the human merges into it. Let your parent know with note.`,
      {
        base: pull.base.branch,
      },
    )
  }
}

/** NOT_ALLOWED where an agent may not override checks and reviews. */
export function requireForce(
  { merge }: Pick<Config, 'merge'>,
  caller: Caller,
  force: boolean,
): void {
  if (!force || caller.kind === 'human' || merge.agents_may_force) return
  throw new ExomonadError(
    'NOT_ALLOWED',
    'Only the human may force a merge. Have the child fix what stands in the way.',
  )
}
