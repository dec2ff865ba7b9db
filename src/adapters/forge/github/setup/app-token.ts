import { ExomonadError } from '../../../../domain/errors.ts'
import { garbled } from '../client/failure.ts'
import type { GithubRepository } from '../repository.ts'
import { createAppRequest, hasAppKey, type AppAnswer, type AppSettings } from './app-requests.ts'
import type { AppGrant, GithubToken } from './token.ts'

/**
 * A token is renewed so long before it runs out: a push that begins with it ends with it.
 * Milliseconds.
 */
const AHEAD = 5 * 60_000
/** While it still counts, a renewal that failed is tried again after this. Milliseconds. */
const AGAIN = 30_000
/** One that GitHub refuses sooner would not be better the next time. Milliseconds. */
const YOUNG = 60_000

interface Held {
  readonly token: string
  readonly grant: AppGrant
  /** By this machine’s clock, from when until when it counts. */
  readonly from: number
  readonly until: number
}

export interface AppTokenOptions {
  readonly repository: GithubRepository
  readonly app: AppSettings
  readonly clock: () => number
  readonly userAgent: string
}

/**
 * The token of an app’s installation: got by the app’s key, for this repository alone, kept in
 * memory only and renewed before it runs out (after an hour), by one request however many wait for
 * it. Nothing is sent before it is read.
 */
export async function createAppToken(options: AppTokenOptions): Promise<GithubToken> {
  const { app, clock } = options
  const installations = createInstallations(options)
  let held: Held | null = null
  let renewal: Promise<Held> | null = null
  let failedAt: number | null = null

  // A clock that was set back must not make a token count for longer.
  const good = (now: number): Held | null =>
    held !== null && now >= held.from && now < held.until ? held : null
  const renew = async (): Promise<Held> => {
    const { from, token, grant, lifetime } = await installations.token()
    failedAt = null
    return (held = { token, grant, from, until: from + lifetime })
  }
  const renewed = (): Promise<Held> => (renewal ??= renew().finally(() => void (renewal = null)))

  return {
    async read() {
      const now = clock()
      const known = good(now)
      if (known === null) return (await renewed()).token
      const early =
        now >= known.until - AHEAD &&
        (failedAt === null || now < failedAt || now - failedAt >= AGAIN)
      if (!early) return known.token
      const next = await renewed().catch(() => {
        failedAt = clock()
        return known
      })
      return next.token
    },
    source: (await hasAppKey(app)) ? `app ${app.id} by its key ${app.keyFile}` : null,
    file: app.keyFile,
    app: {
      id: app.id,
      grant: () => held?.grant ?? null,
      refused(token) {
        if (held?.token !== token) return true
        const now = clock()
        if (now >= held.from && now - held.from < YOUNG) return false
        held = null
        return true
      },
    },
  }
}

interface Got {
  readonly token: string
  readonly grant: AppGrant
  /** When it was got, by this machine’s clock, and how long it counts from then on. */
  readonly from: number
  readonly lifetime: number
}

/** The installation that is meant, and tokens of it. */
function createInstallations(options: AppTokenOptions): { token(): Promise<Got> } {
  const { repository, app, clock } = options
  const { host, owner, name } = repository
  const ask = createAppRequest(options)
  const place = `${owner}/${name}`
  const denied = (message: string, status: number): ExomonadError =>
    new ExomonadError('FORGE_DENIED', message, { status, app: app.id })
  let known = app.installation

  const notInstalled = async (): Promise<ExomonadError> => {
    const { data } = await ask('GET', '/app').catch(() => ({ data: null }))
    const page = (data as { html_url?: unknown } | null)?.html_url
    const where =
      typeof page === 'string'
        ? `at ${page}/installations/new`
        : 'in the app’s settings (“Install App”)'
    return denied(
      `App ${app.id} is not installed in ${place} on ${host}, or was not given this repository. Install it there, or give it the repository, ${where}.`,
      404,
    )
  }
  const suspended = (id: number): ExomonadError =>
    denied(
      `Installation ${id} of app ${app.id} on ${host} is suspended. Whoever owns ${owner} unsuspends it in the settings, under “GitHub Apps”.`,
      403,
    )
  const refused = ({ status, said }: AppAnswer): ExomonadError =>
    denied(
      `${host} gives app ${app.id} no token for ${place}: ${said || `status ${status}`}.`,
      status,
    )

  const locate = async (): Promise<number> => {
    const answer = await ask(
      'GET',
      `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}/installation`,
    )
    if (answer.status === 404) {
      if (/integration not found/i.test(answer.said))
        throw denied(
          `${host} has no app ${app.id}. Correct forge.github.app_id; the app’s settings show its id.`,
          404,
        )
      throw await notInstalled()
    }
    if (answer.status >= 400) throw refused(answer)
    const { id, suspended_at: since } = (answer.data ?? {}) as {
      id?: unknown
      suspended_at?: unknown
    }
    if (typeof id !== 'number') throw garbled(repository, answer.status)
    if (typeof since === 'string') throw suspended(id)
    return id
  }

  const make = (id: number, body: unknown): Promise<AppAnswer> =>
    ask('POST', `/app/installations/${id}/access_tokens`, body)

  return {
    async token() {
      let id = known ?? (await locate())
      let answer = await make(id, { repositories: [name] })
      // Installed anew it has another number; a number that is configured is meant.
      if (answer.status === 404 && app.installation === null && known !== null) {
        id = await locate()
        answer = await make(id, { repositories: [name] })
      }
      if (answer.status === 404) {
        throw denied(
          `${host} has no installation ${id} of app ${app.id}. Correct forge.github.app_installation_id, or leave it out: it is found by the repository.`,
          404,
        )
      }
      if (answer.status === 403)
        throw /suspended/i.test(answer.said) ? suspended(id) : refused(answer)
      // Not a repository of this installation, by this name: refused below where it is not
      // installed, or it was renamed.
      if (answer.status === 422) {
        id = await locate()
        answer = await make(id, {})
      }
      if (answer.status >= 400) throw refused(answer)
      const {
        token,
        expires_at: expires,
        permissions = {},
      } = (answer.data ?? {}) as {
        token?: unknown
        expires_at?: unknown
        permissions?: AppGrant['permissions']
      }
      const expiresAt = typeof expires === 'string' ? Date.parse(expires) : NaN
      if (typeof token !== 'string' || token === '' || Number.isNaN(expiresAt))
        throw garbled(repository, answer.status)
      known = id
      return {
        token,
        from: clock(),
        lifetime: expiresAt - answer.at,
        grant: { installation: id, expiresAt, permissions },
      }
    },
  }
}
