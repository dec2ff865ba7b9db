import type { Lines } from '../run-line.ts'
import { itemsOf } from '../rows/inbox-rows.ts'
import type { Action, ConsoleState } from '../state.ts'
import type { Store } from '../store.ts'
import type { Acting } from './acting.ts'
import { beginsCommand, isText, type Key } from './keys.ts'
import { EMPTY } from './line-editor.ts'

/** Does what a key means in the inbox, where the item at this index is selected. */
export function createPressInbox({
  store: { get, dispatch },
  lines,
  acting,
  leaveFor,
}: {
  store: Store<ConsoleState, Action>
  lines: Lines
  acting: Acting
  leaveFor: (key: Key) => void
}): (selected: number, key: Key) => void {
  return (selected, key) => {
    const { inbox, viewed } = get()
    const item = inbox === null ? undefined : itemsOf(inbox)[selected]
    if (key.kind === 'up' || key.kind === 'page-up') return dispatch({ type: 'select', by: -1 })
    if (key.kind === 'down' || key.kind === 'page-down') return dispatch({ type: 'select', by: 1 })
    if (isText(key, 'q')) return dispatch({ type: 'overlay', overlay: null })
    // Its letters must not count as decisions.
    if (beginsCommand(key)) return leaveFor(key)
    if (isText(key, 'c')) return void lines.run({ kind: 'inbox', clear: true }, viewed)
    if (item?.kind === 'question' && key.kind === 'submit') {
      const { agent, id: questionId, text: what } = item
      return acting(() =>
        dispatch({ type: 'ask', ask: { kind: 'answer', agent, questionId, what, line: EMPTY } }),
      )
    }
    if (item?.kind !== 'approval') return
    const kind =
      key.kind === 'submit' || isText(key, 'a') ? 'approve' : isText(key, 'd') ? 'deny' : undefined
    if (kind === undefined) return
    const { agent, id: approvalId, text: what } = item
    acting(() => dispatch({ type: 'ask', ask: { kind, agent, approvalId, what, line: EMPTY } }))
  }
}
