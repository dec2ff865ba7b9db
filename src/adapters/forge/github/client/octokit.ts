import { retry } from '@octokit/plugin-retry'
import { throttling } from '@octokit/plugin-throttling'
import { Octokit } from '@octokit/rest'
import type { GithubClientOptions } from '../options.ts'
import { createLane } from './lane.ts'
import { apiFetch } from '../../network/api-fetch.ts'

/**
 * One attempt at a request: called within the plugins, so that each try is counted, logged and
 * given the token of its time.
 */
export type Attempt = (
  options: AttemptOptions,
  send: (headers: Readonly<Record<string, string | undefined>>) => Promise<Answer>,
) => Promise<Answer>

export interface AttemptOptions {
  readonly method: string
  readonly url: string
  readonly accept: string
  /** Octokit’s own, for errors that it shall send again. */
  readonly request: unknown
}

export interface Answer {
  readonly status: number
  readonly data: unknown
  readonly headers: Readonly<Record<string, string | number | undefined>>
}

/**
 * Sending again helps with none of these: they are answers, or limits that nobody waits for here.
 */
const ANSWERS = [304, 400, 401, 403, 404, 405, 409, 410, 422, 429, 451]

/**
 * Octokit as it is used here. Writes go one after the other with the pauses that GitHub asks for;
 * GraphQL queries are posted but write nothing, so they don’t wait for each other (`reading`).
 * Limits are never waited for.
 */
export function createOctokit(
  options: GithubClientOptions,
  attempt: Attempt,
  { reading, signal }: { reading: boolean; signal: AbortSignal },
): Octokit {
  const pause = options.retryDelay ?? 1000
  const plugin = (octokit: Octokit): void => {
    octokit.hook.wrap('request', (request, parameters) => {
      const { method, url, headers } = octokit.request.endpoint.parse(parameters)
      return attempt(
        { method, url, accept: String(headers['accept'] ?? ''), request: { ...parameters } },
        (added) => {
          // Hooks are bound to these parameters: what is passed on instead of them is not looked
          // at.
          parameters.headers = { ...parameters.headers, ...added }
          return request(parameters) as Promise<Answer>
        },
      ) as never
    })
  }
  const paced = (gap: number) => createLane(gap) as never
  const quiet = (): void => undefined
  return new (Octokit.plugin(plugin as never, throttling, retry))({
    baseUrl: options.repository.apiUrl,
    userAgent: options.userAgent,
    // What Octokit would log holds headers; each call is logged by the client.
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    request: { fetch: apiFetch, signal },
    throttle: {
      onRateLimit: () => false,
      onSecondaryRateLimit: () => false,
      write: paced(reading ? 0 : pause),
      notifications: paced(pause),
    },
    retry: { doNotRetry: ANSWERS, retries: 2, retryAfterBaseValue: pause },
  })
}
