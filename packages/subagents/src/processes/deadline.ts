import { setTimeout as delay } from 'node:timers/promises'

/** The longest that one look counts for. */
const LOOK = 100

/**
 * Returns whether less than `limit` milliseconds have passed, for loops that look again and again.
 * A machine that stands still (it swaps, it is suspended) gives nobody else time either: what
 * passed between two looks counts for a tenth of a second at most.
 */
export function createDeadline(
  limit: number,
  now: () => number = () => performance.now(),
): () => boolean {
  let before = now()
  let passed = 0
  return () => {
    const time = now()
    passed += Math.min(time - before, LOOK)
    before = time
    return passed < limit
  }
}

const POLL = 20

/** Waits for the end, so many milliseconds at most; keeps no process alive. */
export async function awaitEnd(end: Promise<unknown>, limit: number): Promise<void> {
  let ended = false
  const noticed = end.then(() => (ended = true))
  for (const notExpired = createDeadline(limit); !ended && notExpired();)
    await Promise.race([noticed, delay(POLL, undefined, { ref: false })])
}
