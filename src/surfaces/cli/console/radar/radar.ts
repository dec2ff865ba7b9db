import type { RadarPair } from '../../../../core/radar/radar-use-cases.ts'
import type { Scroll } from '../rows/compose-scrollback.ts'

/** Whose work would conflict: all pairs, one of them selected, or what both did in that one. */
export interface RadarOverlay {
  readonly kind: 'radar'
  /** Only pairs of this agent, as a person called it; null: all. */
  readonly only: string | null
  /** In the order of the list; null until they were read. */
  readonly pairs: readonly RadarPair[] | null
  /** The same in the order of the tree, as the matrix has them. */
  readonly inTree: readonly RadarPair[]
  /** When they were looked at. Milliseconds since the epoch. */
  readonly at: number
  /** Index in `pairs`. */
  readonly selected: number
  readonly detail: { readonly rows: readonly string[]; readonly scroll: Scroll } | null
}

export type RadarAction =
  | { type: 'radar-read'; pairs: readonly RadarPair[]; at: number }
  | { type: 'radar-detail'; a: string; b: string; rows: readonly string[] }
  /** By so many pairs, over all of them with Infinity. */
  | { type: 'radar-select'; by: number }

/** Of no pair yet. */
export const newRadar = (only: string | null): RadarOverlay => ({
  ...{ kind: 'radar', only, pairs: null, inTree: [], at: 0, selected: 0, detail: null },
})

const ORDER: readonly RadarPair['status'][] = ['conflict', 'unknown', 'clean']

/** What is to be done something about first. */
const listed = (pairs: readonly RadarPair[]): RadarPair[] =>
  pairs.toSorted((one, other) => ORDER.indexOf(one.status) - ORDER.indexOf(other.status))

const isPair = (pair: RadarPair | undefined, { a, b }: Pick<RadarPair, 'a' | 'b'>): boolean =>
  pair?.a === a && pair.b === b

export function changeRadar(overlay: RadarOverlay, action: RadarAction): RadarOverlay {
  const { pairs, selected } = overlay
  switch (action.type) {
    case 'radar-read': {
      const read = listed(action.pairs)
      const before = pairs?.[selected]
      const same = before === undefined ? 0 : read.findIndex((pair) => isPair(pair, before))
      const now = same >= 0 ? same : Math.max(0, Math.min(selected, read.length - 1))
      return { ...overlay, pairs: read, inTree: action.pairs, at: action.at, selected: now }
    }
    case 'radar-detail':
      // What comes late, when another one is selected, is not shown.
      return isPair(pairs?.[selected], action)
        ? { ...overlay, detail: { rows: action.rows, scroll: 0 } }
        : overlay
    case 'radar-select': {
      const last = Math.max(0, (pairs?.length ?? 0) - 1)
      const now = Math.min(last, Math.max(0, selected + action.by))
      return now === selected ? overlay : { ...overlay, selected: now }
    }
  }
}

export const withDetailScrolled = (overlay: RadarOverlay, scroll: Scroll): RadarOverlay =>
  overlay.detail === null ? overlay : { ...overlay, detail: { ...overlay.detail, scroll } }
