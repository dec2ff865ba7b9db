import { isWriting, type Ask } from '../state.ts'
import type { Key } from './keys.ts'

/**
 * Presses keys between which nobody could look: what they open a question with does not answer it.
 * Text still goes where words are asked for, for Enter is not in it.
 */
export function createPiece(
  asked: () => Ask | null,
  press: (key: Key) => void,
): (key: Key) => void {
  let asks = false
  return (key) => {
    const before = asked()
    const isText = key.kind === 'edit' && key.action.kind === 'insert'
    if (!asks || (isWriting(before) && isText)) press(key)
    asks ||= before === null && asked() !== null
  }
}
