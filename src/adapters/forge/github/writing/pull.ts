import type { GithubClient } from '../client/client.ts'

/** A pull request as REST has it, as far as writing needs it. */
export interface RawPull {
  readonly number: number
  readonly node_id: string
  readonly html_url: string
  readonly state: 'open' | 'closed'
  readonly merged: boolean
  /** Before a merge a trial of GitHub’s own; afterwards the commit on the base. */
  readonly merge_commit_sha: string | null
  /** Whoever merged it; null before, and where that account is gone. */
  readonly merged_by?: { readonly login: string } | null
  readonly draft: boolean
  readonly title: string
  readonly body: string | null
  readonly user: { readonly login: string } | null
  readonly head: { readonly ref: string; readonly sha: string }
  readonly base: { readonly ref: string; readonly sha: string }
  /** Null until GitHub has worked it out. */
  readonly mergeable: boolean | null
  readonly requested_reviewers?: readonly { readonly login: string }[] | null
}

export const PULL = '/repos/{owner}/{repo}/pulls/{pull_number}'

/** A fresh look at one pull request. PR_NOT_FOUND where there is none. */
export async function lookAt(client: Pick<GithubClient, 'rest'>, number: number): Promise<RawPull> {
  const { data } = await client.rest<RawPull>(`GET ${PULL}`, { pull_number: number })
  return data
}

export const stateOf = (pull: Pick<RawPull, 'state' | 'merged'>): 'open' | 'merged' | 'closed' =>
  pull.merged ? 'merged' : pull.state
