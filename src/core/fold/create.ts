import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import type { MergeResults } from '../../adapters/forge/merge-results.ts'
import type { Deps } from '../deps.ts'
import type { WriteSteps } from '../pulls/merge/journal.ts'
import { createBaseWatch } from './base-watch.ts'
import { createCulpritSearch } from './culprit.ts'
import type { LandChain } from './land-chain.ts'
import { createNotedEvents } from './noted-events.ts'
import { createLandingQueue, type LandingQueue } from './queue.ts'

/** All that checks what merges come to, before they land. */
export interface Landings {
  readonly queue: LandingQueue
  /**
   * Whether what came into its base since its own checks passed touches files that it touches, too;
   * also where that can’t be determined.
   */
  overlaps(pull: PullRequestSnapshot): Promise<boolean>
  resume(): Promise<void>
  stop(): Promise<void>
}

export function createLandings(
  deps: Pick<Deps, 'store' | 'git' | 'forge' | 'polling' | 'publisher' | 'clock' | 'log'> & {
    results: MergeResults
    steps: WriteSteps
    land: LandChain
    everyLink: () => Promise<boolean>
    /** What others merged, and own checks that are red, are looked into. */
    isWatched: boolean
  },
): Landings {
  const { git, results } = deps
  const baseWatch = createBaseWatch(deps)
  const culprit = createCulpritSearch(deps)
  const queue = createLandingQueue({ ...deps, culprit, baseWatch })
  const noted = deps.isWatched
    ? createNotedEvents({
        ...deps,
        note: async (event) => {
          await baseWatch.note(event)
          await culprit.note(event)
        },
      })
    : undefined

  return {
    queue,
    overlaps: async (pull) => {
      const passed = await results.passedOn(pull.number)
      const now = await results.tip(pull.base.branch)
      if (passed === null || now === null || !(await git.isAncestor(passed, now))) return true
      const own = new Set(await git.changedFiles(passed, pull.head.sha))
      return (await git.changedPaths(passed, now)).some((path) => own.has(path))
    },
    resume: async () => {
      if (deps.isWatched) await baseWatch.resume()
      await culprit.resume()
      await noted?.resume()
    },
    stop: async () => {
      noted?.stop()
      queue.stop()
    },
  }
}
