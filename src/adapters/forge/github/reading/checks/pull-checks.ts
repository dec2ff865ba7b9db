import { reportsNoLack } from '../../../lack.ts'
import type { ChecksState } from '../../../check.ts'
import type { GithubClient } from '../../client/client.ts'
import type { GithubForgeOptions } from '../../options.ts'
import { readActions, readStatuses } from './actions.ts'
import type { FullPull, RollupState } from '../answers.ts'
import { fromGraphql, toChecks, type ReadChecks } from './checks.ts'
import type { AwaitedChecks, ExpectedChecks } from './expected-checks.ts'

/** The checks of a pull request’s head, by whatever way the token may read them. */
export type PullChecks = (pull: FullPull) => Promise<ReadChecks>

/**
 * So many pauses GitHub gets to begin with what checks a new head: until then nothing is not
 * “none”. With the pause of a second, 15 s.
 */
const PAUSES = 15

export function createPullChecks({
  client,
  log,
  reportLack = reportsNoLack,
  expected,
  retryDelay = 1000,
}: Pick<GithubForgeOptions, 'log' | 'reportLack' | 'retryDelay'> & {
  client: Pick<GithubClient, 'pages'>
  expected: ExpectedChecks
}): PullChecks {
  let warned = false

  const read = async ({
    state: pull,
    contexts,
    requiredContexts,
    checksDenied,
  }: FullPull): Promise<ReadChecks> => {
    const readable = contexts.map(fromGraphql)
    if (!checksDenied) return toChecks(readable, requiredContexts)

    const jobs = await readActions(client, pull.headRefOid)
    const isNews = !warned
    warned = true
    if (isNews) {
      log.warn(
        { actions: jobs !== null },
        'this token may not read checks: what Actions runs is read instead, and other apps’ checks are not seen',
      )
      await reportLack({
        key: 'read-checks',
        what: 'The token may not read checks: what Actions runs is read instead, and other apps’ checks are not seen',
        why: '',
        fix: 'Give it the permission to read checks; `exomonad doctor` says which.',
      })
    }
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
    const { state } = pull
    // What can't be read says nothing, and what is required is waited for in any case.
    if (
      state.state === 'OPEN' &&
      (found.checksState === 'unknown' || (found.checksState === 'none' && found.checks.length > 0))
    )
      return found
    if (state.state !== 'OPEN' || found.checksState !== 'none') {
      await expected.settled(state, found.checksState !== 'none')
      return found
    }
    const { age, waits } = await expected.bare(state)
    if (waits !== null) return { ...found, checksState: 'pending', checks: [toCome(waits)] }
    return age < PAUSES * retryDelay ? { ...found, checksState: 'unknown' } : found
  }
}

/** Stands for the checks that are waited for, and says why a merge is refused until then. */
const toCome = ({ why, until }: AwaitedChecks): ReadChecks['checks'][number] => ({
  name: 'checks',
  status: 'queued',
  required: false,
  run: null,
  url: null,
  logTail: `none has begun on this head yet, and ${why}. They are waited for until ${new Date(until).toISOString().slice(11, 19)} UTC (forge.github.checks_expected_within): wait, or merge with force`,
  job: null,
})

const COME_TO: Readonly<Record<RollupState, ChecksState>> = {
  SUCCESS: 'passed',
  PENDING: 'pending',
  EXPECTED: 'pending',
  FAILURE: 'failed',
  ERROR: 'failed',
}

/** Worth looking at again before anything else changes. */
export const isUnderWay = ({
  contexts,
  state: { statusCheckRollup },
}: Pick<FullPull, 'contexts' | 'state'>): boolean =>
  statusCheckRollup?.state === 'PENDING' ||
  statusCheckRollup?.state === 'EXPECTED' ||
  contexts
    .map(fromGraphql)
    .some(({ status, moreToCome }) => status === 'queued' || status === 'running' || moreToCome)
