import type { ChecksState } from '../../forge.ts'
import type { GithubClient } from '../client/client.ts'
import type { GithubForgeOptions } from '../options.ts'
import { readActions, readStatuses } from './actions.ts'
import type { FullPull, RollupState } from './answers.ts'
import { fromGraphql, toChecks, type ReadChecks } from './checks.ts'

/** The checks of a pull request’s head, by whatever way the token may read them. */
export type PullChecks = (pull: FullPull) => Promise<ReadChecks>

export function createPullChecks({ client, log }: Pick<GithubForgeOptions, 'log'> & { client: Pick<GithubClient, 'pages'> }): PullChecks {
  let told = false
  return async ({ state: pull, contexts, requiredContexts, checksDenied }) => {
    const readable = contexts.map(fromGraphql)
    if (!checksDenied) return toChecks(readable, requiredContexts)

    const jobs = await readActions(client, pull.headRefOid)
    if (!told) log.warn({ actions: jobs !== null }, 'this token may not read checks: what Actions runs is read instead, and other apps’ checks are not seen')
    told = true
    // What they come to may be readable where they themselves are not.
    const rollup = pull.statusCheckRollup
    const statuses = rollup === null ? await readStatuses(client, pull.headRefOid) : readable
    const found = toChecks([...statuses, ...(jobs ?? [])], requiredContexts)
    if (found.checksState === 'failed') return found
    if (rollup !== null) return { ...found, checksState: COME_TO[rollup.state] }
    return jobs === null ? { ...found, checksState: 'unknown' } : found
  }
}

const COME_TO: Readonly<Record<RollupState, ChecksState>> = { SUCCESS: 'passed', PENDING: 'pending', EXPECTED: 'pending', FAILURE: 'failed', ERROR: 'failed' }

/** Worth looking at again before anything else changes. */
export const isUnderWay = ({ contexts, state: { statusCheckRollup } }: Pick<FullPull, 'contexts' | 'state'>): boolean =>
  statusCheckRollup?.state === 'PENDING' ||
  statusCheckRollup?.state === 'EXPECTED' ||
  contexts.map(fromGraphql).some(({ status, moreToCome }) => status === 'queued' || status === 'running' || moreToCome)
