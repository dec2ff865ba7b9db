import { asExomonadError } from '../../../../domain/errors.ts'
import type { GithubClient } from '../client/client.ts'
import type { GithubRepository } from '../repository.ts'
import { checkRules, waysFindings, type RuledRepository } from './merging-rules.ts'
import type { PermissionFinding } from './permission-finding.ts'

/** What a token may, piece by piece: asked for, or read from the scopes that it names. */

export interface RepositoryAccess {
  readonly private: boolean
  /** What the account may do, whatever the token may. */
  readonly permissions?: { readonly push?: boolean; readonly pull?: boolean }
}

const READABLE = `query PullRequestsReadable($owner: String!, $name: String!) {
  rateLimit { cost limit remaining resetAt }
  repository(owner: $owner, name: $name) { pullRequests(first: 1) { totalCount } }
}`

const nameOf = ({ owner, name }: GithubRepository): string => `${owner}/${name}`
const give = (permission: string, repository: GithubRepository): string =>
  `Give the token “${permission}” for ${nameOf(repository)}`

/** Whether pull requests can be read. */
export async function checkReading(
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
export async function checkWriting(
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
export function permissionsByScopes(
  text: string,
  { private: hidden, permissions }: RepositoryAccess,
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

/** What makes exomonad see more: checks, and the logs of failed jobs. */
export async function checkListing(
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

/** Whether the rules of the root’s branch can be read, and what they say. */
export async function checkRulesReadable(
  client: GithubClient,
  ruled: RuledRepository,
): Promise<PermissionFinding[]> {
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
