import { ExomonadError } from '../../../../domain/errors.ts'
import { unreadable } from '../../unreadable.ts'
import type { GithubClient, GraphqlError } from '../client/client.ts'
import type {
  FullPull,
  RawComment,
  RawConnection,
  RawContext,
  RawLineComment,
  RawPull,
  RawReview,
  RawState,
  Read,
  Threads,
} from './answers.ts'
import { ask, errorsAt, inPages, isDenied, leftOut } from './pages.ts'
import { takeStates, type StatesAnswer } from './read-states.ts'
import {
  fullLook,
  MORE_COMMENTS,
  MORE_CONTEXTS,
  MORE_LINE_COMMENTS,
  MORE_REVIEWS,
} from './queries.ts'

/** So many are read at a time. */
export const MOST_PULLS = 25
const NO_THREADS: Threads = new Map()
/** A list that goes on for longer than this is no list of a pull request. */
const MOST_PAGES = 100

interface PullsAnswer {
  readonly repository:
    | ({ readonly databaseId: number | null } & Readonly<Record<string, RawPull | null>>)
    | null
}

/**
 * Everything of these, by number, each list to its end. `isSame`: whether this is still the
 * repository that it was.
 */
export async function readPulls(
  client: Pick<GithubClient, 'graphql'>,
  numbers: readonly number[],
  isSame: (databaseId: number | null) => boolean,
): Promise<Map<number, Read<FullPull>>> {
  return inPages(numbers, MOST_PULLS, async (page) => {
    const { data, errors } = await ask<PullsAnswer>(
      client,
      fullLook(page.length),
      variablesOf(page),
    )
    return takePulls(client, page, data, errors, isSame)
  })
}

/**
 * Everything of these, and the states of others, by one request. Throws where it fails as a whole;
 * at most MOST_PULLS and MOST_STATES.
 */
export async function readBoth(
  client: Pick<GithubClient, 'graphql'>,
  numbers: readonly number[],
  ids: readonly string[],
  isSame: (databaseId: number | null) => boolean,
): Promise<{
  readonly pulls: Map<number, Read<FullPull>>
  readonly states: Map<string, Read<RawState>>
}> {
  const { data, errors } = await ask<PullsAnswer & StatesAnswer>(
    client,
    fullLook(numbers.length, { states: true }),
    { ...variablesOf(numbers), ids },
  )
  return {
    pulls: await takePulls(client, numbers, data, errors, isSame),
    states: takeStates(ids, data, errors),
  }
}

const variablesOf = (numbers: readonly number[]): Record<string, number> =>
  Object.fromEntries(numbers.map((number, index) => [`n${index}`, number]))

async function takePulls(
  client: Pick<GithubClient, 'graphql'>,
  numbers: readonly number[],
  { repository }: PullsAnswer,
  errors: readonly GraphqlError[],
  isSame: (databaseId: number | null) => boolean,
): Promise<Map<number, Read<FullPull>>> {
  if (repository === null)
    throw new ExomonadError(
      'FORGE_DENIED',
      'GitHub knows no such repository, or the token may not see it. `exomonad doctor` looks into it.',
    )
  if (!isSame(repository.databaseId)) {
    throw new ExomonadError(
      'FORGE_DENIED',
      'Another repository has this name on GitHub by now. Correct the remote’s URL, then restart the daemon.',
    )
  }
  const results = new Map<number, Read<FullPull>>()
  for (const [index, number] of numbers.entries()) {
    const alias = `p${index}`
    results.set(
      number,
      await complete(client, repository[alias] ?? null, errorsAt(errors, 'repository', alias)),
    )
  }
  return results
}

const isAboutChecks = (error: GraphqlError): boolean =>
  error.path.includes('statusCheckRollup') && isDenied(error)

