import { setTimeout as wait } from 'node:timers/promises'
import { ExomonadError } from '../../../../../domain/errors.ts'
import type { Check } from '../../../check.ts'
import { plainText } from '../../../plain-text.ts'
import type { GithubForgeOptions } from '../../options.ts'
import type { GithubClient } from '../../client/client.ts'
import type { Job, ReadChecks } from './checks.ts'

const LOG = 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs'
/** What an event carries of a log. Characters. */
const END = 4_000
/** What is fetched for it: steps that clean up write on after the one that failed. Bytes. */
const FETCHED = 128 * 1024
/** The whole of a log, as far as it is kept here. Bytes. */
const WHOLE = 1024 * 1024
/** So long after its end a job’s log may still be on its way. Milliseconds. */
const ON_ITS_WAY = 30_000
const TRIES = 3
/**
 * A log that could not be had isn’t asked for again for so long: each look would cost a request.
 * Milliseconds.
 */
const LEFT_ALONE = 10 * 60_000
/**
 * Where a log was waited for in vain as long as this, its host does not answer: the others aren’t
 * asked for either, for a while. Milliseconds.
 */
const WAITED = 5_000
const HOST_LEFT_ALONE = 2 * 60_000
/** A matrix that fails as a whole fails for one reason. */
const MOST_JOBS = 10
const MOST_KNOWN = 5_000

export interface LogEnds {
  /**
   * The checks as they are reported, with the ends of the failed jobs’ logs. A log that can’t be
   * had is left out.
   */
  add(checks: ReadChecks['checks']): Promise<Check[]>
  /**
   * The whole log of a job, without control characters; null where GitHub keeps none (any more).
   */
  whole(job: Job): Promise<string | null>
}

export function createLogEnds({
  client,
  clock,
  log,
  retryDelay = 1000,
}: Pick<GithubForgeOptions, 'clock' | 'log' | 'retryDelay'> & {
  client: Pick<GithubClient, 'textTail'>
}): LogEnds {
  const known = new Map<number, string>()
  const failedAt = new Map<number, number>()
  let awayAt = -Infinity

  const isOnItsWay = ({ endedAt }: Job): boolean =>
    endedAt !== null && Math.abs(clock() - endedAt) <= ON_ITS_WAY

  const fetched = async (job: Job): Promise<string | null> => {
    for (let tries = 1; ; tries++) {
      const text = await client.textTail(LOG, { job_id: job.id }, FETCHED)
      if (text !== null || tries === TRIES || !isOnItsWay(job)) return text
      await wait(retryDelay)
    }
  }

  const endOf = async (job: Job): Promise<string> => {
    const before = known.get(job.id)
    if (before !== undefined) return before
    const startedAt = clock()
    if (
      Math.abs(startedAt - (failedAt.get(job.id) ?? -Infinity)) < LEFT_ALONE ||
      Math.abs(startedAt - awayAt) < HOST_LEFT_ALONE
    )
      return ''
    if (known.size + failedAt.size > MOST_KNOWN)
      for (const memory of [known, failedAt]) memory.clear()
    try {
      const text = await fetched(job)
      if (text === null) failedAt.set(job.id, clock())
      else known.set(job.id, endOfLog(text))
    } catch (error) {
      if (!(error instanceof ExomonadError)) throw error
      // Logs lie on another host, which has troubles of its own.
      log.info({ err: error, job: job.id }, 'the log of a failed job could not be read')
      failedAt.set(job.id, clock())
      if (clock() - startedAt >= WAITED) awayAt = clock()
    }
    return known.get(job.id) ?? ''
  }

  return {
    async add(checks) {
      const results: Check[] = []
      let jobs = 0
      for (const { job, ...check } of checks) {
        const failed = check.status === 'failed' || check.status === 'timed_out'
        const end = failed && job !== null && jobs++ < MOST_JOBS ? await endOf(job) : ''
        results.push(end === '' ? check : { ...check, logTail: end })
      }
      return results
    },

    async whole({ id }) {
      const text = await client.textTail(LOG, { job_id: id }, WHOLE)
      return text === null ? null : readable(text)
    },
  }
}

/** Each line of a job’s log begins with its time. */
const readable = (text: string): string =>
  plainText(text)
    .replaceAll(/^\uFEFF?\d{4}-\d\d-\d\dT[\d:.]+Z ?/gm, '')
    .trimEnd()

/** The end that says why a job failed: up to its last error, without what cleaned up after it. */
export function endOfLog(text: string): string {
  const lines = readable(text).split('\n')
  const error = lines.findLastIndex((line) => line.startsWith('##[error]'))
  const end = (error === -1 ? lines : lines.slice(0, error + 1)).join('\n').trimEnd()
  return end.length <= END ? end : `…${end.slice(-END)}`
}
