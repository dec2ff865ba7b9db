import { ExomonadError } from '../../../../domain/errors.ts'
import type { GithubClient } from '../client/client.ts'
import type { FullPull, RawState, Read } from './answers.ts'
import { createCache } from './cache.ts'
import { withConversations } from './conversations.ts'
import type { Identity } from '../../identity.ts'
import { CONNECTIONS } from './queries.ts'
import { withQueueChecks } from './checks/queue-checks.ts'
import { MOST_STATES, readStates } from './read-states.ts'
import { MOST_PULLS, readBoth, readPulls } from './read-details.ts'

/** Everything of so few costs no more than their states. */
const FEW = 5
/**
 * A request costs a point up to fewer than 150 connections, as GitHub rounds: whatever less it asks
 * for. So many can be read in full for that.
 */
const FOR_A_POINT = Math.floor(149 / CONNECTIONS)

export interface PullReader {
  /** What GitHub says of these now. For many, only what changed is read in full. */
  now(numbers: readonly number[]): Promise<Map<number, Read<FullPull>>>
  /** The same, all read in full. */
  full(numbers: readonly number[]): Promise<Map<number, Read<FullPull>>>
}

/**
 * Two tiers: the states of all that are known, by node id; then everything of those that are new,
 * changed, under way or long not looked at. What has to be read in full anyway is asked for beside
 * the states, and what was read longest ago with it, as far as that costs nothing more: a request
 * costs a point at least. A node that is gone is asked for by its number before it is called
 * missing: a token that lost its access looks the same.
 */
export function createPullReader({
  client,
  clock,
  identity,
}: {
  client: Pick<GithubClient, 'graphql'>
  clock: () => number
  identity: Pick<Identity, 'isSame'>
}): PullReader {
  const cache = createCache({ clock })

  const kept = (
    results: Map<number, Read<FullPull>>,
    startedAt: number,
  ): Map<number, Read<FullPull>> => {
    for (const [number, read] of results) {
      if ('value' in read) cache.put(read.value, startedAt)
      else if ('missing' in read) cache.remove(number)
    }
    return results
  }
  /** With what only some of them have. */
  const completed = async (
    reads: Map<number, Read<FullPull>>,
  ): Promise<Map<number, Read<FullPull>>> =>
    withConversations(client, await withQueueChecks(client, reads))

  const full: PullReader['full'] = async (numbers) => {
    const startedAt = clock()
    return kept(await completed(await readPulls(client, numbers, identity.isSame)), startedAt)
  }
  /** With others for which there is room. */
  const withOldest = (numbers: readonly number[]): number[] => [
    ...numbers,
    ...cache.oldest(FOR_A_POINT - numbers.length, numbers),
  ]

  /**
   * Everything of the first, states of the others, by node id: by one request where that can be,
   * and GitHub doesn’t give up on it.
   */
  const both = async (
    pulls: readonly number[],
    ids: readonly string[],
  ): Promise<{
    readonly pulls: Map<number, Read<FullPull>>
    readonly states: Map<string, Read<RawState>>
  }> => {
    const together = ids.slice(0, MOST_STATES)
    if (pulls.length > 0 && pulls.length <= MOST_PULLS && together.length > 0) {
      const startedAt = clock()
      try {
        const read = await readBoth(client, pulls, together, identity.isSame)
        const states =
          ids.length > together.length
            ? [...read.states, ...(await readStates(client, ids.slice(MOST_STATES)))]
            : read.states
        return { pulls: kept(await completed(read.pulls), startedAt), states: new Map(states) }
      } catch (error) {
        if (!(error instanceof ExomonadError)) throw error
        // Asked for apart, in smaller parts where it was too much; where GitHub is away, that says
        // so.
      }
    }
    return {
      states: await readStates(client, ids),
      pulls: pulls.length === 0 ? new Map() : await full(pulls),
    }
  }

  return {
    full,
    async now(numbers) {
      const wanted = new Set(numbers)
      const results = new Map<number, Read<FullPull>>()
      const take = (read: ReadonlyMap<number, Read<FullPull>>): void => {
        for (const [number, one] of read) if (wanted.has(number)) results.set(number, one)
      }
      const due = numbers.filter((number) => cache.isDue(number))
      if (numbers.length <= FEW || due.length === numbers.length) {
        take(await full(withOldest(numbers)))
        return results
      }

      const asked = withOldest(due)
      const ids = new Map(
        numbers.flatMap((number) =>
          asked.includes(number) ? [] : [[number, cache.nodeId(number)!] as const],
        ),
      )
      const { pulls, states } = await both(asked, [...ids.values()])
      take(pulls)
      for (const [number, id] of ids) {
        const read = states.get(id)
        if (read === undefined || 'missing' in read) continue
        if ('unknown' in read) {
          results.set(number, read)
          continue
        }
        const brought = cache.brought(read.value)
        if (brought !== undefined) results.set(number, { value: brought })
      }
      const anew = numbers.filter((number) => !results.has(number))
      if (anew.length > 0) take(await full(anew))
      return results
    },
  }
}
