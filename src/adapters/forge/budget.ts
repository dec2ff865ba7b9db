/** One limit of a forge’s API. */
export interface RateLimit {
  readonly limit: number
  readonly remaining: number
  /** Milliseconds since the epoch. */
  readonly resetAt: number
}

/** What is left of a forge’s limits, as its last answers said. Nothing is asked for it. */
export interface ForgeBudget {
  /** GraphQL points; null where no answer has said yet. */
  readonly points: RateLimit | null
  /** REST requests; null where no answer has said yet. */
  readonly requests: RateLimit | null
  /**
   * Until then nothing is sent: a limit is used up, or the forge asked to wait. Milliseconds since
   * the epoch; null where nothing is in the way.
   */
  readonly blockedUntil: number | null
  /**
   * How many times slower than configured to look, so that the limits last until they are reset and
   * a reserve stays. At least 1.
   */
  readonly slowdown: number
}
