import { asExomonadError } from '../../../../domain/errors.ts'
import type { BranchName } from '../../../../domain/ids.ts'
import type { Log } from '../../../../runtime/log.ts'
import type { Forge } from '../../forge.ts'
import { ANY_WAY } from '../../merging.ts'
import type { MergeStrategy } from '../../merge-results.ts'
import type { GithubClient } from '../client/client.ts'
import { mergeWays } from '../merge-ways.ts'
import type { GithubRepository } from '../repository.ts'
import { readBranchRules, type BranchRule } from '../reading/branch-rules.ts'
import { MERGE_SETTINGS } from '../reading/queries.ts'

interface Answer {
  readonly repository: {
    readonly mergeCommitAllowed: boolean
    readonly squashMergeAllowed: boolean
    readonly rebaseMergeAllowed: boolean
    /** Absent where the server does not know it. */
    readonly mergeQueue?: {
      readonly configuration: { readonly mergeMethod: 'MERGE' | 'REBASE' | 'SQUASH' | null } | null
    } | null
    readonly ref: {
      readonly refUpdateRule: {
        readonly requiresLinearHistory: boolean
        readonly requiresSignatures: boolean
      } | null
    } | null
  } | null
}

/**
 * What the settings, the protection and the rulesets say of merges into a base, as far as this
 * account is shown it. `settings`: null where the repository is not.
 */
export async function readMergeSettings(
  client: Pick<GithubClient, 'graphql' | 'pages'>,
  base: BranchName,
): Promise<{
  readonly settings: Answer['repository']
  readonly rules: readonly BranchRule[]
}> {
  const [{ data }, rules] = await Promise.all([
    client.graphql<Answer>(MERGE_SETTINGS, { base: `refs/heads/${base}`, branch: base }),
    readBranchRules(client, base),
  ])
  return { settings: data?.repository ?? null, rules }
}

/** Where its method is not known, what GitHub takes where nothing was chosen. */
const queueMethod = (
  queue: NonNullable<Answer['repository']>['mergeQueue'],
): MergeStrategy | null =>
  queue == null
    ? null
    : ((queue.configuration?.mergeMethod?.toLowerCase() ?? 'merge') as MergeStrategy)

/**
 * Asked before each merge: a point, and a request that costs nothing where no rule has changed.
 * What can’t be read forbids nothing: GitHub refuses then.
 */
export function createWays({
  client,
  repository,
  log,
}: {
  client: Pick<GithubClient, 'graphql' | 'pages'>
  repository: GithubRepository
  log: Log
}): Pick<Forge, 'mergeWays'> {
  return {
    async mergeWays(base) {
      try {
        const { settings: found, rules } = await readMergeSettings(client, base)
        if (found === null) return ANY_WAY
        return mergeWays({
          repository: `${repository.owner}/${repository.name}`,
          base,
          settings: {
            merge: found.mergeCommitAllowed,
            squash: found.squashMergeAllowed,
            rebase: found.rebaseMergeAllowed,
          },
          linear: found.ref?.refUpdateRule?.requiresLinearHistory === true,
          signed: found.ref?.refUpdateRule?.requiresSignatures === true,
          queue: queueMethod(found.mergeQueue),
          rules,
        })
      } catch (thrown) {
        log.info({ err: asExomonadError(thrown), base }, 'how may be merged could not be read')
        return ANY_WAY
      }
    },
  }
}
