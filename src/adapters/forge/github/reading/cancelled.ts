import { ExomonadError } from '../../../../domain/errors.ts'
import type { CancelledMerge, MergeKind } from '../../scheduled.ts'
import type { GithubClient } from '../client/client.ts'
import type { RawActor, RawConnection, RawContext } from './answers.ts'
import { fromGraphql, toChecks } from './checks/checks.ts'
import type { LogEnds } from './checks/log-ends.ts'
import { ask } from './pages.ts'
import { DISARMED, REMOVED } from './queries.ts'
import { isMergeQueue } from './scheduled.ts'
import { accountOf } from './trusted.ts'

interface RawCancelled {
  readonly createdAt: string
  readonly reason: string | null
  readonly actor: RawActor | null
  readonly beforeCommit?: {
    readonly statusCheckRollup: {
      readonly contexts: Pick<RawConnection<RawContext>, 'nodes'>
    } | null
  } | null
}

interface Answer {
  readonly repository: {
    readonly pullRequest: {
      readonly timelineItems: { readonly nodes: readonly (RawCancelled | null)[] | null }
    } | null
  } | null
}

/**
 * What GitHub’s timeline says of the last time that a pull request left the merge queue, or that
 * auto-merge was turned off.
 */
export function createCancelled({
  client,
  logEnds,
}: {
  client: Pick<GithubClient, 'graphql'>
  logEnds: Pick<LogEnds, 'add'>
}): (number: number, kind: MergeKind) => Promise<CancelledMerge | null> {
  const read = async (number: number, kind: MergeKind): Promise<RawCancelled | null> => {
    try {
      const { data } = await ask<Answer>(client, kind === 'queue' ? REMOVED : DISARMED, { number })
      return data.repository?.pullRequest?.timelineItems.nodes?.[0] ?? null
    } catch (error) {
      // A server that does not know the question does not know it the next time either.
      if (
        error instanceof ExomonadError &&
        (error.code !== 'FORGE_UNAVAILABLE' || error.facts['gave_up'] === false)
      )
        return null
      throw error
    }
  }

  return async (number, kind) => {
    const raw = await read(number, kind)
    if (raw === null) return null
    const contexts = (raw.beforeCommit?.statusCheckRollup?.contexts.nodes ?? []).filter(
      (one) => one !== null,
    )
    const failed = toChecks(contexts.map(fromGraphql), []).checks.filter(
      ({ status }) => status === 'failed' || status === 'timed_out',
    )
    return {
      kind,
      reason: reasonOf(raw),
      at: Date.parse(raw.createdAt),
      failed: kind === 'queue' ? await logEnds.add(failed) : [],
    }
  }
}

/**
 * GitHub’s names for why something leaves a merge queue, as its webhooks have them; its timeline
 * writes some of them in small letters.
 */
const REASONS: Readonly<Record<string, string>> = {
  MERGE_CONFLICT: 'it conflicts with its base, or with what stood before it in the queue',
  CI_FAILURE: 'a check that its base requires failed in the queue',
  FAILED_CHECKS: 'a check that its base requires failed in the queue',
  CI_TIMEOUT: 'the checks that its base requires did not finish in time in the queue',
  QUEUE_CLEARED: 'the queue was cleared',
  ROLL_BACK: 'the queue was rolled back',
  BRANCH_PROTECTIONS: 'what its base asks for is no longer met',
  ALREADY_MERGED: 'its commits are in the base already',
  GIT_TREE_INVALID: 'GitHub could not make the merge',
  INVALID_MERGE_COMMIT: 'GitHub could not make the merge',
}

function reasonOf({ reason, actor }: RawCancelled): string | null {
  const name =
    reason
      ?.trim()
      .toUpperCase()
      .replaceAll(/[\s-]+/g, '_') ?? ''
  const { login } = accountOf(actor)
  const by = actor === null || isMergeQueue(login) ? null : login
  if (name === 'MANUAL') return by === null ? 'somebody took it out' : `${by} took it out`
  if (REASONS[name] !== undefined) return REASONS[name]
  if (name === '' || name === 'UNKNOWN_REMOVAL_REASON') return null
  const words = reason!.trim().replace(/\.$/, '')
  return by === null ? words : `${words} (${by})`
}
