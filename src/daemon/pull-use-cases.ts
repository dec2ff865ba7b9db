import type { MergeResults } from '../adapters/forge/merge-results.ts'
import type { Core } from '../core/core.ts'
import type { Deps } from '../core/deps.ts'
import { createFoldAhead } from '../core/fold/ahead/ahead.ts'
import { createAutoLand } from '../core/fold/ahead/auto-land.ts'
import { createFold } from '../core/fold/ahead/fold-use-cases.ts'
import { createLandsHere } from '../core/fold/lands-here.ts'
import { createRequireLookedAt } from '../core/agents/looked-at.ts'
import { createBranchLock } from '../core/pulls/branch-lock.ts'
import { asFollowed } from '../core/pulls/known-forge.ts'
import { createFilePull } from '../core/pulls/file-pull.ts'
import { createFollowBase } from '../core/pulls/follow-base.ts'
import { createKeepUpToDate } from '../core/pulls/keep-up-to-date.ts'
import { createMergeBase } from '../core/pulls/merge/base.ts'
import { createMergePull } from '../core/pulls/merge/merge-pull.ts'
import { createPullViews } from '../core/pulls/pull-views.ts'
import { createBranchPush } from '../core/pulls/push-branch.ts'
import { createStopSync } from '../core/turns/stop-sync.ts'

/** Pull requests, and what keeps branches in step with their bases. `ask`: in an agent’s name. */
export function createPullUseCases(
  deps: Deps &
    Pick<Parameters<typeof createStopSync>[0], 'ask'> & {
      readonly landResults: MergeResults
    },
): {
  readonly pulls: Core['pulls']
  readonly fold: Core['fold']
  readonly mergePull: ReturnType<typeof createMergePull>
  readonly followBase: ReturnType<typeof createFollowBase>
  readonly sync: ReturnType<typeof createStopSync>
  readonly keepUpToDate: ReturnType<typeof createKeepUpToDate>
} {
  const branchPush = createBranchPush(deps)
  const branchLock = createBranchLock()
  const mergeBase = createMergeBase({ ...deps, branchPush })
  const requireLookedAt = createRequireLookedAt(deps)
  const forgeLands = deps.forge.results === null
  const landsHere = createLandsHere({ ...deps, results: deps.landResults })
  const mergePull = createMergePull({
    ...{ ...deps, branchLock, mergeBase, requireLookedAt, landsHere },
  })
  const foldDeps = {
    ...deps,
    results: deps.landResults,
    landsHere,
    forge: forgeLands ? asFollowed(deps.forge, deps.store) : deps.forge,
  }
  const foldAhead = createFoldAhead({
    ...foldDeps,
    autoLand: createAutoLand({ ...deps, merge: mergePull.merge }),
  })
  const followBase = createFollowBase(deps)
  const sync = createStopSync({ ...deps, branchPush, branchLock, mergeBase })
  return {
    pulls: {
      ...createPullViews({ ...deps, requireLookedAt }),
      file: createFilePull({ ...deps, branchPush, followBase }),
      merge: mergePull.merge,
    },
    mergePull: {
      ...mergePull,
      resume: async () => {
        await mergePull.resume()
        await foldAhead.start()
      },
      stop: async () => {
        foldAhead.stop()
        await mergePull.stop()
      },
    },
    fold: createFold({ ...foldDeps, ahead: foldAhead, forgeLands }),
    followBase,
    sync,
    keepUpToDate: createKeepUpToDate({ ...deps, sync }),
  }
}
