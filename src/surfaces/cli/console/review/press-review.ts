import { EMPTY } from '../input/line-editor.ts'
import type { Key } from '../input/keys.ts'
import type { Lines } from '../run-line.ts'
import type { Action, ConsoleState } from '../state.ts'
import type { Store } from '../store.ts'
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
        'A comment stands on lines that the new version has: choose one of those.',
        'attention',
      )
    dispatch({ type: 'ask', ask: { kind: 'comment', number: review.number, about, line: EMPTY } })
  }

  const letter = (review: Review, character: string): void => {
    const { number } = review
    switch (character) {
      case 'j':
        return move(1)
      case 'k':
        return move(-1)
      case 'g':
        return move(Number.NEGATIVE_INFINITY)
      case 'G':
        return move(Number.POSITIVE_INFINITY)
      case ' ':
        return move(page())
      case 'n':
      case ']':
        return dispatch({ type: 'review-jump', to: 'hunk', direction: 1 })
      case 'p':
      case '[':
        return dispatch({ type: 'review-jump', to: 'hunk', direction: -1 })
      case 'N':
        return dispatch({ type: 'review-jump', to: 'file', direction: 1 })
      case 'P':
        return dispatch({ type: 'review-jump', to: 'file', direction: -1 })
      case 'v':
        return dispatch({ type: 'review-range', open: review.anchor === null })
      case 'c':
        return comment(review)
      case 'u':
        return dispatch({ type: 'review-uncomment' })
      case 's':
        return dispatch({ type: 'ask', ask: { kind: 'verdict', number, head: review.head } })
      case 'm':
        return void lines.run({ kind: 'merge', number }, get().viewed)
      case 'R':
        return void lines.run({ kind: 'diff', number }, get().viewed)
      case '?':
        return void lines.run({ kind: 'help' }, get().viewed)
      case 'q':
        return dispatch({ type: 'place', place: get().back })
      default:
        return
    }
  }

  return (review, key) => {
    switch (key.kind) {
      case 'up':
        return move(-1)
      case 'down':
        return move(1)
      case 'page-up':
        return move(-page())
      case 'page-down':
        return move(page())
      case 'submit':
        return comment(review)
      case 'edit':
        if (key.action.kind === 'home') return move(Number.NEGATIVE_INFINITY)
        if (key.action.kind === 'end') return move(Number.POSITIVE_INFINITY)
        if (key.action.kind === 'insert') letter(review, key.action.text)
        return
      default:
        return
    }
  }
}
