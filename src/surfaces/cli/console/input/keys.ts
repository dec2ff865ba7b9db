import type { Key as InkKey } from 'ink'
import type { Edit } from './line-editor.ts'

/** What a key press means to the console. */
export type Key =
  | { kind: 'edit'; action: Edit }
  | { kind: 'submit' | 'complete' | 'escape' | 'interrupt' | 'end-of-input' }
  | { kind: 'up' | 'down' | 'page-up' | 'page-down' }
  | { kind: 'previous' | 'next' | 'parent' | 'child' }
  /** What was pasted, with its line feeds. */
  | { kind: 'paste'; text: string }

/** Whether it is that text and nothing else. */
export const isText = (key: Key, text: string): boolean =>
  key.kind === 'edit' && key.action.kind === 'insert' && key.action.text === text

const edit = (action: Edit): Key => ({ kind: 'edit', action })

const CONTROL: Readonly<Record<string, Key>> = {
  a: edit({ kind: 'home' }),
  b: edit({ kind: 'left' }),
  c: { kind: 'interrupt' },
  d: { kind: 'end-of-input' },
  e: edit({ kind: 'end' }),
  f: edit({ kind: 'right' }),
  h: edit({ kind: 'backspace' }),
  i: { kind: 'complete' },
  // What Enter was, where it was pressed before the terminal was ready.
  j: { kind: 'submit' },
  k: edit({ kind: 'kill-to-end' }),
  m: { kind: 'submit' },
  n: { kind: 'down' },
  p: { kind: 'up' },
  u: edit({ kind: 'kill-to-start' }),
  w: edit({ kind: 'kill-word' }),
}

/**
 * The keys that one report of Ink stands for: several where a terminal sent them in one piece, such
 * as a text and the Enter after it. `input` and `key` as useInput gives them.
 */
export function keysOf(input: string, key: InkKey): Key[] {
  if (key.eventType === 'release') return []
  if (key.return)
    return [key.meta || key.shift ? edit({ kind: 'insert', text: '\n' }) : { kind: 'submit' }]
  if (key.escape) return [{ kind: 'escape' }]
  if (key.tab) return [{ kind: 'complete' }]
  if (key.upArrow) return [{ kind: key.meta ? 'parent' : 'up' }]
  if (key.downArrow) return [{ kind: key.meta ? 'child' : 'down' }]
  if (key.leftArrow)
    return [key.meta ? { kind: 'previous' } : edit({ kind: key.ctrl ? 'word-left' : 'left' })]
  if (key.rightArrow)
    return [key.meta ? { kind: 'next' } : edit({ kind: key.ctrl ? 'word-right' : 'right' })]
  if (key.pageUp) return [{ kind: 'page-up' }]
  if (key.pageDown) return [{ kind: 'page-down' }]
  if (key.home) return [edit({ kind: 'home' })]
  if (key.end) return [edit({ kind: 'end' })]
  if (key.backspace) return [edit({ kind: key.meta ? 'kill-word' : 'backspace' })]
  if (key.delete) return [edit({ kind: 'delete' })]
  if (key.ctrl) return controlKey(input)
  // Alt with a letter: as a shell has them; others mean nothing here.
  if (key.meta)
    return input === 'b'
      ? [edit({ kind: 'word-left' })]
      : input === 'f'
        ? [edit({ kind: 'word-right' })]
        : []
  return piecesOf(input)
}

const controlKey = (letter: string): Key[] => {
  const known = CONTROL[letter]
  return known === undefined ? [] : [known]
}

// oxlint-disable-next-line no-control-regex -- what terminals send for keys
const PIECES = /[\x00-\x1f\x7f]|[^\x00-\x1f\x7f]+/g

/** A piece of input in which texts and control characters follow one another. */
function piecesOf(input: string): Key[] {
  return (input.match(PIECES) ?? []).flatMap((piece): Key[] => {
    if (piece === '\u007f') return [edit({ kind: 'backspace' })]
    const code = piece.charCodeAt(0)
    return code < 0x20
      ? controlKey(String.fromCharCode(code + 0x60))
      : [edit({ kind: 'insert', text: piece })]
  })
}

export const beginsCommand = (key: Key): boolean =>
  key.kind === 'edit' && key.action.kind === 'insert' && key.action.text.startsWith('/')
