/**
 * What stands in the file of an output for what is not there any more. Each is a line, and begins
 * with the same mark as all that exomonad says there.
 */

/**
 * A cut: of the same length for every number, so that where it stands in the file nothing moves.
 */
export const cutNotice = (gone: number, bound: number): string =>
  `[exomonad] ${String(gone).padStart(15)} bytes are gone here: the output of one task is bounded to ${Math.round(bound / 1_000_000)} MB, its beginning and its end are kept\n`

const CUT = /^\[exomonad\] +(\d+) bytes are gone here: [^\n]*\n/

/** Of a text that begins with one; undefined where it doesn’t. Both in bytes. */
export function readCutNotice(
  text: string,
): { readonly gone: number; readonly length: number } | undefined {
  const found = CUT.exec(text)
  return found === null ? undefined : { gone: Number(found[1]), length: found[0].length }
}

const REMOVED = '[exomonad] This output '

/** All that is left of a file that retention removed. */
export const removedNotice = (at: number, bytes: number, limit: number): string =>
  `${REMOVED}was removed on ${new Date(at).toISOString()}: it had ${(bytes / 1_000_000).toFixed(1)} MB, and all outputs are kept within ${limit / 1_000_000} MB ([retention] outputs_mb)\n`

/** `was removed on …`; undefined for a file with an output in it. */
export const readRemovedNotice = (text: string): string | undefined =>
  text.startsWith(`${REMOVED}was removed on `)
    ? text.slice(REMOVED.length).split('\n')[0]
    : undefined