async function complete(
  client: Pick<GithubClient, 'graphql'>,
  pull: RawPull | null,
  errors: readonly GraphqlError[],
): Promise<Read<FullPull>> {
  const failed = errors.filter((error) => !isAboutChecks(error))
  if (pull === null && failed.length > 0 && failed.every(({ type }) => type === 'NOT_FOUND'))
    return { missing: true }
  if (failed.length > 0) return { unknown: leftOut(failed) }
  if (pull === null || pull.reviews === null) return { unknown: 'GitHub left it out of its answer' }
  const { body, author, authorAssociation, reviews, comments, statusCheckRollup, ...state } = pull
  try {
    return {
      value: {
        state: {
          ...state,
          statusCheckRollup: statusCheckRollup && { state: statusCheckRollup.state },
        },
        body,
        author,
        authorAssociation,
        requiredContexts: (pull.baseRef?.refUpdateRule?.requiredStatusCheckContexts ?? []).filter(
          (context) => context !== null,
        ),
        rule: pull.baseRef?.refUpdateRule ?? null,
        reviews: await allReviews(client, pull.id, reviews),
        comments: await whole(
          comments,
          async (after) =>
            (
              await node<{ comments: RawConnection<RawComment> }>(client, MORE_COMMENTS, {
                id: pull.id,
                after,
              })
            ).comments,
        ),
        contexts: await allContexts(client, pull),
        // They are asked for where there are any (conversations.ts).
        threads: NO_THREADS,
        requests: null,
        // Where it is in a merge queue (queue-checks.ts).
        queueContexts: null,
        checksDenied: errors.some(isAboutChecks),
      },
    }
  } catch (error) {
    if (!(error instanceof ExomonadError)) throw error
    return unreadable(error)
  }
}

async function allReviews(
  client: Pick<GithubClient, 'graphql'>,
  id: string,
  first: RawConnection<RawReview>,
): Promise<FullPull['reviews']> {
  const reviews = await whole(
    first,
    async (after) =>
      (await node<{ reviews: RawConnection<RawReview> }>(client, MORE_REVIEWS, { id, after }))
        .reviews,
  )
  const results: FullPull['reviews'][number][] = []
  for (const review of reviews) {
    const comments = await whole(
      review.comments,
      async (after) =>
        (
          await node<{ comments: RawConnection<RawLineComment> }>(client, MORE_LINE_COMMENTS, {
            id: review.id,
            after,
          })
        ).comments,
    )
    results.push({ ...review, comments })
  }
  return results
}

/** The contexts that the token may read. */
async function allContexts(
  client: Pick<GithubClient, 'graphql'>,
  { id, number, statusCheckRollup }: RawPull,
): Promise<readonly RawContext[]> {
  if (statusCheckRollup === null) return []
  return whole(statusCheckRollup.contexts, async (after) => {
    const more = await node<Pick<RawPull, 'statusCheckRollup'>>(client, MORE_CONTEXTS, {
      id,
      number,
      after,
    })
    // A push in between has taken them away.
    if (more.statusCheckRollup === null)
      throw new ExomonadError(
        'FORGE_UNAVAILABLE',
        `#${number} changed while it was read. It is read again.`,
        { number },
      )
    return more.statusCheckRollup.contexts
  })
}

/** A list to its end, from its first page on. */
export async function whole<Node>(
  first: RawConnection<Node>,
  next: (after: string) => Promise<RawConnection<Node>>,
): Promise<readonly Node[]> {
  const nodes: Node[] = []
  let page = first
  for (let pages = 1; ; pages++) {
    nodes.push(...(page.nodes ?? []).filter((one) => one !== null))
    const { hasNextPage, endCursor } = page.pageInfo
    if (!hasNextPage || endCursor === null) return nodes
    if (pages === MOST_PAGES)
      throw new ExomonadError('FORGE_UNAVAILABLE', 'GitHub’s list has no end. It is read again.')
    page = await next(endCursor)
  }
}

/** Part of one node; what the token may not read of its checks is left out of it. */
export async function node<Value>(
  client: Pick<GithubClient, 'graphql'>,
  query: string,
  variables: Readonly<Record<string, unknown>>,
): Promise<Value> {
  const { data, errors } = await ask<{ node: Value | null }>(client, query, variables)
  const failed = errors.filter((error) => !isAboutChecks(error))
  if (failed.length > 0 || data.node === null)
    throw new ExomonadError('FORGE_UNAVAILABLE', leftOut(failed))
  return data.node
}
