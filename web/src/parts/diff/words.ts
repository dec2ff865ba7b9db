import { diffWordsWithSpace } from 'diff'

/** Characters of a line, from and to (exclusive). */
export type Span = readonly [from: number, to: number]

export interface WordChanges {
  readonly old: readonly Span[]
  readonly now: readonly Span[]
}

/** Longer lines are compared as a whole: the words of a bundle are no help, and take seconds. */
const LONGEST = 600
/** Share of a line that has to be the same, that its words are worth telling apart. */
const ALIKE = 0.35

/** What of two lines is different; null where they have too little in common. */
export function wordChanges(old: string, now: string): WordChanges | null {
  if (old.length > LONGEST || now.length > LONGEST) return null
  const spans: { old: Span[]; now: Span[] } = { old: [], now: [] }
  let [atOld, atNow, same] = [0, 0, 0]
  for (const { added, removed, value } of diffWordsWithSpace(old, now)) {
    const { length } = value
    if (added) {
      spans.now.push([atNow, atNow + length])
      atNow += length
    } else if (removed) {
      spans.old.push([atOld, atOld + length])
      atOld += length
    } else {
      same += value.trim().length
      atOld += length
      atNow += length
    }
  }
  const longest = Math.max(old.trim().length, now.trim().length)
  return same < ALIKE * longest ? null : spans
}

/** A part of a line with one colour. */
export interface Segment {
  readonly text: string
  /** What it is in its language, as a class; undefined: nothing special. */
  readonly token?: string | undefined
  readonly changed: boolean
}

/** A line cut where its tokens or its changed words begin or end. */
export function segmentsOf(
  text: string,
  tokens: readonly { readonly length: number; readonly token?: string | undefined }[],
  changed: readonly Span[],
): Segment[] {
  const cuts = new Set<number>([0, text.length])
  const starts: { at: number; token: string | undefined }[] = []
  let at = 0
  for (const { length, token } of tokens) {
    starts.push({ at, token })
    if (at < text.length) cuts.add(at)
    at += length
  }
  if (at < text.length) {
    starts.push({ at, token: undefined })
    cuts.add(at)
  }
  for (const [from, to] of changed) {
    cuts.add(Math.min(from, text.length))
    cuts.add(Math.min(to, text.length))
  }
  const edges = [...cuts].toSorted((a, b) => a - b)
  let token = 0
  return edges.slice(0, -1).map((from, index) => {
    while ((starts[token + 1]?.at ?? Number.POSITIVE_INFINITY) <= from) token += 1
    return {
      text: text.slice(from, edges[index + 1]),
      token: starts[token]?.token,
      changed: changed.some((span) => span[0] <= from && from < span[1]),
    }
  })
}
