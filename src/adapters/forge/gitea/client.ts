import { ExomonadError } from '../../../domain/errors.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'
import { apiFetch } from '../network/api-fetch.ts'
import { networkTrouble } from '../network/network-trouble.ts'
import { createPause } from '../network/pause.ts'
import { createSerial } from '../serial.ts'
import type { GiteaClientOptions, GiteaRepository } from './options.ts'

export interface GiteaAnswer<Data> {
  readonly status: number
  readonly data: Data
  /** How many there are on all pages; null where it is no list, or one that has no pages. */
  readonly total: number | null
}

export interface GiteaRequest {
  readonly query?: Readonly<Record<string, string | number>>
  readonly body?: Readonly<Record<string, unknown>>
  /** Statuses that are answers and not failures, such as 404 or 409. */
  readonly accept?: readonly number[]
  /** Sent again after failures that may pass. Default: for GET only. */
  readonly retry?: boolean
}

/**
 * Requests to the REST API of Gitea and Forgejo. FORGE_UNAVAILABLE: no connection, 5xx, a limit
 * (with `retry_at`), an answer that is no answer. FORGE_DENIED: 401 and 403, 404 of the repository
 * itself. Every call is logged at debug; no token is ever in a log or an error.
 */
export interface GiteaClient {
  /** `route`: `GET /repos/{owner}/{repo}/pulls/3`; owner and repo are filled in. */
  rest<Data>(route: string, request?: GiteaRequest): Promise<GiteaAnswer<Data>>
  /** All pages of a list; `inside`: the key it stands under. */
  pages<Item>(
    route: string,
    query?: Readonly<Record<string, string | number>>,
    inside?: string,
  ): Promise<Item[]>
  /** Login of the token’s account; cached. */
  viewer(): Promise<string>
  /**
   * 404 of something in the repository: FORGE_DENIED where the repository itself is not there (any
   * more) for this token, else what is given.
   */
  missing(otherwise: ExomonadError): Promise<ExomonadError>
  /** Nothing is sent any more: FORGE_UNAVAILABLE for all that is under way. */
  close(): void
}

/** As many as Gitea gives at a time where its owner configured nothing else. */
const PAGE = 50
/** More pages than that are no list of pull requests. */
const MOST_PAGES = 1000
const TRIES = 3
/** What is under way at a time: a small server has other work, too. */
const LANES = 4

