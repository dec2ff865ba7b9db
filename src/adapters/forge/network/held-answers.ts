import { ExomonadError } from '../../../domain/errors.ts'

/**
 * Milliseconds for which an answer holds: rights that were given or taken count that much later at
 * most.
 */
const HOLDS = 10 * 60 * 1000
/** Beyond so many accounts the oldest answers go. */
const MOST = 1000

/**
 * Asks about an account (or of anything else that has a name) once, and holds the answer for ten
 * minutes. While the forge is away, what was known holds longer: FORGE_UNAVAILABLE only where
 * nothing was known before.
 */
export function createHeldAnswers<Answer>({
  ask,
  clock,
}: {
  ask: (name: string) => Promise<Answer>
  clock: () => number
}): (name: string) => Promise<Answer> {
  interface Known {
    readonly at: number
    readonly answer: Promise<Answer>
  }
  const known = new Map<string, Known>()

  const remember = (key: string, one: Known): void => {
    known.delete(key)
    known.set(key, one)
    for (const oldest of known.keys()) {
      if (known.size <= MOST) break
      known.delete(oldest)
    }
  }

  return async (name) => {
    const key = name.toLowerCase()
    const before = known.get(key)
    if (before !== undefined && clock() - before.at < HOLDS) return before.answer
    const now = { at: clock(), answer: ask(name) }
    remember(key, now)
    try {
      return await now.answer
    } catch (error) {
      // What failed is asked again at the next look; until then what was known holds.
      if (before === undefined) known.delete(key)
      else remember(key, before)
      if (
        before === undefined ||
        !(error instanceof ExomonadError) ||
        error.code !== 'FORGE_UNAVAILABLE'
      )
        throw error
      return before.answer
    }
  }
}
