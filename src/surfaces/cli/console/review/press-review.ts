import { EMPTY } from '../input/line-editor.ts'
import { keyActions } from '../input/key-table.ts'
import type { Key } from '../input/keys.ts'
import type { Lines } from '../run-line.ts'
import type { Action, ConsoleState } from '../state.ts'
import type { Store } from '../store.ts'
import { REVIEW_KEYS, type ReviewDoes } from './review-key-table.ts'
import { commentedLines, type Review } from './review.ts'

/** Does what keys mean in a diff that is reviewed. */
export function createReviewPress(options: {
  store: Store<ConsoleState, Action>
  lines: Lines
  /** Rows of the diff that are seen. */
  page: () => number
}): (review: Review, key: Key) => void {
  const { store, lines, page } = options
  const { get, dispatch } = store
  const move = (by: number): void => dispatch({ type: 'review-move', by })

  const comment = (review: Review): void => {
    const about = commentedLines(review)
    if (about === null)
      return lines.notify(
        get().viewed,
        'A comment stands on lines of a file: choose one of those.',
        'attention',
      )
    dispatch({ type: 'ask', ask: { kind: 'comment', number: review.number, about, line: EMPTY } })
  }

  const jump = (to: 'hunk' | 'file', direction: 1 | -1) => (): void =>
    dispatch({ type: 'review-jump', to, direction })
  const does: Readonly<Record<ReviewDoes, (review: Review) => void>> = {
    up: () => move(-1),
    down: () => move(1),
    'page-up': () => move(-page()),
    'page-down': () => move(page()),
    first: () => move(Number.NEGATIVE_INFINITY),
    last: () => move(Number.POSITIVE_INFINITY),
    'next-hunk': jump('hunk', 1),
    'previous-hunk': jump('hunk', -1),
    'next-file': jump('file', 1),
    'previous-file': jump('file', -1),
    range: ({ anchor }) => dispatch({ type: 'review-range', open: anchor === null }),
    comment,
    uncomment: () => dispatch({ type: 'review-uncomment' }),
    send: ({ number, head }) => dispatch({ type: 'ask', ask: { kind: 'verdict', number, head } }),
    merge: ({ number }) => void lines.run({ kind: 'merge', number }, get().viewed),
    read: ({ number }) => void lines.run({ kind: 'diff', number }, get().viewed),
    help: () => void lines.run({ kind: 'help' }, get().viewed),
    back: () => dispatch({ type: 'place', place: get().back }),
  }
  const actionOf = keyActions(REVIEW_KEYS)

  return (review, key) => {
    const action = actionOf(key)
    if (action !== undefined) does[action](review)
  }
}
