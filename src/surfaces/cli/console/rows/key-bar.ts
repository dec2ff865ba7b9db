import type { Palette } from '../../../text/palette.ts'
import { displayWidth } from '../../../text/width.ts'

/** A key and what it does. */
export type KeyHint = readonly [key: string, does: string]

const BETWEEN = ' · '

/**
 * Keys with what they do in one row of at most `width` columns: as many as have room whole, from
 * the first on; the last one (`?`) always.
 */
export function keyBar(hints: readonly KeyHint[], width: number, palette: Palette): string {
  const last = hints.at(-1)
  const sizeOf = ([key, does]: KeyHint): number => displayWidth(`${key} ${does}`)
  let room = width - (last === undefined ? 0 : sizeOf(last))
  const shown: KeyHint[] = []
  for (const hint of hints.slice(0, -1)) {
    room -= sizeOf(hint) + BETWEEN.length
    if (room < 0) break
    shown.push(hint)
  }
  return [...shown, ...(last === undefined ? [] : [last])]
    .map(([key, does]) => `${palette.bold(key)} ${palette.dim(does)}`)
    .join(palette.dim(BETWEEN))
}
