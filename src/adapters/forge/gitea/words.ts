import type { GiteaClient } from './client.ts'
import { PULL, type RawPull } from './pull.ts'
import type { RawComment, RawLineComment, RawReview, RawWords } from './reviews.ts'

/**
 * Milliseconds for which words are taken as they were read while the pull request says that nothing
 * has changed: an edit may not count as a change.
 */
const HOLDS = 60_000

const byId = (a: { readonly id: number }, b: { readonly id: number }): number => a.id - b.id

/** Milliseconds after its time within which a change is seen on a busy server. */
const SETTLES = 10_000

export interface ReadWords {
  (pull: RawPull): Promise<RawWords>
  /** Something was said here: it is read anew. */
  forget(number: number): void
}

/**
 * Reads what was said about pull requests: reviews, the comments of each, and the comments below
 * it.
 */
export function createReadWords({
  client,
  clock,
}: {
  client: GiteaClient
  clock: () => number
}): ReadWords {
  const known = new Map<
    number,
    { readonly at: number; readonly stamp: string; readonly words: RawWords }
  >()

  const read = async (number: number): Promise<RawWords> => {
    const [reviews, comments] = await Promise.all([
      client.pages<RawReview>(`GET ${PULL}/${number}/reviews`),
      client.pages<RawComment>(`GET /repos/{owner}/{repo}/issues/${number}/comments`),
    ])
    const onLines = new Map<number, readonly RawLineComment[]>()
    for (const { id, comments_count: count } of reviews) {
      if (count === 0) continue
      const { data } = await client.rest<RawLineComment[] | null>(
        `GET ${PULL}/${number}/reviews/${id}/comments`,
      )
      // It gives them in another order each time.
      onLines.set(id, (data ?? []).toSorted(byId))
    }
    return { reviews: reviews.toSorted(byId), onLines, comments }
  }

  return Object.assign(
    async (pull: RawPull): Promise<RawWords> => {
      const { number, updated_at: updated, head, state } = pull
      const stamp = `${updated} ${head.sha} ${state}`
      const before = known.get(number)
      // Its times are whole seconds, taken before what it writes can be seen: what came in the same
      // one is not seen as a change.
      const isFresh = clock() - Date.parse(updated) < SETTLES
      if (before !== undefined && !isFresh && before.stamp === stamp && clock() - before.at < HOLDS)
        return before.words
      const words = await read(number)
      if (state === 'open') known.set(number, { at: clock(), stamp, words })
      else known.delete(number)
      return words
    },
    { forget: (number: number) => void known.delete(number) },
  )
}
