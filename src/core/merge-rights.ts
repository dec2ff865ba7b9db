import type { PullRequestSnapshot } from '../adapters/forge/forge.ts'
import type { Agent } from '../adapters/store/store.ts'
import { ExomonadError } from '../errors.ts'
import type { Caller } from './core.ts'
import type { Deps } from './deps.ts'

/** Who may merge what. */
export interface MergeRights {
  /** Only the parent of the pull request’s agent; the human anywhere. NOT_A_CHILD, NOT_ALLOWED. */
  requireParent(caller: Caller, pull: PullRequestSnapshot, author: Agent | undefined): Promise<void>
  /** NOT_ALLOWED where an agent may not override checks and reviews. */
  requireForce(caller: Caller, force: boolean): Promise<void>
}

export function createMergeRights({ settings }: Pick<Deps, 'settings'>): MergeRights {
  return {
    requireParent: async (caller, pull, author) => {
      const { protected_branches: protectedBranches } = await settings.config()
      if (caller.kind === 'human') return
      if (author?.parentId !== caller.agent.id) {
        throw new ExomonadError('NOT_A_CHILD', `#${pull.number} (${pull.head.branch}) is not a pull request of a child of yours: only its parent merges it.`, {
          number: pull.number,
        })
      }
      if (protectedBranches.includes(pull.base.branch)) {
        throw new ExomonadError('NOT_ALLOWED', `${pull.base.branch} is protected: only the human merges into it. Tell your parent with note.`, {
          base: pull.base.branch,
        })
      }
    },

    requireForce: async (caller, force) => {
      if (!force || caller.kind === 'human' || (await settings.config()).merge.agents_may_force) return
      throw new ExomonadError('NOT_ALLOWED', 'Only the human may force a merge. Have the child fix what stands in the way.')
    },
  }
}
