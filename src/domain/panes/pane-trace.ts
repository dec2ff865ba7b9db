/**
 * What was pasted into a pane and what Enter was pressed for, as keys in the order in which it
 * happened: the pane itself keeps both, so that a daemon which was killed between two of them can
 * determine what became of each. Kept as one line of text, keys apart by a space.
 */

/** The newest so many are kept. */
export const TRACE_LENGTH = 20

export const addToTrace = (trace: string | null | undefined, key: string): string =>
  [...keysOf(trace), key].slice(-TRACE_LENGTH).join(' ')

/** Oldest first; undefined stays: it can’t be determined. */
export const readTrace = (trace: string | null | undefined): readonly string[] | undefined =>
  trace === undefined ? undefined : keysOf(trace)

const keysOf = (trace: string | null | undefined): string[] =>
  (trace ?? '').split(' ').filter((key) => key !== '')
