import type { ChecksState } from '../../forge.ts'
import type { GithubClient } from '../client/client.ts'
import type { GithubForgeOptions } from '../options.ts'
import { readActions, readStatuses } from './actions.ts'
import type { FullPull, RollupState } from './answers.ts'
import { fromGraphql, toChecks, type ReadChecks } from './checks.ts'

/** The checks of a pull request’s head, by whatever way the token may read them. */
export type PullChecks = (pull: FullPull) => Promise<ReadChecks>

/** So many pauses GitHub gets to begin with what checks a new head: until then nothing is not “none”. With the pause of a second, 15 s. */
const PAUSES = 15

export function createPullChecks({
  client,
  clock,
  log,
  retryDelay = 1000,
}: Pick<GithubForgeOptions, 'clock' | 'log' | 'retryDelay'> & { client: Pick<GithubClient, 'pages'> }): PullChecks {
  let told = false
  /** Heads without any checks, by pull request: since when they are seen. */
  const bare = new Map<number, { readonly head: string; readonly since: number }>()

  const isTooEarly = ({ state, number, headRefOid: head }: FullPull['state']): boolean => {
    if (state !== 'OPEN') return false
    const now = clock()
    const known = bare.get(number)
    const since = known?.head === head ? known.since : now
    bare.set(number, { head, since })
    return Math.abs(now - since) < PAUSES * retryDelay
  }

  const read = async ({ state: pull, contexts, requiredContexts, checksDenied }: FullPull): Promise<ReadChecks> => {
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

  return async (pull) => {
    const found = await read(pull)
    const isBare = found.checksState === 'none' && found.checks.length === 0
    if (isBare && isTooEarly(pull.state)) return { ...found, checksState: 'unknown' }
    if (pull.state.state !== 'OPEN') bare.delete(pull.state.number)
    return found
  }
}

const COME_TO: Readonly<Record<RollupState, ChecksState>> = { SUCCESS: 'passed', PENDING: 'pending', EXPECTED: 'pending', FAILURE: 'failed', ERROR: 'failed' }

/** Worth looking at again before anything else changes. */
export const isUnderWay = ({ contexts, state: { statusCheckRollup } }: Pick<FullPull, 'contexts' | 'state'>): boolean =>
  statusCheckRollup?.state === 'PENDING' ||
  statusCheckRollup?.state === 'EXPECTED' ||
  contexts.map(fromGraphql).some(({ status, moreToCome }) => status === 'queued' || status === 'running' || moreToCome)
