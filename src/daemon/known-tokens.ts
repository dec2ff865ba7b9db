import type { KnownSecrets } from '../text-gate/secrets.ts'

/** Tokens that were seen in this process, and hashes of those that are kept nowhere, so that none gets into a log, a row or a message. */
export interface KnownTokens extends KnownSecrets {
  /** Registers what is read. */
  reading(read: () => Promise<string>): () => Promise<string>
  /** SHA-256, hex, of a token that only its agent has. */
  addHash(hash: string): void
}

/** `entropy`: as configured now. */
export function createKnownTokens(first: readonly string[], entropy: () => boolean): KnownTokens {
  const seen = new Set(first)
  const hashes = new Set<string>()
  return {
    reading: (read) => async () => {
      const token = await read()
      seen.add(token)
      return token
    },
    addHash: (hash) => hashes.add(hash),
    values: () => [...seen],
    hasHash: (hash) => hashes.has(hash),
    entropy,
  }
}
