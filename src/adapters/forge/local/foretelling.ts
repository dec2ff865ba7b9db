import { ExomonadError } from '../../../domain/errors.ts'
import type { PullRow } from '../../../domain/forge-rows.ts'
import { createBranches } from '../branches.ts'
import { createHints } from '../hints.ts'
import type { FoldResults } from '../merge-results.ts'
import { createCheckConfig } from './check-config.ts'
import { createCheckRuns } from './check-runs.ts'
import { createChecks } from './checks.ts'
import type { LocalForgeOptions } from './options.ts'
import { createResults } from './results.ts'

export interface Foretelling {
  readonly results: FoldResults
  /** Ends what runs. */
  dispose(): Promise<void>
}

/**
 * What merges would come to, checked here, where another forge has the pull requests and decides
 * what lands: nothing that is found counts there as a check.
 */
export function createForetelling(
  options: Pick<
    LocalForgeOptions,
    | 'git'
    | 'store'
    | 'remote'
    | 'paths'
    | 'gate'
    | 'clock'
    | 'log'
    | 'ci'
    | 'trusted'
    | 'ciEnvironment'
    | 'confine'
    | 'hold'
  > & {
    /** Undefined where it is not known. Nothing is asked of the forge. */
    readonly pullOf: (
      number: number,
    ) => Promise<Pick<PullRow, 'number' | 'headBranch' | 'title' | 'body'> | undefined>
  },
): Foretelling {
  const branches = createBranches(options)
  const hints = createHints(options.log)
  const config = createCheckConfig(options)
  const runs = createCheckRuns({ ...options, branches, hints })
  const checks = createChecks({ ...options, config, runs })
  const neverHere = (number: number): ExomonadError =>
    new ExomonadError('INTERNAL', `#${number} is not known here.`, { number })
  const results = createResults({
    ...{ ...options, branches, hints, config, checks, runs },
    merging: { markLanded: () => Promise.reject(new Error('the forge merges')) },
    pullOf: async (number) => {
      const pull = await options.pullOf(number)
      if (pull === undefined) throw neverHere(number)
      return pull
    },
  })
  return {
    results: {
      ...results,
      waiting: async () => [],
      defer: () => {},
      count: async () => {},
    },
    dispose: checks.dispose,
  }
}
