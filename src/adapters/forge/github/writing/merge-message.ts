import type { TextGate } from '../../../../sanitize/text-gate.ts'
import type { MergeStrategy } from '../../merge-results.ts'
import { squashMessage } from '../../squash-message.ts'
import type { GithubClient } from '../client/client.ts'
import { PULL, type RawPull } from './pull.ts'

interface RawCommit {
  readonly commit: {
    readonly message: string
    readonly author: { readonly name?: string; readonly email?: string } | null
  }
  /** The account with that address; null where GitHub knows none. */
  readonly author: { readonly login?: string } | null
}

/** As it is given to the merge: GitHub’s own words where this is empty. */
export interface MergeMessage {
  readonly commit_title?: string
  readonly commit_message?: string
}

const split = (message: string): MergeMessage => {
  const [title = '', ...rest] = message.trim().split('\n')
  return { commit_title: title, commit_message: rest.join('\n').trim() }
}

/**
 * The words of a merge. A squashed commit’s author is the account that filed the pull request, so
 * that everybody else who wrote one of its commits is named in a trailer.
 */
export async function mergeMessage(
  { client, gate }: { client: Pick<GithubClient, 'pages'>; gate: Pick<TextGate, 'text'> },
  pull: RawPull,
  strategy: MergeStrategy,
  text: string | undefined,
): Promise<MergeMessage> {
  if (strategy === 'rebase') return {}
  if (strategy === 'merge') return text === undefined ? {} : split(text)
  const commits = await client.pages<RawCommit>(`GET ${PULL}/commits`, { pull_number: pull.number })
  const own = { name: '', email: '' }
  const listed = commits.map(({ commit, author }) => {
    const { name = '', email = '' } = commit.author ?? {}
    const isFiler = pull.user !== null && author?.login === pull.user.login
    return {
      author: isFiler || name === '' || email === '' ? own : { name, email },
      message: commit.message,
    }
  })
  return split(
    squashMessage({
      number: pull.number,
      title: pull.title,
      body: pull.body ?? '',
      text,
      author: own,
      commits: listed,
      gate,
    }),
  )
}
