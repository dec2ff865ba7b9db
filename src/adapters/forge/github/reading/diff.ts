import type { BranchName, Sha } from '../../../../domain/ids.ts'
import type { Git } from '../../../git/git.ts'
import type { Branches } from '../../branches.ts'
import type { GithubClient } from '../client/client.ts'

const PULL = 'GET /repos/{owner}/{repo}/pulls/{pull_number}'
const TOO_LARGE = 406

interface Ends {
  readonly head: { readonly ref: string; readonly sha: string }
  readonly base: { readonly ref: string; readonly sha: string }
}

/**
 * What a pull request changes, as GitHub shows it; from git where that is too much for GitHub.
 * PR_NOT_FOUND.
 */
export async function readDiff(
  {
    client,
    git,
    branches,
  }: { client: Pick<GithubClient, 'rest'>; git: Pick<Git, 'diff'>; branches: Branches },
  number: number,
): Promise<string> {
  const { status, data } = await client.rest<unknown>(
    PULL,
    { pull_number: number, mediaType: { format: 'diff' } },
    { accept: [TOO_LARGE] },
  )
  if (status !== TOO_LARGE) return String(data)
  const { head, base } = (await client.rest<Ends>(PULL, { pull_number: number })).data
  const ends = [head, base].map(({ ref, sha }) => ({ branch: ref as BranchName, sha: sha as Sha }))
  await branches.bringIn(ends)
  return git.diff(base.sha as Sha, head.sha as Sha)
}
