import { asExomonadError, ExomonadError } from '../../../../domain/errors.ts'
import { limited, troubled, unreachable, wordsOf } from '../client/failure.ts'
import { createSecrets } from '../client/secrets.ts'
import { apiFetch } from '../../network/api-fetch.ts'
import type { GithubRepository } from '../repository.ts'
import { readAppKey, signAppToken } from './app-key.ts'

/** An app, as the configuration has it. */
export interface AppSettings {
  readonly id: number
  /** Absolute path of its private key. */
  readonly keyFile: string
  /** Where it is installed; null: found by the repository. */
  readonly installation: number | null
}

export interface AppAnswer {
  readonly status: number
  readonly data: unknown
  /** GitHub’s own words in a refusal. */
  readonly said: string
  /** When it was given, by GitHub’s clock. Milliseconds. */
  readonly at: number
}

/** What an app asks in its own name: signed with its key, which is read anew each time. */
export type AppRequest = (
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
) => Promise<AppAnswer>

/** Clocks that differ by less are taken for the same. Milliseconds. */
const SAME = 5000
/** Of a limit that names no time. Milliseconds. */
const WAIT = 60_000

/**
 * FORGE_DENIED where the key can’t be read or GitHub doesn’t take it; FORGE_UNAVAILABLE without an
 * answer. All else is an answer. Where this machine’s clock is wrong, GitHub’s own is gone by.
 */
export function createAppRequest({
  repository,
  app,
  clock,
  userAgent,
}: {
  repository: GithubRepository
  app: AppSettings
  clock: () => number
  userAgent: string
}): AppRequest {
  const { host, apiUrl } = repository
  const secrets = createSecrets()
  /** How far GitHub’s clock is ahead. Milliseconds. */
  let ahead = 0

  const send: AppRequest = async (method, path, body) => {
    const jwt = signAppToken(app.id, await readAppKey(app.keyFile), clock() + ahead)
    secrets.add(jwt)
    const headers = {
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
      'user-agent': userAgent,
      authorization: `Bearer ${jwt}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const response = await apiFetch(`${apiUrl}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw unreachable(repository, error as Error, secrets.redact)
    })
    const { status } = response
    const theirs = Date.parse(response.headers.get('date') ?? '')
    const data: unknown = await response.json().catch(() => null)
    const all = Object.fromEntries(response.headers)
    if (status >= 500) throw troubled(repository, status, all, clock())
    if (
      status === 429 ||
      (status === 403 && (all['retry-after'] !== undefined || all['x-ratelimit-remaining'] === '0'))
    ) {
      const [now, after, reset] = [
        clock(),
        Number(all['retry-after'] ?? NaN) * 1000,
        Number(all['x-ratelimit-reset'] ?? 0) * 1000,
      ]
      throw limited(
        repository,
        'all',
        Number.isNaN(after) ? (reset > now ? reset : now + WAIT) : now + after,
        status,
      )
    }
    return {
      status,
      data,
      said: secrets.redact(wordsOf(data)),
      at: Number.isNaN(theirs) ? clock() + ahead : theirs,
    }
  }

  return async (method, path, body) => {
    let answer = await send(method, path, body)
    const off = answer.at - clock()
    if (answer.status === 401 && Math.abs(off - ahead) > SAME) {
      ahead = off
      answer = await send(method, path, body)
    }
    if (answer.status === 401) throw notTaken(host, app, answer.said)
    return answer
  }
}

const notTaken = (host: string, { id, keyFile }: AppSettings, said: string): ExomonadError =>
  new ExomonadError(
    'FORGE_DENIED',
    `${host} doesn’t take the key in ${keyFile} for app ${id}: ${said || 'status 401'}. The two are not of one app, or the key was deleted in the app’s settings, ` +
      'where its id stands and new keys are made. Correct forge.github.app_id or app_key_file.',
    { status: 401, app: id },
  )

/** Whether the key can be used at all; nothing is sent. */
export const hasAppKey = ({ keyFile }: AppSettings): Promise<boolean> =>
  readAppKey(keyFile).then(
    () => true,
    (error: unknown) => {
      if (asExomonadError(error).code === 'FORGE_DENIED') return false
      throw error
    },
  )
