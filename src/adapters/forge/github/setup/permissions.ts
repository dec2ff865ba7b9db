import { asExomonadError } from '../../../../domain/errors.ts'
import type { ForgeBudget } from '../../forge.ts'
import type { GithubClient } from '../client/client.ts'
import { isTooOld, OLDEST_SERVER, serverName, versionIn } from '../client/old-server.ts'
import type { GithubRepository } from '../repository.ts'
import { fullLook } from '../reading/queries.ts'
import { ownHost } from './api-host.ts'
import { permissionsOfApp } from './app-permissions.ts'
import { checkRules, waysFindings, type RuledRepository } from './merging-rules.ts'
import type { GithubApp } from './token.ts'
import type { PermissionFinding } from './permission-finding.ts'

/** Which version it is, and what it does not know. */
export interface ServerFinding {
  readonly state: 'ok' | 'warning' | 'problem'
  /** Both are sentences without a full stop. */
  readonly found: string
  readonly fix: string | null
}

export type GithubCheck =
  | {
      readonly kind: 'checked'
      readonly account: string | null
      /** Of a token that renews itself. Milliseconds since the epoch. */
      readonly expiresAt: number | null
      /**
       * Why nobody with this account can work there, whatever the token: a sentence without a full
       * stop.
       */
      readonly readOnly: string | null
      readonly permissions: readonly PermissionFinding[]
      /** Of an Enterprise Server. */
      readonly server: ServerFinding | null
      readonly budget: ForgeBudget
    }
  /** The token or the repository as a whole. Sentences. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unreachable'; readonly reason: string }

interface RepositoryAnswer {
  readonly default_branch: string
  readonly private: boolean
  readonly archived: boolean
  /** What the account may do, whatever the token may. */
  readonly permissions?: { readonly push?: boolean; readonly pull?: boolean }
  readonly allow_squash_merge?: boolean
  readonly allow_merge_commit?: boolean
  readonly allow_rebase_merge?: boolean
}

export interface CheckOptions {
  /** Whose installation the token is of. */
  readonly app?: Pick<GithubApp, 'grant'> | undefined
  /** The branch the tree grows from. Default: the repository’s default branch. */
  readonly root?: string | undefined
  /** exomonad deletes branches that were merged. */
  readonly deletes?: boolean
}

const READABLE = `query PullRequestsReadable($owner: String!, $name: String!) {
  rateLimit { cost limit remaining resetAt }
  repository(owner: $owner, name: $name) { pullRequests(first: 1) { totalCount } }
}`

/**
 * What a token may do, found out by doing it: what reads is read, and what writes is asked for in a
 * way that GitHub refuses as invalid (422) where it is allowed and as forbidden (403) where it is
 * not. An app is told with its token. Nothing is made or changed.
 */
export async function checkPermissions(
  client: GithubClient,
  repository: GithubRepository,
  { app, root, deletes = false }: CheckOptions = {},
): Promise<GithubCheck> {
  try {
    const { data, headers } = await client.rest<RepositoryAnswer>('GET /repos/{owner}/{repo}')
    const scopes = headers['x-oauth-scopes']
    const grant = app?.grant() ?? null
    const branch = data.default_branch
    const [account, server, ...found] = await Promise.all([
      client.viewer().catch(() => null),
      serverOf(client, repository, versionIn(headers)),
      reading(client, repository),
      grant !== null
        ? permissionsOfApp(grant, repository)
        : scopes === undefined
          ? writing(client, repository)
          : byScopes(String(scopes), data, repository),
      grant === null ? listing(client, repository, branch) : [],
      rules(client, { repository, root: root ?? branch, settings: settingsOf(data), deletes }),
    ])
    const permissions = [...(data.archived ? [ARCHIVED] : []), ...found.flat(), COPILOT]
    return {
      kind: 'checked',
      account,
      expiresAt: grant?.expiresAt ?? null,
      readOnly: readOnly(data, account, grant !== null),
      permissions,
      server,
      budget: client.budget(),
    }
  } catch (thrown) {
    const error = asExomonadError(thrown)
    if (error.code === 'FORGE_DENIED') return { kind: 'refused', reason: error.message }
    if (error.code === 'FORGE_UNAVAILABLE') return { kind: 'unreachable', reason: error.message }
    throw error
  }
}

/**
 * What it does not know is found out by asking for all that is ever read of a pull request; that
 * there is none of that number doesn’t matter.
 */
