import { ExomonadError } from '../../../../../domain/errors.ts'
import type { LogEnds } from './log-ends.ts'
import type { PullReader } from '../pull-reader.ts'
import type { PullChecks } from './pull-checks.ts'

/**
 * The log of a check by its name, the failed one where several have it. Other apps’ checks have
 * their logs elsewhere: what they say of themselves, and where. PR_NOT_FOUND, INVALID_ARG where no
 * check has the name, FORGE_UNAVAILABLE.
 */
export async function readCheckLog(
  {
    full,
    checksOf,
    logEnds,
  }: { full: PullReader['full']; checksOf: PullChecks; logEnds: Pick<LogEnds, 'whole'> },
  number: number,
  name: string,
): Promise<string> {
  const read = (await full([number])).get(number)
  if (read === undefined || 'missing' in read) {
    throw new ExomonadError(
      'PR_NOT_FOUND',
      `There is no pull request #${number}. \`exomonad pr list\` shows them.`,
      { number },
    )
  }
  if ('unknown' in read)
    throw new ExomonadError(
      'FORGE_UNAVAILABLE',
      `#${number} can’t be read now: ${read.unknown}. Try again.`,
      { number },
    )
  const named = (await checksOf(read.value)).checks.filter((check) => check.name === name)
  const check =
    named.find(({ status }) => status === 'failed' || status === 'timed_out') ?? named[0]
  if (check === undefined) {
    throw new ExomonadError(
      'INVALID_ARG',
      `#${number} has no check "${name}" that ran. \`exomonad pr checks ${number}\` lists them.`,
      { name },
    )
  }
  const log = check.job === null ? null : await logEnds.whole(check.job)
  if (log !== null) return log
  const where = check.url === null ? 'nowhere that GitHub knows of' : `at ${check.url}`
  return [
    check.logTail,
    check.job === null
      ? `The log of ${name} is ${where}.`
      : `GitHub keeps no log of ${name} yet, or no more; see ${check.url}.`,
  ]
    .filter((line) => line !== null)
    .join('\n')
}
