import { useCallback, useMemo } from 'react'
import { useKept } from '../../parts/kept.ts'
import type { Wish } from './flatten.ts'

export const NOTHING: Wish = { text: '', state: 'all', sort: 'age', folded: new Set() }

interface Kept extends Omit<Wish, 'folded'> {
  readonly folded: readonly string[]
}

/** What of the tree is looked at, and who is selected: the same for whoever comes back to it. */
export function useWish(): {
  readonly wish: Wish
  readonly setWish: (change: (wish: Wish) => Wish) => void
  /** Its id. */
  readonly selected: string | null
  readonly setSelected: (id: string) => void
} {
  const [kept, keep] = useKept<Kept>('tree')
  const [selected, select] = useKept<string>('tree.selected')
  const wish = useMemo(() => wishOf(kept), [kept])
  const setWish = useCallback(
    (change: (wish: Wish) => Wish) =>
      keep((before) => {
        const wish = change(wishOf(before))
        return { ...wish, folded: [...wish.folded] }
      }),
    [keep],
  )
  const setSelected = useCallback((id: string) => select(() => id), [select])
  return { wish, setWish, selected: selected ?? null, setSelected }
}

const wishOf = (kept: Kept | undefined): Wish =>
  kept === undefined ? NOTHING : { ...NOTHING, ...kept, folded: new Set(kept.folded) }
