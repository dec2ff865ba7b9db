import type { Sha } from '../../../domain/ids.ts'
import type { PullCommit } from '../forge.ts'

/** A commit as the APIs of GitHub and Gitea list those of a pull request. */
export interface HostedCommit {
  readonly sha: string
  readonly commit: {
    readonly message: string
    readonly author: { readonly name?: string } | null
    readonly committer: { readonly date?: string } | null
  }
}

export const pullCommit = ({ sha, commit }: HostedCommit): PullCommit => ({
  sha: sha as Sha,
  title: commit.message.split('\n')[0] ?? '',
  author: commit.author?.name ?? '',
  at: Date.parse(commit.committer?.date ?? '') || 0,
})