export function createGiteaClient({
  repository,
  token,
  clock,
  log,
  userAgent,
  retryDelay = 1000,
}: GiteaClientOptions): GiteaClient {
  const { host, owner, name, url } = repository
  const closing = new AbortController()
  const pause = createPause(retryDelay)
  const lanes = Array.from({ length: LANES }, createSerial)
  let lane = 0
  let viewer: Promise<string> | undefined

  const send = async <Data>(
    method: string,
    path: string,
    { query = {}, body, accept = [] }: GiteaRequest,
  ): Promise<GiteaAnswer<Data>> => {
    const at = new URL(`${url}/api/v1${path}`)
    for (const [key, value] of Object.entries(query)) at.searchParams.set(key, String(value))
    const secret = await token()
    if (closing.signal.aborted) throw unavailable(repository, 'exomonad is leaving')
    let response: Response
    let text: string
    try {
      response = await apiFetch(at.href, {
        method,
        headers: {
          authorization: `token ${secret}`,
          'user-agent': userAgent,
          accept: 'application/json, text/plain',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: closing.signal,
      })
      text = await response.text()
    } catch (error) {
      const trouble = networkTrouble(error)
      const why = trouble?.words ?? (error as Error).message.replaceAll(secret, '…').slice(0, 200)
      throw unavailable(
        repository,
        `can’t be reached: ${why}. Check the network, and whether the server runs`,
      )
    }
    const { status } = response
    log.debug({ method, path: at.pathname, status }, 'gitea')
    const count = response.headers.get('x-total-count')
    if (status < 400)
      return {
        status,
        data: parsed<Data>(text, response),
        total: count === null ? null : Number(count),
      }
    if (accept.includes(status)) return { status, data: json(text) as Data, total: null }
    throw failure(repository, {
      method,
      path,
      status,
      words: wordsOf(json(text)),
      retryAfter: response.headers.get('retry-after'),
      now: clock(),
    })
  }

  const rest = async <Data>(
    route: string,
    request: GiteaRequest = {},
  ): Promise<GiteaAnswer<Data>> => {
    const [method = 'GET', template = ''] = route.split(' ')
    const path = template
      .replace('{owner}', encodeURIComponent(owner))
      .replace('{repo}', encodeURIComponent(name))
    const tries = (request.retry ?? method === 'GET') ? TRIES : 1
    const attempt = async (left: number): Promise<GiteaAnswer<Data>> => {
      try {
        return await send<Data>(method, path, request)
      } catch (error) {
        const passes =
          error instanceof ExomonadError &&
          error.code === 'FORGE_UNAVAILABLE' &&
          error.facts['retry_at'] === undefined
        if (!passes || left <= 1 || closing.signal.aborted) throw error
        await pause(tries - left)
        return attempt(left - 1)
      }
    }
    lane = (lane + 1) % LANES
    return (lanes[lane] as ReturnType<typeof createSerial>)(() => attempt(tries))
  }

  const parsed = <Data>(text: string, response: Response): Data => {
    if (!(response.headers.get('content-type') ?? '').includes('json')) {
      // A login page in between is no diff.
      if (/^\s*<!doctype html/i.test(text))
        throw unavailable(
          repository,
          'is not what answers: a proxy or a login page may stand in between',
        )
      return text as Data
    }
    const data = json(text)
    if (data === undefined) throw unavailable(repository, 'gave an answer that is no JSON')
    return data as Data
  }

  return {
    rest,

    async pages<Item>(
      route: string,
      query: Readonly<Record<string, string | number>> = {},
      inside?: string,
    ) {
      const all: Item[] = []
      for (let page = 1; page <= MOST_PAGES; page++) {
        const { data, total } = await rest<unknown>(route, {
          query: { ...query, page, limit: PAGE },
        })
        const items = ((inside === undefined
          ? data
          : (data as Record<string, unknown> | null)?.[inside]) ?? []) as Item[]
        all.push(...items)
        // Whoever runs the server may give fewer at a time.
        if (items.length === 0 || all.length >= (total ?? 0)) break
      }
      return all
    },

    async viewer() {
      viewer ??= rest<{ login: string }>('GET /user').then(({ data }) => data.login)
      try {
        return await viewer
      } catch (error) {
        viewer = undefined
        throw error
      }
    },

    async missing(otherwise) {
      const { status } = await rest('GET /repos/{owner}/{repo}', { accept: [404] })
      if (status !== 404) return otherwise
      return new ExomonadError(
        'FORGE_DENIED',
        `${host} has no repository ${owner}/${name} for this token: it was renamed or deleted, or it is private and the token’s account may not see it. ` +
          'Check the URL of the git remote (or forge.gitea.repository); `exomonad doctor` says what the token sees.',
        { status: 404 },
      )
    },

    close: () => closing.abort(),
  }
}

const unavailable = (
  { host }: GiteaRepository,
  what: string,
  facts: Record<string, unknown> = {},
): ExomonadError => new ExomonadError('FORGE_UNAVAILABLE', `Gitea (${host}) ${what}.`, facts)

interface Failed {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly words: string
  readonly retryAfter: string | null
  readonly now: number
}

function failure(
  repository: GiteaRepository,
  { method, path, status, words, retryAfter, now }: Failed,
): ExomonadError {
  const { host, owner, name } = repository
  const renew =
    'Set GITEA_TOKEN (or forge.gitea.token_file) to one that may; `exomonad doctor` checks it.'
  if (status === 401)
    return new ExomonadError(
      'FORGE_DENIED',
      `${host} refuses the token: it was revoked, or is mistyped. ${renew}`,
      { status },
    )
  if (status === 403) {
    return new ExomonadError(
      'FORGE_DENIED',
      `${host} refuses ${method} ${path} with this token${words === '' ? '' : `: ${words}`}. It needs the scopes write:repository, write:issue and read:user, and its account the right to write to ${owner}/${name}. ${renew}`,
      { status },
    )
  }
  if (status === 429 || status === 503) {
    const seconds = Number(retryAfter ?? NaN)
    const facts = {
      status,
      ...(Number.isFinite(seconds) ? { retry_at: now + seconds * 1000 } : {}),
    }
    return unavailable(
      repository,
      status === 429 ? 'asks for fewer requests' : 'has trouble of its own and answers 503',
      facts,
    )
  }
  if (status >= 500)
    return unavailable(repository, `has trouble of its own and answers ${status}`, { status })
  if (status === 404)
    return new ExomonadError(
      'PR_NOT_FOUND',
      `${owner}/${name} on ${host} has no such pull request.`,
      { status },
    )
  return new ExomonadError(
    'INVALID_ARG',
    `Gitea (${host}) refuses ${method} ${path}: ${words === '' ? `status ${status}` : words}`,
    { status },
  )
}

/** Gitea’s own words in an error answer. */
export function wordsOf(data: unknown): string {
  const message = (data as { message?: unknown } | null | undefined)?.message
  return typeof message === 'string' ? message.replaceAll(/\s+/g, ' ').trim() : ''
}

function json(text: string): unknown {
  if (text.trim() === '') return null
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
