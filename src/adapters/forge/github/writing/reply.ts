import { ExomonadError } from '../../../../domain/errors.ts'
import type { Actor } from '../../../../domain/ids.ts'
import type { Forge } from '../../forge.ts'
import type { GithubClient, GraphqlAnswer } from '../client/client.ts'
import type { GithubRepository } from '../repository.ts'
import type { MarkSigner } from '../../mark-key.ts'
import { markReview, type ReviewMark } from '../../review-mark.ts'
import { fitText, MARK } from './fit.ts'
import { isLost } from './refusal.ts'

const REPLY = `mutation Reply($thread: ID!, $body: String!) {
  addPullRequestReviewThreadReply(input: { pullRequestReviewThreadId: $thread, body: $body }) { comment { fullDatabaseId } }
}`
const RESOLVE = `mutation Resolve($thread: ID!) {
  resolveReviewThread(input: { threadId: $thread }) { thread { id isResolved } }
}`
/** Its last words, to see whether an answer of ours is among them. */
const LAST = `query ThreadEnd($thread: ID!) {
  node(id: $thread) { ... on PullRequestReviewThread { comments(last: 20) { nodes { body } } } }
}`

/** Held against GitHub’s schema by a test. */
export const REPLIES: readonly string[] = [REPLY, RESOLVE, LAST]

interface ThreadEnd {
  readonly node: {
    readonly comments?: { readonly nodes: readonly ({ readonly body: string } | null)[] | null }
  } | null
}

/** Returns to conversations, with the mark of who wrote them: all come from the token’s account. */
export function createReply({
  repository,
  client,
  nameOf,
  signer,
  changed,
}: {
  repository: GithubRepository
  client: Pick<GithubClient, 'graphql'>
  nameOf: (actor: Actor) => Promise<string>
  signer: () => Promise<MarkSigner>
  changed: (number: number) => void
}): Pick<Forge, 'reply'> {
  const done = <Data>(
    { errors }: GraphqlAnswer<Data>,
    number: number,
    thread: string,
    what: string,
  ): void => {
    const [error] = errors
    if (error === undefined) return
    if (error.type === 'NOT_FOUND')
      throw new ExomonadError(
        'INVALID_ARG',
        `#${number} has no conversation ${thread} (any more).`,
        { number, thread },
      )
    const code =
      error.type === 'FORBIDDEN'
        ? 'FORGE_DENIED'
        : error.type === 'UNPROCESSABLE'
          ? 'INVALID_ARG'
          : 'FORGE_UNAVAILABLE'
    throw new ExomonadError(
      code,
      `GitHub (${repository.host}) does not ${what} of #${number}: ${error.message}`,
      { number, thread },
    )
  }

  /** An answer that was lost may have been written: a second time it would stand there twice. */
  const wasWritten = async (thread: string, body: string): Promise<boolean> => {
    const { data } = await client.graphql<ThreadEnd>(LAST, { thread })
    return (
      data?.node?.comments?.nodes?.some((one) => one?.body.replaceAll('\r\n', '\n') === body) ===
      true
    )
  }

  const write = async (number: number, thread: string, body: string): Promise<void> => {
    try {
      done(
        await client.graphql(REPLY, { thread, body }),
        number,
        thread,
        'take the answer to a conversation',
      )
    } catch (error) {
      if (!isLost(error) || !(await wasWritten(thread, body).catch(() => false))) throw error
    }
  }

  return {
    async reply({ number, author, thread, body, resolve }) {
      try {
        if (body !== '') {
          const mark = { author, state: 'commented' } satisfies ReviewMark
          const sum = (await signer()).sum(mark, { number, commit: null })
          await write(
            number,
            thread,
            markReview(fitText(body, MARK), { ...mark, sum }, await nameOf(author)),
          )
        }
        if (resolve)
          done(await client.graphql(RESOLVE, { thread }), number, thread, 'resolve a conversation')
      } finally {
        changed(number)
      }
    },
  }
}
