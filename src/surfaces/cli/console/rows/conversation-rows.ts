import type { TreeNode } from '../../../../core/agents/tree-document.ts'
import type { Palette } from '../../../text/palette.ts'
import { createScrollback } from './compose-scrollback.ts'
import { endRow } from './end-row.ts'
import { viewOf, type ConsoleState } from '../state.ts'

/** All rows of an agent’s terminal with what stands beside it; none where there is nothing. */
export type ConversationRows = (
  state: ConsoleState,
  node: TreeNode,
  options: { readonly width: number; readonly palette: Palette },
) => readonly string[]

/** Keeps what it put together for the next frame, which mostly needs the same. */
export function createConversationRows(): ConversationRows {
  const compose = createScrollback()
  let kept: { key: readonly unknown[]; rows: readonly string[] } = { key: [], rows: [] }
  return (state, node, { width, palette }) => {
    const view = viewOf(state, node.id)
    const dead = endRow(node, { now: state.readAt, width, palette })
    const key = [view.text, view.entries, view.notices, view.missing, dead, width]
    if (key.some((part, index) => part !== kept.key[index])) {
      // Whatever was seen of it stays, also when its terminal is gone.
      const text = view.text === '' ? (view.missing ?? '') : view.text
      kept = {
        key,
        rows: compose({ text, entries: view.entries, notices: view.notices, dead, width, palette }),
      }
    }
    return kept.rows
  }
}
