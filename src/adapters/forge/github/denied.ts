import { ExomonadError } from '../../../domain/errors.ts'
import type { Headers } from './client/limits.ts'
import { OLDEST_SERVER, serverName } from './client/old-server.ts'
import type { GithubClientOptions } from './options.ts'
import type { GithubRepository } from './repository.ts'
import { ownHost } from './setup/api-host.ts'

/** Whose token it is, where it is an app’s. */
type App = GithubClientOptions['app']

/** Where a token comes from, said in each refusal. */
const newToken = (host: string, app: App): string =>
  app !== undefined
    ? `What app ${app.id} may is set in its settings, and whoever owns the repository accepts it there; \`exomonad doctor\` checks it.`
    : ownHost(host) === null
      ? `Set GH_ENTERPRISE_TOKEN (or forge.github.token_file, or log in with \`gh auth login --hostname ${host}\`) to one that may; \`exomonad doctor\` checks it.`
      : 'Set GH_TOKEN (or forge.github.token_file, or log in with `gh auth login`) to one that may; `exomonad doctor` checks it.'

const denied = (message: string, status: number): ExomonadError =>
  new ExomonadError('FORGE_DENIED', message, { status })

const end = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** 401. */
export const tokenRefused = ({ host }: GithubRepository, app?: App): ExomonadError =>
  app === undefined
    ? denied(
        `${host} refuses the token: it was revoked, has expired, or is mistyped. ${newToken(host, app)}`,
        401,
      )
    : denied(
        `${host} refuses the token that it has just given to app ${app.id}: its installation may be suspended. ${newToken(host, app)}`,
        401,
      )

/**
 * 404 (or a redirect to nowhere) of the repository itself, which is also how GitHub hides what a
 * token may not see.
 */
export const repositoryGone = ({ host, owner, name }: GithubRepository, app?: App): ExomonadError =>
  denied(
    `${host} has no repository ${owner}/${name} for this token: it was renamed or deleted, or it is private and ${app === undefined ? 'the token' : `app ${app.id}`} was not given access to it. ` +
      'Check the URL of the git remote (or forge.github.repository) and the token’s repositories; `exomonad doctor` says what it sees.',
    404,
  )

/**
 * 404 for what every GitHub has. `version`: of the Enterprise Server that answers at another
 * address all the same; null where none does.
 */
export const noApi = (
  { host }: GithubRepository,
  url: string,
  version: string | null | undefined = null,
): ExomonadError =>
  denied(
    `What answers at ${url} for ${host} is not GitHub’s API: it answers 404 for everything${
      version === null ? '' : `, though ${serverName(version)} answers there`
    }. Check the URL of the git remote, forge.github.host, api_url and graphql_url; exomonad works with Enterprise Server ${OLDEST_SERVER} and newer.`,
    404,
  )

/**
 * 403 that is no limit, and 404 to something that only a permission hides. `said`: GitHub’s own
 * words.
 */
export function permissionMissing(
  { host, owner, name }: GithubRepository,
  refused: {
    readonly what: string
    readonly said: string
    readonly status: number
    readonly headers: Headers
    readonly app?: App
  },
): ExomonadError {
  const { headers, app } = refused
  const start = `${host} refuses ${refused.what} with this token: ${end(refused.said)}`
  const sso = /url=(\S+)/.exec(String(headers['x-github-sso'] ?? ''))?.[1]
  if (sso !== undefined)
    return denied(
      `${start} ${owner} wants single sign-on: authorize the token at ${sso}.`,
      refused.status,
    )
  // What fine-grained tokens lack is in one header, classic ones in another; alternatives are set
  // apart by semicolons.
  const permissions = String(headers['x-accepted-github-permissions'] ?? '')
  if (permissions !== '') {
    const wanted = permissions.split(/;\s*/).map(permissionWords).join(', or ')
    return denied(
      `${start} It needs the permission ${wanted} for ${owner}/${name}. ${app === undefined ? 'Give it that, or another token. ' : ''}${newToken(host, app)}`,
      refused.status,
    )
  }
  const scopes = String(headers['x-accepted-oauth-scopes'] ?? '')
  const granted = headers['x-oauth-scopes']
  if (
    scopes !== '' &&
    granted !== undefined &&
    !scopes.split(/,\s*/).some((scope) => String(granted).split(/,\s*/).includes(scope))
  ) {
    return denied(
      `${start} It needs the scope ${scopes.split(/,\s*/).join(' or ')}. ${newToken(host, app)}`,
      refused.status,
    )
  }
  return denied(
    `${start} The token’s account may lack the right to do so in ${owner}/${name}. ${newToken(host, app)}`,
    refused.status,
  )
}

/** `pull_requests=write,contents=read` as `“Pull requests: write” and “Contents: read”`. */
const permissionWords = (permissions: string): string =>
  permissions
    .split(/,\s*/)
    .map((permission) => {
      const [name = '', level = 'read'] = permission.split('=')
      const words = name.replaceAll('_', ' ')
      return `“${words.charAt(0).toUpperCase()}${words.slice(1)}: ${level}”`
    })
    .join(' and ')
