import { asExomonadError } from '../../../../domain/errors.ts'
import type { ForgeBudget } from '../../budget.ts'
import type { GithubClient } from '../client/client.ts'
import { versionIn } from '../client/old-server.ts'
import type { GithubRepository } from '../repository.ts'
import { permissionsOfApp } from './app-permissions.ts'
import type { RuledRepository } from './merging-rules.ts'
import type { PermissionFinding } from './permission-finding.ts'
import { checkServer, type ServerFinding } from './server-version.ts'
import type { GithubApp } from './token.ts'
import {
  checkListing,
  checkReading,
  checkRulesReadable,
  checkWriting,
  permissionsByScopes,
  type RepositoryAccess,
} from './token-permissions.ts'

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

interface RepositoryAnswer extends RepositoryAccess {
  readonly default_branch: string
  readonly archived: boolean
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

/**
 * What a token may do, found out by doing it: what reads is read, and what writes is asked for in a
 * way that GitHub refuses as invalid (422) where it is allowed and as forbidden (403) where it is
 * not. What an app may do comes with its token. Nothing is made or changed.
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
      checkServer(client, repository, versionIn(headers)),
      checkReading(client, repository),
      grant !== null
        ? permissionsOfApp(grant, repository)
        : scopes === undefined
          ? checkWriting(client, repository)
          : permissionsByScopes(String(scopes), data, repository),
      grant === null ? checkListing(client, repository, branch) : [],
      checkRulesReadable(client, {
        repository,
        root: root ?? branch,
        settings: settingsOf(data),
        deletes,
      }),
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

/** What an app may do comes with its token, not from here. */
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

const settingsOf = ({
  allow_merge_commit: merge,
  allow_squash_merge: squash,
  allow_rebase_merge: rebase,
}: RepositoryAnswer): RuledRepository['settings'] => ({
  merge,
  squash,
  rebase,
})

const COPILOT: PermissionFinding = {
  permission: 'Copilot reviews',
  state: 'unknown',
  needed: false,
  why: 'whether Copilot reviews here shows when it is asked; file_pr says where it can’t be had',
  fix: null,
}
