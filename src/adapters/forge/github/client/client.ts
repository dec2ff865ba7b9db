import type { ForgeBudget } from '../../budget.ts'
import type { Lacking } from './old-server.ts'

export interface RestAnswer<Data> {
  readonly status: number
  readonly data: Data
  readonly headers: Readonly<Record<string, string | number | undefined>>
}

export interface RestOptions {
  /** Statuses that are answers and not failures, such as 404 or 422. */
  readonly accept?: readonly number[]
  /**
   * Sent again after failures that may pass. Default: for GET and HEAD only; never for merges and
   * creations, which might have happened.
   */
  readonly retry?: boolean
}

/**
 * `data` is null where everything failed; `errors` says what could not be read, with the path in
 * the answer.
 */
export interface GraphqlAnswer<Data> {
  readonly data: Data | null
  readonly errors: readonly GraphqlError[]
}
export interface GraphqlError {
  readonly type: string | null
  readonly message: string
  readonly path: readonly (string | number)[]
}

/**
 * Requests to GitHub, with its limits kept: waits for none longer than a moment, but fails with
 * FORGE_UNAVAILABLE and `retry_at`, so that nobody is held. FORGE_UNAVAILABLE: no connection, 5xx,
 * a limit, an answer that is no answer. FORGE_DENIED: 401; 403 that is no limit; 404 of the
 * repository itself. Facts: `status`, `retry_at`. Every call is logged at debug: method, path,
 * status, cost, remaining. No token is ever in a log or an error.
 */
export interface GithubClient {
  /**
   * `route` as in GitHub’s documentation: `GET /repos/{owner}/{repo}/pulls/{pull_number}`; owner
   * and repo are filled in. 304 is answered from the cache.
   */
  rest<Data>(
    route: string,
    parameters?: Readonly<Record<string, unknown>>,
    options?: RestOptions,
  ): Promise<RestAnswer<Data>>
  /** All pages of a list. */
  pages<Item>(route: string, parameters?: Readonly<Record<string, unknown>>): Promise<Item[]>
  /**
   * A partial answer is an answer; a limit reported with status 200 is FORGE_UNAVAILABLE.
   * `variables` get owner and name.
   */
  graphql<Data>(
    query: string,
    variables?: Readonly<Record<string, unknown>>,
  ): Promise<GraphqlAnswer<Data>>
  /** Fields that this server was found not to know, and that queries go without. */
  lacking(): readonly Lacking[]
  /**
   * The end of a text that a route redirects to (a job’s log), at most so many bytes; null where
   * there is none (404, 410).
   */
  textTail(
    route: string,
    parameters: Readonly<Record<string, unknown>>,
    bytes: number,
  ): Promise<string | null>
  budget(): ForgeBudget
  /** Login of the token’s account; cached. Apps: `name[bot]`. */
  viewer(): Promise<string>
  /**
   * Nothing is sent any more, and nothing waited for: FORGE_UNAVAILABLE for all that is under way.
   */
  close(): void
}
