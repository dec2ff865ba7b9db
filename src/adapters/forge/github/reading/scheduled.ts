import type { Actor } from '../../../../domain/ids.ts'
import type { PullRequestSnapshot } from '../../forge.ts'
import type { FullPull, RawActor, RawQueueEntry } from './answers.ts'
import { fromGraphql, toChecks } from './checks/checks.ts'
import type { LogEnds } from './checks/log-ends.ts'
import { accountOf } from './trusted.ts'

const STATES = {
  QUEUED: 'waiting',
  LOCKED: 'mergeable',
  AWAITING_CHECKS: 'checking',
  MERGEABLE: 'mergeable',
  UNMERGEABLE: 'unmergeable',
} as const satisfies Record<RawQueueEntry['state'], string>

const actorOf = (raw: RawActor | null): Actor => `forge:${accountOf(raw).login}`

/** Who merges in the name of a merge queue. */
export const isMergeQueue = (login: string): boolean =>
  /^github-merge-queue(\[bot\])?$/i.test(login)

/** What GitHub merges by itself; nothing where it does not. */
export async function toScheduled(
  {
    state,
    queueContexts,
    requiredContexts,
  }: Pick<FullPull, 'state' | 'queueContexts' | 'requiredContexts'>,
  logEnds: Pick<LogEnds, 'add'>,
): Promise<Pick<PullRequestSnapshot, 'scheduled'>> {
  if (state.state !== 'OPEN') return {}
  const { mergeQueueEntry: entry, autoMergeRequest: auto } = state
  if (entry != null) {
    const found =
      queueContexts === null ? null : toChecks(queueContexts.map(fromGraphql), requiredContexts)
    return {
      scheduled: {
        kind: 'queue',
        position: entry.position,
        state: STATES[entry.state],
        by: actorOf(entry.enqueuer),
        since: Date.parse(entry.enqueuedAt),
        checks: found === null ? null : await logEnds.add(found.checks),
        checksState: found?.checksState ?? 'unknown',
      },
    }
  }
  return auto == null
    ? {}
    : {
        scheduled: {
          kind: 'auto',
          by: actorOf(auto.enabledBy),
          since: auto.enabledAt === null ? 0 : Date.parse(auto.enabledAt),
        },
      }
}
