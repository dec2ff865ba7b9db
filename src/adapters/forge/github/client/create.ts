import { ExomonadError } from '../../../../domain/errors.ts'
import { noApi, permissionMissing, repositoryGone, tokenRefused } from '../denied.ts'
import type { GithubClientOptions } from '../options.ts'
import { createAttempt } from './attempt.ts'
import type {
  GithubClient,
  GraphqlAnswer,
  GraphqlError,
  RestAnswer,
  RestOptions,
} from './client.ts'
import { createEtags } from './etags.ts'
import { garbled, troubled, unreachable, wordsOf, type RequestFailure } from './failure.ts'
import { createLimits } from './limits.ts'
import { createOctokit, type Answer } from './octokit.ts'
import { createOldServer, versionIn } from './old-server.ts'
import { createSecrets, isOfApp } from './secrets.ts'
import { final, tailFetch } from '../../network/api-fetch.ts'

const REPOSITORY = '/repos/{owner}/{repo}'
const PER_PAGE = 100

export function createGithubClient(options: GithubClientOptions): GithubClient {
  const { repository, clock, app } = options
  const secrets = createSecrets()
  const limits = createLimits({ clock, reserve: () => options.settings().reserve })
  const attempt = createAttempt({ ...options, limits, secrets, etags: createEtags() })
  const closing = new AbortController()
  const octokit = createOctokit(options, attempt, { reading: false, signal: closing.signal })
  const reader = createOctokit(options, attempt, { reading: true, signal: closing.signal })

  /** The answer, also where it is an error of GitHub’s; throws where there is none. */
  const answer = async (send: () => Promise<unknown>): Promise<Answer> => {
    try {
      return (await send()) as Answer
    } catch (error) {
      if (error instanceof ExomonadError) throw error
      const failure = error as RequestFailure
      if (failure.cause instanceof ExomonadError) throw failure.cause
      if (failure.response === undefined) throw unreachable(repository, failure, secrets.redact)
      // A query that GitHub itself gave up comes as an error though part of it may be there.
      return failure.response
    }
  }

  const isRepositoryThere = async (): Promise<boolean> => {
    const { status } = await answer(() =>
      octokit.request(`GET ${REPOSITORY}`, { owner: repository.owner, repo: repository.name }),
    )
    if (status >= 500) throw troubled(repository, status, {}, clock())
    return status < 400
  }

  /**
   * The version of what answers; undefined where that is none of an Enterprise Server.
   * Null: nothing answers that knows GitHub’s API.
   */
  const askVersion = async (): Promise<string | undefined | null> => {
    const { status, data, headers } = await answer(() => octokit.request('GET /meta'))
    if (status === 404 || status === 410) return null
    const installed = (data as { installed_version?: unknown } | null)?.installed_version
    return versionIn(headers) ?? (typeof installed === 'string' ? installed : undefined)
  }
  const oldServer = createOldServer({
    ...options,
    askVersion: async () => (await askVersion()) ?? undefined,
  })

  /** 404 for the repository: it alone is not there, or there is no API at all. */
  const notThere = async (): Promise<ExomonadError> =>
    (await askVersion()) === null
      ? noApi(repository, repository.apiUrl)
      : repositoryGone(repository, app)

  const refused = async (
    route: string,
    parameters: Readonly<Record<string, unknown>>,
    { status, data, headers }: Answer,
  ): Promise<ExomonadError> => {
    const said = secrets.redact(wordsOf(data)) || `status ${status}`
    const [method = '', path = ''] = route.split(' ')
    if (status === 401) return tokenRefused(repository, app)
    if (status >= 500) return troubled(repository, status, headers, clock())
    if (status === 403 || status === 451)
      return permissionMissing(repository, {
        what: `${method} ${path}`,
        said,
        status,
        headers,
        app,
      })
    if (status === 404 || status === 410) {
      const number = parameters['pull_number']
      if (method === 'GET' && number !== undefined) return pullMissing(Number(number))
      return permissionMissing(repository, {
        what: `${method} ${path}`,
        said,
        status,
        headers,
        app,
      })
    }
    return new ExomonadError(
      'INVALID_ARG',
      `GitHub (${repository.host}) refuses ${method} ${path}: ${said}`,
      { status },
    )
  }
  const pullMissing = (number: number): ExomonadError =>
    new ExomonadError(
      'PR_NOT_FOUND',
      `There is no pull request #${number} in ${repository.owner}/${repository.name}.`,
      { number },
    )

  const request = async (
    route: string,
    parameters: Readonly<Record<string, unknown>>,
    { accept = [], retry, bytes }: RestOptions & { bytes?: number },
  ): Promise<Answer> => {
    const reads = /^(GET|HEAD) /.test(route)
    const result = await answer(() =>
      octokit.request(route, {
        ...(route.includes('{owner}') ? { owner: repository.owner } : {}),
        ...(route.includes('{repo}') ? { repo: repository.name } : {}),
        ...parameters,
        request: {
          ...((retry ?? reads) ? {} : { retries: 0 }),
          ...(bytes === undefined ? {} : { fetch: tailFetch(bytes) }),
        },
      }),
    )
    // What is missing is only missing where the repository is there: a lost permission or a rename
    // looks the same.
    if (result.status === 404 && route.includes(REPOSITORY) && !(await isRepositoryThere()))
      throw await notThere()
    if (result.status >= 400 && !accept.includes(result.status))
      throw await refused(route, parameters, result)
    return result
  }

  const rest = async <Data>(
    route: string,
    parameters: Readonly<Record<string, unknown>> = {},
    restOptions: RestOptions = {},
  ): Promise<RestAnswer<Data>> => {
    const { status, data, headers } = await request(route, parameters, restOptions)
    return { status, data: data as Data, headers }
  }

  const graphql = async <Data>(
    asked: string,
    variables: Readonly<Record<string, unknown>> = {},
  ): Promise<GraphqlAnswer<Data>> => {
    const query = oldServer.readable(asked)
    const declared = (name: string): boolean => new RegExp(`\\$${name}\\b`).test(query)
    const mutates = /^\s*mutation\b/.test(query)
    const result = await answer(() =>
      (mutates ? octokit : reader).request(`POST ${repository.graphqlUrl}`, {
        query,
        variables: {
          ...(declared('owner') ? { owner: repository.owner } : {}),
          ...(declared('name') ? { name: repository.name } : {}),
          ...Object.fromEntries(Object.entries(variables).filter(([name]) => declared(name))),
        },
        request: { retries: mutates ? 0 : 1 },
      }),
    )
    if (result.status === 404) throw noApi(repository, repository.graphqlUrl, await askVersion())
    if (result.status >= 400) throw await refused('POST /graphql', {}, result)
    const body = result.data as { data?: Data | null; errors?: unknown }
    // Of a query with such errors nothing was run.
    if (await oldServer.learn(body.errors, result.headers)) return graphql(asked, variables)
    if (body.data === undefined && !Array.isArray(body.errors))
      throw garbled(repository, result.status)
    const errors = Array.isArray(body.errors)
      ? body.errors.map((error) => graphqlError(error, secrets.redact))
      : []
    const whole = errors.find(({ path }) => path.length === 1 && path[0] === 'repository')
    if (whole?.type === 'NOT_FOUND') throw repositoryGone(repository, app)
    if (whole?.type === 'FORBIDDEN' || errors.some(({ type }) => type === 'INSUFFICIENT_SCOPES')) {
      const said =
        (whole ?? errors.find(({ type }) => type === 'INSUFFICIENT_SCOPES'))?.message ?? ''
      throw permissionMissing(repository, {
        what: 'a query',
        said,
        status: result.status,
        headers: result.headers,
        app,
      })
    }
    return { data: body.data ?? null, errors }
  }

  let viewer: { readonly token: string; readonly login: string } | undefined
  return {
    rest,

    async pages<Item>(route: string, parameters: Readonly<Record<string, unknown>> = {}) {
      const items: Item[] = []
      for (let page = 1; ; page++) {
        const { data, headers } = await rest<readonly Item[] | Record<string, unknown>>(route, {
          per_page: PER_PAGE,
          ...parameters,
          page,
        })
        // Some lists come in an object, beside their total.
        const list = Array.isArray(data)
          ? data
          : Object.values(data).find((value) => Array.isArray(value))
        if (list === undefined) throw garbled(repository, 200)
        items.push(...(list as Item[]))
        if (!/rel="next"/.test(String(headers['link'] ?? ''))) return items
      }
    },

    graphql,

    lacking: oldServer.lacking,

    async textTail(route, parameters, bytes) {
      const { status, data } = await request(route, parameters, { accept: [404, 410], bytes })
      return status >= 400 ? null : String(data)
    },

    budget: limits.budget,

    async viewer() {
      const token = await options.token()
      if (viewer?.token === token) return viewer.login
      const { data } = await graphql<{ viewer: { login: string } }>(
        'query Viewer { viewer { login } }',
      )
      const login = data?.viewer?.login
      if (login === undefined) throw garbled(repository, 200)
      // However it is written: a person may be called as an app is, but for this.
      viewer = {
        token,
        login: isOfApp(token) && !login.endsWith('[bot]') ? `${login}[bot]` : login,
      }
      return viewer.login
    },

    close: () => closing.abort(final('exomonad is stopping')),
  }
}

function graphqlError(error: unknown, redact: (text: string) => string): GraphqlError {
  const { type, message, path } = (
    typeof error === 'object' && error !== null ? error : {}
  ) as Record<string, unknown>
  return {
    type: typeof type === 'string' ? type : null,
    message: redact(typeof message === 'string' ? message : 'no reason given').slice(0, 500),
    path: Array.isArray(path)
      ? path.filter((part) => typeof part === 'string' || typeof part === 'number')
      : [],
  }
}
