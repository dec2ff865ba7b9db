/** What a person sent, oldest first, and where in it they are. Never changed in place. */
export interface History {
  readonly entries: readonly string[]
  /** Index of the entry that is shown; `entries.length` while it is what they type. */
  readonly index: number
  /** What they had typed before they went back. */
  readonly draft: string
}

const MOST = 500

export function createHistory(entries: readonly string[] = []): History {
  const kept = entries.slice(-MOST)
  return { entries: kept, index: kept.length, draft: '' }
}

/** With a further entry, back at the end. Blank text and the same again are not kept. */
export function push(history: History, text: string): History {
  const isNew = text.trim() !== '' && text !== history.entries.at(-1)
  return createHistory(isNew ? [...history.entries, text] : history.entries)
}

/** One further back; `draft` is what stands in the input line. At the oldest it stays. */
export function older(history: History, draft: string): { history: History; text: string } {
  const isTyping = history.index === history.entries.length
  const index = Math.max(0, history.index - 1)
  const moved = { ...history, index, draft: isTyping ? draft : history.draft }
  return { history: moved, text: textAt(moved) }
}

/** One forward, at the end what was being typed. */
export function newer(history: History): { history: History; text: string } {
  const moved = { ...history, index: Math.min(history.entries.length, history.index + 1) }
  return { history: moved, text: textAt(moved) }
}

const textAt = ({ entries, index, draft }: History): string => entries[index] ?? draft
