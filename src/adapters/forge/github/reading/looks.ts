import type { GithubClient } from '../client/client.ts'
import type { FullPull, Read } from './answers.ts'
import { createCache } from './cache.ts'
import { withConversations } from './conversations.ts'
import type { Identity } from './identity.ts'
import { readStates } from './tier-one.ts'
import { readPulls } from './tier-two.ts'

/** Everything of so few costs no more than their states. */
const FEW = 5

export interface Looks {
  /** What GitHub says of these now. For many, only what changed is read in full. */
  now(numbers: readonly number[]): Promise<Map<number, Read<FullPull>>>
  /** The same, all read in full. */
  full(numbers: readonly number[]): Promise<Map<number, Read<FullPull>>>
}

/**
 * Two tiers: the states of all that are known, by node id; then everything of those that are new, changed, under way or long not looked at. A
 * node that is gone is asked for by its number before it is called missing: a token that lost its access looks the same.
 */
export function createLooks({
  client,
  clock,
  identity,
}: {
  client: Pick<GithubClient, 'graphql'>
  clock: () => number
  identity: Pick<Identity, 'isSame'>
}): Looks {
  const cache = createCache({ clock })

  const full: Looks['full'] = async (numbers) => {
    const startedAt = clock()
    const results = await withConversations(client, await readPulls(client, numbers, identity.isSame))
    for (const [number, read] of results) {
      if ('value' in read) cache.put(read.value, startedAt)
      else if ('missing' in read) cache.remove(number)
    }
    return results
  }

  return {
    full,
    async now(numbers) {
      if (numbers.length <= FEW) return full(numbers)
      const results = new Map<number, Read<FullPull>>()
      const ids = new Map(numbers.map((number) => [number, cache.nodeId(number)]))
      const states = await readStates(
        client,
        [...ids.values()].filter((id) => id !== undefined),
      )
      for (const [number, id] of ids) {
        const read = id === undefined ? undefined : states.get(id)
        if (read === undefined || 'missing' in read) continue
        if ('unknown' in read) {
          results.set(number, read)
          continue
        }
        const brought = cache.brought(read.value)
        if (brought !== undefined) results.set(number, { value: brought })
      }
      const anew = numbers.filter((number) => !results.has(number))
      for (const [number, read] of anew.length === 0 ? [] : await full(anew)) results.set(number, read)
      return results
    },
  }
}
