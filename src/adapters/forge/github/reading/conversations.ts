import { ExomonadError } from '../../../../domain/errors.ts'
import type { GithubClient } from '../client/client.ts'
import type { FullPull, RawConnection, RawRequest, RawThread, Read, Threads } from './answers.ts'
import { ask, errorsAt } from './pages.ts'
import { CONVERSATIONS, MORE_THREADS } from './queries.ts'
import { node, whole } from './read-details.ts'

/** So many pull requests at a time: 550 connections, six points. */
const MOST = 25

interface RawConversations {
  readonly id: string
  readonly reviewThreads: RawConnection<RawThread> | null
  readonly reviewRequests: { readonly nodes: readonly (RawRequest | null)[] | null } | null
}
type Conversations = Pick<FullPull, 'threads' | 'requests'>

/**
 * Where lines were commented on there are conversations, and where a review is required somebody
 * may have been asked; others are asked nothing.
 */
const hasAny = ({ reviews, state }: FullPull): boolean =>
  reviews.some(({ comments }) => comments.length > 0) ||
  (state.state === 'OPEN' && state.reviewDecision === 'REVIEW_REQUIRED')

/**
 * The same with their conversations and requested reviewers, which are asked for together. Where
 * GitHub does not say (a failure, a server or a token that can’t), only they are unknown: what
 * else was read stands.
 */
export async function withConversations(
  client: Pick<GithubClient, 'graphql'>,
  reads: ReadonlyMap<number, Read<FullPull>>,
): Promise<Map<number, Read<FullPull>>> {
  const ids = [...reads.values()].flatMap((read) =>
    'value' in read && hasAny(read.value) ? [read.value.state.id] : [],
  )
  const found = new Map<string, Conversations>()
  for (let start = 0; start < ids.length; start += MOST) {
    for (const [id, conversations] of await readConversations(
      client,
      ids.slice(start, start + MOST),
    ))
      found.set(id, conversations)
  }
  return new Map(
    [...reads].map(([number, read]) => [
      number,
      'value' in read ? { value: { ...read.value, ...found.get(read.value.state.id) } } : read,
    ]),
  )
}

async function readConversations(
  client: Pick<GithubClient, 'graphql'>,
  ids: readonly string[],
): Promise<Map<string, Conversations>> {
  const results = new Map<string, Conversations>(
    ids.map((id) => [id, { threads: null, requests: null }]),
  )
  const answer = await quietly(() =>
    ask<{ nodes: readonly (RawConversations | null)[] }>(client, CONVERSATIONS, { ids }),
  )
  for (const [index, id] of answer === null ? [] : ids.entries()) {
    const raw = answer?.data.nodes[index]
    const wasLeftOut = (part: 'reviewThreads' | 'reviewRequests'): boolean =>
      errorsAt(answer?.errors ?? [], 'nodes', index, part).length > 0
    const first = wasLeftOut('reviewThreads') ? null : (raw?.reviewThreads ?? null)
    results.set(id, {
      threads:
        first === null
          ? null
          : await quietly(async () =>
              byFirstComment(await whole(first, (after) => more(client, id, after))),
            ),
      // A team that the token may not see is an error, and somebody was asked all the same.
      requests: raw?.reviewRequests?.nodes?.filter((one) => one !== null) ?? null,
    })
  }
  return results
}

/** Null where it failed. */
async function quietly<Value>(read: () => Promise<Value>): Promise<Value | null> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof ExomonadError)) throw error
    return null
  }
}

async function more(
  client: Pick<GithubClient, 'graphql'>,
  id: string,
  after: string,
): Promise<RawConnection<RawThread>> {
  const { reviewThreads } = await node<RawConversations>(client, MORE_THREADS, { id, after })
  if (reviewThreads === null)
    throw new ExomonadError('FORGE_UNAVAILABLE', 'GitHub left out the rest of the conversations.')
  return reviewThreads
}

const byFirstComment = (threads: readonly RawThread[]): Threads =>
  new Map(
    threads.flatMap(({ id, isResolved, diffSide, comments }) => {
      const first = comments.nodes?.[0]
      const side = diffSide === 'LEFT' ? 'left' : 'right'
      return first == null
        ? []
        : [[String(first.fullDatabaseId), { id, resolved: isResolved, side }]]
    }),
  )
