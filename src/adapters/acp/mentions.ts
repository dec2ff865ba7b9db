/** Ids of messages, as they stand in prompts and results. */
const ID = /\b[a-z]-[0-9a-f]{8,12}\b/g

/** Which ids were ever read by a session’s model. The texts themselves are in its output. */
export interface Mentions {
  add(text: string): void
  find(words: readonly string[]): readonly string[]
}

export function createMentions(): Mentions {
  const ids = new Set<string>()
  return {
    add: (text) => {
      for (const [id] of text.matchAll(ID)) ids.add(id)
    },
    find: (words) => words.filter((word) => ids.has(word)),
  }
}
