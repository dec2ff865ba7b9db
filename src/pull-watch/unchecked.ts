import type { PullRequestSnapshot } from '../adapters/forge/forge.ts'
import type { Lack } from '../adapters/forge/lack.ts'
import type { StoreVerbs } from '../adapters/store/store.ts'
import { PULL_PREFIX, type PullRecord } from '../core/pulls/pull-records.ts'
import type { ForgeKind } from '../domain/forge-kinds.ts'
import type { NewEvent } from '../events/event.ts'

/** That nothing checks pull requests here, which is no news of each of them. */
export const NO_CHECKS: Readonly<Record<ForgeKind, Lack>> = {
  local: noChecks('[forge.local] ci names a command that does.'),
  github: noChecks('A workflow that runs for pull requests would.'),
  gitea: noChecks('A workflow that runs for pull requests would, or a CI that sets statuses.'),
}

function noChecks(fix: string): Lack {
  return {
    key: 'checks',
    what: 'Nothing checks the pull requests of this repository: “ready” says only that nothing stands against a merge',
    why: '',
    fix,
  }
}

/**
 * The same events where anything was ever checked here; else those of a pull request that can be
 * merged don’t say of it that it wasn’t, and `lacks`.
 */
export async function withoutWhatAllLack(
  verbs: Pick<StoreVerbs, 'snapshots'>,
  next: PullRequestSnapshot,
  events: readonly NewEvent[],
): Promise<{ events: readonly NewEvent[]; lacks: boolean }> {
  const isUnchecked = (event: NewEvent): boolean =>
    event.type === 'pr.ready' && event.payload.unchecked === true
  if (!events.some(isUnchecked) || next.checks.length > 0) return { events, lacks: false }
  const records = await verbs.snapshots.list(PULL_PREFIX)
  const known = [...records.values()] as unknown as PullRecord[]
  if (known.some(({ snapshot }) => snapshot.checks.length > 0)) return { events, lacks: false }
  const plain = events.map((event): NewEvent =>
    event.type === 'pr.ready'
      ? { ...event, payload: { ...event.payload, unchecked: false } }
      : event,
  )
  return { events: plain, lacks: true }
}
