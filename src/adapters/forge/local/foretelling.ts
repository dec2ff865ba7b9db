import { ExomonadError } from '../../../domain/errors.ts'
import type { BasePush } from '../merging.ts'
import { createBranches } from '../branches.ts'
import type { PullRequestSnapshot } from '../forge.ts'
import { createHints } from '../hints.ts'
import type { MergeResults } from '../merge-results.ts'
import { createCheckConfig } from './check-config.ts'
import { createCheckRuns } from './check-runs.ts'
import { createChecks } from './checks.ts'
import { createLandByPush } from './land-by-push.ts'
import type { MergedPull } from './merge-commit.ts'
import type { LocalForgeOptions } from './options.ts'
import { createResults } from './results.ts'

export interface Foretelling {
  readonly results: MergeResults
  /** Ends what runs. */
  dispose(): Promise<void>
}

/**
 * What merges would come to, checked here, where another forge has the pull requests: nothing that
 * is found counts there as a check. What was found good lands by a push where that forge leaves it
 * to whoever may write.
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
    readonly pushes: BasePush | null
    /** Undefined where it is not there. */
    readonly pullOf: (number: number) => Promise<PullRequestSnapshot | undefined>
    /** As they were followed last; nothing is asked of the forge. */
    readonly known: () => Promise<readonly PullRequestSnapshot[]>
  },
): Foretelling {
  const { pushes, known } = options
  const branches = createBranches(options)
  const hints = createHints(options.log)
  const config = createCheckConfig(options)
  const runs = createCheckRuns({ ...options, branches, hints })
  const checks = createChecks({ ...options, config, runs })
  const pullOf = async (number: number): Promise<MergedPull> => {
    const pull = await options.pullOf(number)
    if (pull === undefined)
      throw new ExomonadError('PR_NOT_FOUND', `#${number} is not known here.`, { number })
    const { title, body, head } = pull
    return {
      ...{ number, title, body, headBranch: head.branch },
      ...(pushes === null ? {} : { headName: pushes.headName(head.branch) }),
    }
  }
  const results = createResults({
    ...{ ...options, branches, hints, config, checks, runs, pullOf },
    merging: { markLanded: () => Promise.reject(new Error('the forge merges')) },
  })
  return {
    results: {
      ...results,
      // Own checks, and what counts as one, are the forge’s.
      waiting: async () => [],
      defer: () => {},
      count: async () => {},
      blame: async () => {},
      passedOn: async () => null,
      failedOn: async () => null,
      land: createLandByPush({ ...options, known: results.known }),
      mergedAs: async (base, commits) => {
        const wanted = new Set<string>(commits)
        return new Map(
          (await known()).flatMap(({ state, base: { branch }, mergeSha, number, title }) =>
            state === 'merged' && branch === base && mergeSha !== null && wanted.has(mergeSha)
              ? [[mergeSha, { number, title }] as const]
              : [],
          ),
        )
      },
    },
    dispose: checks.dispose,
  }
}
