/** Milliseconds. */
const FIRST_PAUSE = 10
const LONGEST_PAUSE = 100
/**
 * On a busy machine a daemon and its agents take half a minute for what is done in one second; less
 * than a test of conformance may take.
 */
const LIMIT = 50_000

/**
 * Test helper: waits for a condition instead of a time. Polls `look` until it gives something other
 * than undefined, null or false, and returns that; a throw counts as “not yet”. After `limit`
 * milliseconds it throws with `what` and the last error or value seen. It looks less and less
 * often, unless `every` says how often: what is waited for would be slowed down by being looked at.
 */
export async function waitFor<Value>(
  what: string,
  look: () => Value | Promise<Value>,
  options: { limit?: number; every?: number } = {},
): Promise<Exclude<Value, undefined | null | false>> {
  const limit = options.limit ?? LIMIT
  const deadline = performance.now() + limit
  let seen: unknown
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE)) {
    try {
      const value = await look()
      if (value !== undefined && value !== null && value !== false)
        return value as Exclude<Value, undefined | null | false>
      seen = value
    } catch (error) {
      seen = error
    }
    if (performance.now() > deadline) {
      throw new Error(
        `Waited ${limit} ms in vain for ${what}; last seen: ${seen instanceof Error ? seen.message : JSON.stringify(seen)}`,
        {
          cause: seen,
        },
      )
    }
    await new Promise((resolve) => setTimeout(resolve, options.every ?? pause))
  }
}