async function serverOf(
  client: GithubClient,
  { host }: GithubRepository,
  told: string | undefined,
): Promise<ServerFinding | null> {
  const asked = async (): Promise<string | undefined> => {
    const { data } = await client.rest<{ installed_version?: string } | null>(
      'GET /meta',
      {},
      { accept: [401, 403, 404] },
    )
    return data?.installed_version
  }
  const version =
    told ?? (ownHost(host) === null ? await asked().catch(() => undefined) : undefined)
  if (version === undefined) return null
  const update = `Have it updated to ${OLDEST_SERVER} or newer`
  try {
    await client.graphql(fullLook(1), { n0: 1 })
  } catch (thrown) {
    const { code, facts } = asExomonadError(thrown)
    const fields = facts['fields']
    if (code === 'FORGE_DENIED' && Array.isArray(fields)) {
      return {
        state: 'problem',
        found: `${serverName(version)} is too old: it does not know ${fields.join(', ')}`,
        fix: update,
      }
    }
  }
  const lost = [...new Set(client.lacking().map((one) => one.lost))]
  if (lost.length > 0)
    return {
      state: 'warning',
      found: `${serverName(version)} is too old to tell ${lost.join(', ')}; all else works`,
      fix: update,
    }
  if (!isTooOld(version)) return { state: 'ok', found: serverName(version), fix: null }
  return {
    state: 'warning',
    found: `${serverName(version)} is older than ${OLDEST_SERVER}, the oldest that exomonad is made for`,
    fix: update,
  }
}

const nameOf = ({ owner, name }: GithubRepository): string => `${owner}/${name}`
const give = (permission: string, repository: GithubRepository): string =>
  `Give the token “${permission}” for ${nameOf(repository)}`

/** What an app may is told with its token, not by this. */
function readOnly(
  { archived, permissions }: RepositoryAnswer,
  account: string | null,
  isApp: boolean,
): string | null {
  if (archived) return ARCHIVED.why
  return !isApp && permissions?.push === false && permissions.pull === true
    ? `${account ?? 'the token’s account'} has no write access to it`
    : null
}

const ARCHIVED: PermissionFinding = {
  permission: 'Open repository',
  state: 'missing',
  needed: true,
  why: 'the repository is archived, so that nothing in it can change',
  fix: 'Unarchive it in its settings',
}

async function reading(
  client: GithubClient,
  repository: GithubRepository,
): Promise<PermissionFinding[]> {
  const base = { permission: 'Pull requests: read', needed: true }
  try {
    const { data, errors } = await client.graphql<{ repository: { pullRequests: unknown } | null }>(
      READABLE,
    )
    if (data?.repository?.pullRequests != null)
      return [{ ...base, state: 'ok', why: 'pull requests can be read', fix: null }]
    const forbidden = errors.some(({ type }) => type === 'FORBIDDEN')
    const why = `pull requests can’t be read: ${errors[0]?.message ?? 'GitHub gives no reason'}`
    return [
      {
        ...base,
        state: forbidden ? 'missing' : 'unknown',
        why,
        fix: forbidden ? give('Pull requests: read and write', repository) : null,
      },
    ]
  } catch (thrown) {
    const { code, message } = asExomonadError(thrown)
    return [
      code === 'FORGE_DENIED'
        ? {
            ...base,
            state: 'missing',
            why: 'pull requests can’t be read',
            fix: give('Pull requests: read and write', repository),
          }
        : { ...base, state: 'unknown', why: withoutStop(message), fix: null },
    ]
  }
}

type Answer = { readonly state: PermissionFinding['state']; readonly said: string }

async function ask(
  client: GithubClient,
  route: string,
  parameters: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  try {
    const { status, data } = await client.rest<{ message?: string } | null>(route, parameters, {
      accept: [403, 404, 409, 422],
    })
    if (status < 400 || status === 422) return { state: 'ok', said: '' }
    return {
      state: status === 403 ? 'missing' : 'unknown',
      said: withoutStop(data?.message ?? `status ${status}`),
    }
  } catch (thrown) {
    const { code, message } = asExomonadError(thrown)
    return { state: code === 'FORGE_DENIED' ? 'missing' : 'unknown', said: withoutStop(message) }
  }
}

const withoutStop = (text: string): string => text.replace(/\.$/, '')

/**
 * Of tokens that don’t say what they may. Neither request can make anything: one names no branches,
 * the other no commit.
 */
