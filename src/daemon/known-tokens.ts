/** Tokens of the forge that were seen in this process, so that none gets into a log or a message. */
export interface KnownTokens {
  /** Registers what is read. */
  reading(read: () => Promise<string>): () => Promise<string>
  readonly list: () => readonly string[]
}

export function createKnownTokens(first: readonly string[] = []): KnownTokens {
  const seen = new Set(first)
  return {
    reading: (read) => async () => {
      const token = await read()
      seen.add(token)
      return token
    },
    list: () => [...seen],
  }
}
