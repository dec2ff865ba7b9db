import type { Forge } from '../adapters/forge/forge.ts'
import type { FollowedPulls } from './pulls.ts'
import type { PullRecords } from './record.ts'

/**
 * Looks for open pull requests of agents that have none as far as is known: filed past exomonad
 * (`gh pr create`), or opened again.
 */
export interface PullSearch {
  /** When the next is due (steady clock). */
  dueAt(pace: SearchPace): Promise<number>
  /**
   * Of all branches where `all` is due, else of those that are due soon; where it is asked for also
   * of those whose pull request is known: one from a fork with such a head is reported. Throws what
   * the forge throws, and is due still.
   */
  run(pace: SearchPace, all: boolean): Promise<SearchResult>
  /** All are due. */
  hurry(): void
}

/**
 * Between two searches, milliseconds: of agents that live, which may file at any moment, and of
 * all.
 */
export interface SearchPace {
  readonly soon: number
  readonly idle: number
}

export interface SearchResult {
  readonly numbers: readonly number[]
  /** The forge was asked: there were branches to ask for. */
  readonly asked: boolean
  readonly all: boolean
}

/**
 * What an agent that lives has filed is found within a minute, where the forge’s limits allow.
 * Milliseconds.
 */
export const SOON = 50_000

export function createPullSearch({
  forge,
  records,
  followed,
  now,
}: {
  readonly forge: Pick<Forge, 'kind' | 'find'>
  readonly records: Pick<PullRecords, 'heads' | 'livingHeads'>
  readonly followed: Pick<FollowedPulls, 'hasHead' | 'hasEnded'>
  /** The steady clock. */
  readonly now: () => number
}): PullSearch {
  let allAt = -Infinity
  let soonAt = -Infinity

  /**
   * Those that may be filed at any moment: not that of an agent which rests after its pull request
   * has ended.
   */
  const expected = async () => {
    // The local forge’s pull requests are all filed through exomonad.
    if (forge.kind === 'local') return []
    const living = [...(await records.livingHeads())]
    return living
      .filter(
        ([branch, { rests }]) => !followed.hasHead(branch) && !(rests && followed.hasEnded(branch)),
      )
      .map(([branch]) => branch)
  }

  return {
    dueAt: async ({ soon, idle }) =>
      (await expected()).length === 0 ? allAt + idle : Math.min(allAt + idle, soonAt + soon),

    run: async ({ idle }, wanted) => {
      const all = wanted || now() >= allAt + idle
      const heads = all
        ? [...(await records.heads())].filter((branch) => wanted || !followed.hasHead(branch))
        : await expected()
      const numbers =
        heads.length === 0 ? [] : await forge.find({ state: 'open', heads, forks: true })
      soonAt = now()
      if (all) allAt = soonAt
      return { numbers, asked: heads.length > 0, all }
    },

    hurry: () => {
      allAt = -Infinity
      soonAt = -Infinity
    },
  }
}