async function writing(
  client: GithubClient,
  repository: GithubRepository,
): Promise<PermissionFinding[]> {
  const [pulls, contents] = await Promise.all([
    ask(client, 'POST /repos/{owner}/{repo}/pulls', { title: '', head: '', base: '' }),
    ask(client, 'POST /repos/{owner}/{repo}/git/refs', { ref: 'refs/heads/', sha: '0'.repeat(40) }),
  ])
  const finding = (
    permission: string,
    what: string,
    { state, said }: Answer,
  ): PermissionFinding => ({
    permission: `${permission}: write`,
    state,
    needed: true,
    why:
      state === 'ok'
        ? `${what} is allowed`
        : `${what} is ${state === 'missing' ? 'refused' : 'not known to be allowed'}: ${said}`,
    fix: state === 'missing' ? give(`${permission}: read and write`, repository) : null,
  })
  return [
    finding('Pull requests', 'filing pull requests', pulls),
    finding('Contents', 'merging and pushing', contents),
  ]
}

/** Classic tokens say their scopes, and may what their account may within these. */
function byScopes(
  text: string,
  { private: hidden, permissions }: RepositoryAnswer,
  repository: GithubRepository,
): PermissionFinding[] {
  const scopes = text.split(/,\s*/)
  const wide = scopes.includes('repo') || (!hidden && scopes.includes('public_repo'))
  const state = wide && permissions?.push !== false ? 'ok' : 'missing'
  const [why, fix] = !wide
    ? [
        `the token has the scopes ${text === '' ? 'none' : text}`,
        `Give it the scope ${hidden ? 'repo' : 'repo (or public_repo)'}`,
      ]
    : permissions?.push === false
      ? ['the token’s account has no write access', `Ask an owner of ${nameOf(repository)} for it`]
      : ['scope and account allow it', null]
  return ['Pull requests: write', 'Contents: write'].map((permission) => ({
    permission,
    state,
    needed: true,
    why,
    fix,
  }))
}

async function listing(
  client: GithubClient,
  repository: GithubRepository,
  branch: string,
): Promise<PermissionFinding[]> {
  const [checks, actions] = await Promise.all([
    ask(client, 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs', { ref: branch, per_page: 1 }),
    ask(client, 'GET /repos/{owner}/{repo}/actions/runs', { per_page: 1 }),
  ])
  return [
    readable(
      'Checks',
      checks,
      [
        'checks can be read',
        actions.state === 'ok'
          ? 'checks can’t be read, only the runs of Actions'
          : 'checks can’t be read',
      ],
      actions.state === 'ok'
        ? 'Fine-grained tokens can’t be given this; a classic token or an app’s can, where checks of other apps matter'
        : give('Actions: read', repository),
    ),
    readable(
      'Actions',
      actions,
      ['logs of failed jobs can be read', 'logs of failed jobs can’t be read'],
      give('Actions: read', repository),
    ),
  ]
}

async function rules(client: GithubClient, ruled: RuledRepository): Promise<PermissionFinding[]> {
  const { repository, root } = ruled
  const read = (answer: Answer): PermissionFinding =>
    readable(
      'Branch rules',
      answer,
      [`the rules of ${root} can be read`, `the rules of ${root} can’t be read`],
      give('Metadata: read', repository),
    )
  try {
    return [read({ state: 'ok', said: '' }), ...(await checkRules(client, ruled))]
  } catch (thrown) {
    const { code, message } = asExomonadError(thrown)
    return [
      read({ state: code === 'FORGE_DENIED' ? 'missing' : 'unknown', said: withoutStop(message) }),
      ...waysFindings(ruled, []),
    ]
  }
}

const settingsOf = ({
  allow_merge_commit: merge,
  allow_squash_merge: squash,
  allow_rebase_merge: rebase,
}: RepositoryAnswer): RuledRepository['settings'] => ({
  merge,
  squash,
  rebase,
})

const readable = (
  permission: string,
  { state, said }: Answer,
  [can, cannot]: readonly [string, string],
  fix: string | null,
): PermissionFinding => ({
  permission: `${permission}: read`,
  state,
  needed: false,
  why: state === 'ok' ? can : `${cannot}: ${said}`,
  fix: state === 'missing' ? fix : null,
})

const COPILOT: PermissionFinding = {
  permission: 'Copilot reviews',
  state: 'unknown',
  needed: false,
  why: 'whether Copilot reviews here shows when it is asked; file_pr tells where it can’t be had',
  fix: null,
}
