import { useCallback } from 'react'
import {
  sentComment,
  type DraftComment,
} from '../../../../../src/surfaces/text/diff/draft-comment.ts'
import { useTree } from '../../../live/tree.ts'
import { useKept } from '../../../parts/kept.ts'

/** A comment that is written, or was and is not sent. */
export interface Comment extends DraftComment {
  readonly id: string
  /** Its form is open. */
  readonly isOpen: boolean
  /** Head that it was written about. */
  readonly head: string
}

/** A review that is not sent yet. */
export interface Draft {
  readonly comments: readonly Comment[]
  readonly body: string
}

const NONE: Draft = { comments: [], body: '' }

/** The person’s review of a pull request, kept until it is sent. */
export function useDraft(number: number): {
  readonly draft: Draft
  readonly setBody: (body: string) => void
  readonly add: (place: Omit<Comment, 'id' | 'body' | 'isOpen'>) => void
  readonly change: (id: string, change: Partial<Pick<Comment, 'body' | 'isOpen'>>) => void
  readonly remove: (ids: readonly string[]) => void
  readonly clear: () => void
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
  }
}

/** Those with words, as `pr_review` takes them. */
export const toSend = (comments: readonly Comment[]) =>
  comments
    .filter(({ body }) => body.trim() !== '')
    .map((comment) => sentComment({ ...comment, body: comment.body.trim() }))
