import { ExomonadError } from '../../../../domain/errors.ts'
import { networkTrouble } from '../../network/network-trouble.ts'
import type { GithubRepository } from '../repository.ts'
import type { Headers } from './limits.ts'

/**
 * What Octokit throws, as far as it is used. Returns carry `response`; where there was none,
 * `cause` says why.
 */
export interface RequestFailure extends Error {
  readonly status?: number
  readonly response?: { readonly status: number; readonly data: unknown; readonly headers: Headers }
}

const unavailable = (message: string, facts: Record<string, unknown> = {}): ExomonadError =>
  new ExomonadError('FORGE_UNAVAILABLE', message, facts)

/** No answer at all. */
export function unreachable(
  { host }: GithubRepository,
  error: Error,
  redact: (text: string) => string,
): ExomonadError {
  const trouble = networkTrouble(error)
  const why = trouble?.words ?? redact(error.message).slice(0, 200)
  return unavailable(
    `GitHub (${host}) can’t be reached: ${why}. Check the network.`,
    trouble === null ? {} : { network: trouble.code },
  )
}

/** 5xx. `retry-after` is passed on where there is one. */
export function troubled(
  { host }: GithubRepository,
  status: number,
  headers: Headers,
  now: number,
): ExomonadError {
  const retryAfter = Number(headers['retry-after'] ?? NaN)
  const where = host === 'github.com' ? ' See https://www.githubstatus.com.' : ''
  return unavailable(`GitHub (${host}) has trouble of its own and answers ${status}.${where}`, {
    status,
    ...(Number.isFinite(retryAfter) ? { retry_at: now + retryAfter * 1000 } : {}),
  })
}

/** A page where data was asked for, or data that isn’t what was asked for. */
export const garbled = ({ host }: GithubRepository, status: number): ExomonadError =>
  unavailable(
    `What answers for GitHub (${host}) is not its API: a proxy or a login page may stand in between.`,
    { status },
  )

/** A limit; `until` in milliseconds since the epoch. */
export function limited(
  { host }: GithubRepository,
  which: 'core' | 'graphql' | 'all',
  until: number,
  status: number | null,
): ExomonadError {
  const time = new Date(until).toISOString().replace(/\.\d+Z$/, 'Z')
  const what =
    which === 'all'
      ? 'asks for fewer requests at a time (its secondary limit)'
      : `has used up this token’s hourly limit of ${which === 'core' ? 'REST requests' : 'GraphQL points'}`
  return unavailable(
    `GitHub (${host}) ${what}. It is asked again after ${time}; nothing is lost.`,
    { ...(status === null ? {} : { status }), retry_at: until },
  )
}

/** GitHub’s own words in an error answer, on one line. */
export function wordsOf(data: unknown): string {
  if (typeof data !== 'object' || data === null) return ''
  const { message, errors } = data as { message?: unknown; errors?: unknown }
  const words = [typeof message === 'string' ? message : '']
  for (const error of Array.isArray(errors) ? errors : []) {
    if (typeof error === 'string') words.push(error)
    else if (typeof error === 'object' && error !== null) {
      const { message: text, field, code } = error as Record<string, unknown>
      words.push(
        typeof text === 'string'
          ? text
          : [field, code].filter((part) => typeof part === 'string').join(' '),
      )
    }
  }
  const said = words.filter((word) => word !== '')
  // “Validation Failed” says nothing where the reasons follow.
  return (said.length > 1 && said[0] === 'Validation Failed' ? said.slice(1) : said)
    .join('; ')
    .replace(/\s+/g, ' ')
    .slice(0, 500)
}
