import { useCallback } from 'react'
import { useTree } from '../../../live/tree.ts'
import { useKept } from '../../../parts/kept.ts'
import { afterSending, type Comment, type Draft } from './placed.ts'

const NONE: Draft = { comments: [], body: '' }

/** The person’s review of a pull request, kept until it is sent. */
export function useDraft(number: number): {
  readonly draft: Draft
  readonly setBody: (body: string) => void
  readonly add: (place: Omit<Comment, 'id' | 'body' | 'isOpen'>) => void
  readonly change: (id: string, change: Partial<Pick<Comment, 'body' | 'isOpen'>>) => void
  readonly remove: (ids: readonly string[]) => void
  readonly clear: () => void
  /** Forgets what was sent, and nothing else. */
  readonly sent: (what: Draft) => void
} {
  const { tree } = useTree()
  const [kept, set] = useKept<Draft>(`review:${tree?.repository ?? ''}:${number}`)
  const update = useCallback(
    (change: (draft: Draft) => Draft) =>
      set((before) => {
        const next = change(before ?? NONE)
        return next.comments.length === 0 && next.body === '' ? undefined : next
      }),
    [set],
  )
  return {
    draft: kept ?? NONE,
    setBody: useCallback((body) => update((draft) => ({ ...draft, body })), [update]),
    add: useCallback(
      (place) =>
        update((draft) => ({
          ...draft,
          comments: [
            ...draft.comments,
            { ...place, id: crypto.randomUUID(), body: '', isOpen: true },
          ],
        })),
      [update],
    ),
    change: useCallback(
      (id, change) =>
        update((draft) => ({
          ...draft,
          comments: draft.comments.map((one) => (one.id === id ? { ...one, ...change } : one)),
        })),
      [update],
    ),
    remove: useCallback(
      (ids) =>
        update((draft) => ({
          ...draft,
          comments: draft.comments.filter(({ id }) => !ids.includes(id)),
        })),
      [update],
    ),
    clear: useCallback(() => set(() => undefined), [set]),
    sent: useCallback((what) => update((draft) => afterSending(draft, what)), [update]),
  }
}
