import { ExomonadError } from '../../../../errors.ts'
import type { GithubRepository } from '../options.ts'
import type { Headers } from './limits.ts'

/** What Octokit throws, as far as it is used. Answers carry `response`; where there was none, `cause` says why. */
export interface RequestFailure extends Error {
  readonly status?: number
  readonly response?: { readonly status: number; readonly data: unknown; readonly headers: Headers }
}

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refuses the connection',
  ECONNRESET: 'it ended the connection',
  EPIPE: 'it ended the connection',
  UND_ERR_SOCKET: 'it ended the connection',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name can’t be looked up',
  ENETUNREACH: 'there is no way to it',
  EHOSTUNREACH: 'there is no way to it',
  ENETDOWN: 'the network is down',
  ETIMEDOUT: 'it does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  UND_ERR_HEADERS_TIMEOUT: 'it does not answer',
  UND_ERR_BODY_TIMEOUT: 'its answer stopped in the middle',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed; NODE_EXTRA_CA_CERTS names a file with certificates to trust',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is self-signed; NODE_EXTRA_CA_CERTS names a file with certificates to trust',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate’s issuer is not known; NODE_EXTRA_CA_CERTS names a file with certificates to trust',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate’s issuer is not known; NODE_EXTRA_CA_CERTS names a file with certificates to trust',
}

/** The code of the innermost cause: a host with several addresses answers with one error for each. */
function systemCode(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 6; depth++) {
    const { code } = at as NodeJS.ErrnoException
    if (typeof code === 'string' && code in NETWORK) return code
    at = at instanceof AggregateError ? at.errors[0] : at.cause
  }
  return undefined
}

const unavailable = (message: string, facts: Record<string, unknown> = {}): ExomonadError => new ExomonadError('FORGE_UNAVAILABLE', message, facts)

/** No answer at all. */
export function unreachable({ host }: GithubRepository, error: Error, redact: (text: string) => string): ExomonadError {
  const code = systemCode(error)
  const why = code === undefined ? redact(error.message).slice(0, 200) : `${NETWORK[code]} (${code})`
  return unavailable(`GitHub (${host}) can’t be reached: ${why}. Check the network.`, code === undefined ? {} : { network: code })
}

/** 5xx. `retry-after` is passed on where there is one. */
export function troubled({ host }: GithubRepository, status: number, headers: Headers, now: number): ExomonadError {
  const retryAfter = Number(headers['retry-after'] ?? NaN)
  const where = host === 'github.com' ? ' https://www.githubstatus.com tells how it is.' : ''
  return unavailable(`GitHub (${host}) has trouble of its own and answers ${status}.${where}`, {
    status,
    ...(Number.isFinite(retryAfter) ? { retry_at: now + retryAfter * 1000 } : {}),
  })
}

/** A page where data was asked for, or data that isn’t what was asked for. */
export const garbled = ({ host }: GithubRepository, status: number): ExomonadError =>
  unavailable(`What answers for GitHub (${host}) is not its API: a proxy or a login page may stand in between.`, { status })

/** A limit; `until` in milliseconds since the epoch. */
export function limited({ host }: GithubRepository, which: 'core' | 'graphql' | 'all', until: number, status: number | null): ExomonadError {
  const time = new Date(until).toISOString().replace(/\.\d+Z$/, 'Z')
  const what =
    which === 'all'
      ? 'asks for fewer requests at a time (its secondary limit)'
      : `has used up this token’s hourly limit of ${which === 'core' ? 'REST requests' : 'GraphQL points'}`
  return unavailable(`GitHub (${host}) ${what}. It is asked again after ${time}; nothing is lost.`, { ...(status === null ? {} : { status }), retry_at: until })
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
      words.push(typeof text === 'string' ? text : [field, code].filter((part) => typeof part === 'string').join(' '))
    }
  }
  const said = words.filter((word) => word !== '')
  // “Validation Failed” says nothing where the reasons follow.
  return (said.length > 1 && said[0] === 'Validation Failed' ? said.slice(1) : said).join('; ').replace(/\s+/g, ' ').slice(0, 500)
}
