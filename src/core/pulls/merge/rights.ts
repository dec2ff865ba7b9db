import type { PullRequestSnapshot } from '../../../adapters/forge/forge.ts'
import type { Agent } from '../../../domain/records.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import { baseMergers, placed } from '../../../domain/base-owner.ts'
import type { Caller } from '../../../domain/caller.ts'
import type { Deps } from '../../deps.ts'

/** Who may merge what. */
export interface MergeRights {
  /**
   * Only the owner of the branch that it goes into, or who stands in for one that is over; the
   * human anywhere. NOT_A_CHILD, NOT_ALLOWED.
   */
  requireBaseOwner(
    caller: Caller,
    pull: PullRequestSnapshot,
    author: Agent | undefined,
    agents: readonly Agent[],
  ): Promise<void>
  /** NOT_ALLOWED where an agent may not override checks and reviews. */
  requireForce(caller: Caller, force: boolean): Promise<void>
}

export function createMergeRights({ settings }: Pick<Deps, 'settings'>): MergeRights {
  return {
    requireBaseOwner: async (caller, pull, author, agents) => {
      const { protected_branches: protectedBranches } = await settings.config()
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
      if (protectedBranches.includes(pull.base.branch)) {
        throw new ExomonadError(
          'NOT_ALLOWED',
          `${pull.base.branch} is protected: only the human merges into it. Tell your parent with note.`,
          {
            base: pull.base.branch,
          },
        )
      }
    },

    requireForce: async (caller, force) => {
      if (!force || caller.kind === 'human' || (await settings.config()).merge.agents_may_force)
        return
      throw new ExomonadError(
        'NOT_ALLOWED',
        'Only the human may force a merge. Have the child fix what stands in the way.',
      )
    },
  }
}
