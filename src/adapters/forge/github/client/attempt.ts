import type { GithubClientOptions } from '../options.ts'
import type { Etags } from './etags.ts'
import { garbled, limited, wordsOf, type RequestFailure } from './failure.ts'
import type { Headers, Limits, Resource } from './limits.ts'
import type { Answer, Attempt, AttemptOptions } from './octokit.ts'
import { isOfApp, type Secrets } from './secrets.ts'

const API_VERSION = '2022-11-28'
/** Octokit’s name for “as the API gives it”; texts such as diffs are asked for by another. */
const JSON_MEDIA = /\bjson\b/

/**
 * For Octokit an error as a gateway’s is, so that it sends the request again where that may be
 * done.
 */
const passing = (cause: Error, { request }: AttemptOptions): Error =>
  Object.assign(new Error(cause.message, { cause }), { status: 502, request })

/**
 * One try: refused while a limit is in the way, with the token of this moment, answered from the
 * cache where nothing has changed, counted and logged. Throws FORGE_UNAVAILABLE for limits, and
 * what Octokit throws for all else.
 */
export function createAttempt({
  repository,
  token,
  app,
  clock,
  log,
  limits,
  secrets,
  etags,
}: GithubClientOptions & { limits: Limits; secrets: Secrets; etags: Etags }): Attempt {
  let lastToken: string | undefined

  const currentToken = async (): Promise<string> => {
    const current = await token()
    secrets.add(current)
    // What one token saw, another may not see; what one has used up, another may have left.
    if (current !== lastToken) etags.clear()
    if (
      current !== lastToken &&
      lastToken !== undefined &&
      !(isOfApp(current) && isOfApp(lastToken))
    )
      limits.forget()
    lastToken = current
    return current
  }

  const limitIn = (resource: Resource, { status, data, headers }: Answer): Error | undefined => {
    const errors = (data as { errors?: unknown } | null)?.errors
    const types = Array.isArray(errors)
      ? errors.map((error: { type?: unknown } | null) => error?.type)
      : []
    const used = types.includes('RATE_LIMITED') || types.includes('RATE_LIMIT')
    if (
      status < 400 &&
      !used &&
      !(resource === 'graphql' && /secondary rate limit/i.test(wordsOf(data)))
    )
      return undefined
    if (used) return limited(repository, resource, limits.usedUp(resource, headers), status)
    if (status !== 403 && status !== 429 && status >= 400) return undefined
    const words = typeof data === 'string' ? data : wordsOf(data)
    if (/secondary rate|abuse detection/i.test(words))
      return limited(repository, 'all', limits.askedToWait(headers), status)
    if (String(headers['x-ratelimit-remaining']) === '0')
      return limited(repository, resource, limits.usedUp(resource, headers), status)
    if (headers['retry-after'] !== undefined || status === 429)
      return limited(repository, 'all', limits.askedToWait(headers), status)
    return undefined
  }

  return async (options, send) => {
    const { method, url } = options
    const { pathname, search } = new URL(url)
    const resource: Resource = url === repository.graphqlUrl ? 'graphql' : 'core'
    let carried = await currentToken()
    const blocked = limits.blocked(resource)
    if (blocked !== null) throw limited(repository, blocked.by, blocked.until, null)

    const key = `${options.accept} ${url}`
    const known = method === 'GET' ? etags.get(key) : undefined
    const started = clock()
    const report = (status: number | null, data: unknown, headers: Headers): void => {
      const cost = status === null || status === 304 ? 0 : resource === 'core' ? 1 : costIn(data)
      const limit = limits.observe(resource, headers, cost)
      const path = secrets.redact(`${pathname}${search}`)
      log.debug(
        { method, path, status, cost, remaining: limit?.remaining ?? null, ms: clock() - started },
        'asked GitHub',
      )
    }

    const sent = (): Promise<Answer> =>
      send({
        authorization: `Bearer ${carried}`,
        'x-github-api-version': API_VERSION,
        'if-none-match': etags.get(key) === known ? known?.etag : undefined,
      })
    let answer: Answer
    try {
      answer = await sent().catch(async (error: unknown) => {
        // Taken back before its time, as when the app is given other permissions: nothing was done,
        // and its next token is good.
        if ((error as RequestFailure).response?.status !== 401 || app?.refused(carried) !== true)
          throw error
        carried = await currentToken()
        return sent()
      })
    } catch (error) {
      const { response } = error as RequestFailure
      report(response?.status ?? null, response?.data, response?.headers ?? {})
      if (response === undefined) throw error
      if (response.status === 304 && known !== undefined)
        return { status: known.status, data: known.data, headers: known.headers }
      throw limitIn(resource, response) ?? error
    }
    report(answer.status, answer.data, answer.headers)
    const limit = limitIn(resource, answer)
    if (limit !== undefined) throw limit
    if (isGarbage(options, answer)) throw passing(garbled(repository, answer.status), options)
    const etag = answer.headers['etag']
    if (method === 'GET' && answer.status === 200 && typeof etag === 'string') {
      etags.set(
        key,
        { etag, status: 200, data: answer.data, headers: answer.headers },
        Number(answer.headers['content-length'] ?? sizeOf(answer.data)),
      )
    }
    return answer
  }
}

/** Points of a GraphQL call, where the query asks for them. */
function costIn(data: unknown): number {
  const cost = (
    data as { data?: { rateLimit?: { cost?: unknown } | null } | null } | null | undefined
  )?.data?.rateLimit?.cost
  return typeof cost === 'number' ? cost : 1
}

const sizeOf = (data: unknown): number =>
  typeof data === 'string' ? data.length : JSON.stringify(data ?? null).length

/** A page of a proxy, or data that was cut off. */
function isGarbage({ accept }: AttemptOptions, { status, data, headers }: Answer): boolean {
  if (status === 204 || status === 205) return false
  const type = String(headers['content-type'] ?? '')
  if (type.startsWith('text/plain')) return false
  return JSON_MEDIA.test(accept)
    ? typeof data !== 'object' || data === null
    : type.startsWith('text/html')
}
