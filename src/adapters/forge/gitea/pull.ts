import { ExomonadError } from '../../../domain/errors.ts'
import type { BranchName } from '../../../domain/ids.ts'
import type { GiteaClient } from './client.ts'

export interface RawUser {
  readonly login: string
}

interface RawEnd {
  /**
   * Name of the branch, also where it is gone; empty where there is none, of what was pushed to
   * `refs/for` (AGit).
   */
  readonly label: string
  readonly sha: string
  /** Null where the fork is gone. */
  readonly repo_id: number
}

/** A pull request as the API has it, as far as it is used. */
export interface RawPull {
  readonly number: number
  readonly html_url: string
  readonly user: RawUser | null
  readonly title: string
  readonly body: string | null
  readonly state: 'open' | 'closed'
  readonly draft?: boolean
  readonly merged: boolean
  readonly merged_by: RawUser | null
  readonly merge_commit_sha: string | null
  readonly head: RawEnd
  /** `sha`: its tip as it is now. */
  readonly base: RawEnd
  readonly requested_reviewers: readonly (RawUser | null)[] | null
  readonly requested_reviewers_teams?: readonly { readonly name: string }[] | null
  readonly created_at: string
  readonly updated_at: string
}

export const PULL = '/repos/{owner}/{repo}/pulls'

/** Gitea takes a pull request for a draft by its title. */
const DRAFT = /^\s*(?:WIP:|\[WIP\])\s*/i
export const plainTitle = (title: string): string => title.replace(DRAFT, '')
export const titleOf = (title: string, draft: boolean): string =>
  draft ? `WIP: ${plainTitle(title)}` : plainTitle(title)

/**
 * What anybody may have made who may read: in a fork, or pushed to `refs/for`, which Gitea counts
 * to the repository itself.
 */
export const isFork = ({ head, base }: Pick<RawPull, 'head' | 'base'>): boolean =>
  head.repo_id !== base.repo_id || head.label === ''
export const stateOf = ({
  state,
  merged,
}: Pick<RawPull, 'state' | 'merged'>): 'open' | 'merged' | 'closed' => (merged ? 'merged' : state)
export const headOf = ({ head }: Pick<RawPull, 'head'>): BranchName => head.label as BranchName
export const baseOf = ({ base }: Pick<RawPull, 'base'>): BranchName => base.label as BranchName

export const noPull = (number: number): ExomonadError =>
  new ExomonadError('PR_NOT_FOUND', `There is no pull request #${number}.`, { number })

/** A fresh look at one pull request. PR_NOT_FOUND where there is none. */
export async function lookAt(
  client: Pick<GiteaClient, 'rest' | 'missing'>,
  number: number,
): Promise<RawPull> {
  const { status, data } = await client.rest<RawPull>(`GET ${PULL}/${number}`, { accept: [404] })
  if (status === 404) throw await client.missing(noPull(number))
  return data
}
