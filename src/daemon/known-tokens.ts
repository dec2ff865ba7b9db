import type { KnownSecrets } from '../sanitize/secrets.ts'

/**
 * Tokens that were seen in this process, and hashes of those that are kept nowhere, so that none
 * gets into a log, a row or a message.
 */
export interface KnownTokens extends KnownSecrets {
  /** Registers what is read. */
  reading(read: () => Promise<string>): () => Promise<string>
  /** SHA-256, hex, of a token that only its agent has. */
  addHash(hash: string): void
}

/** Of those that are read, the last so many. */
const MOST = 50

/** `entropy`: as configured now. */
export function createKnownTokens(first: readonly string[], entropy: () => boolean): KnownTokens {
  const seen = new Set(first)
  const recent: string[] = []
  const hashes = new Set<string>()
  return {
    reading: (read) => async () => {
      const token = await read()
      if (!seen.has(token)) recent.push(token)
      seen.add(token)
      // An app has another each hour, and those of yesterday let nobody in.
      if (recent.length > MOST) seen.delete(recent.shift() ?? '')
      return token
    },
    addHash: (hash) => hashes.add(hash),
    values: () => [...seen],
    hasHash: (hash) => hashes.has(hash),
    entropy,
  }
}
