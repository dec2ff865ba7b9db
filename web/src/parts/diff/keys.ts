import { useRef, type KeyboardEvent } from 'react'
import { LEADS } from '../keys.ts'
import type { Line } from './lines.ts'

/** What keys do in a diff; the same as in the console’s review. */
export function useDiffKeys({
  lines,
  at,
  page,
  go,
  mark,
  comment,
  fold,
  split,
}: {
  readonly lines: readonly Line[]
  /** Index of the line that is chosen; -1: none. */
  readonly at: number
  /** Lines that are seen. */
  readonly page: () => number
  readonly go: (index: number, align?: 'auto' | 'start') => void
  /** Begins a range of lines, or ends it. */
  readonly mark: () => void
  readonly comment: (() => void) | undefined
  readonly fold: (path: string) => void
  readonly split: () => void
}): (event: KeyboardEvent<HTMLElement>) => void {
  // `g` leads to other views: the key after it is no command of the diff.
  const led = useRef(Number.NEGATIVE_INFINITY)
  const next = (kind: 'hunk' | 'file', direction: 1 | -1): number => {
    for (let index = at + direction; index >= 0 && index < lines.length; index += direction)
      if (lines[index]?.kind === kind) return index
    return at
  }
  return (event) => {
    // What is pressed in a form below a line is the form’s.
    if (event.target !== event.currentTarget) return
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const isLed = event.timeStamp - led.current < LEADS
    if (isLed || event.key === 'g') {
      led.current = isLed ? Number.NEGATIVE_INFINITY : event.timeStamp
      return
    }
    const does: Readonly<Record<string, () => void>> = {
      j: () => go(at + 1),
      ArrowDown: () => go(at + 1),
      k: () => go(at - 1),
      ArrowUp: () => go(at - 1),
      PageDown: () => go(at + page()),
      PageUp: () => go(at - page()),
      Home: () => go(0),
      End: () => go(lines.length - 1),
      n: () => go(next('hunk', 1)),
      p: () => go(next('hunk', -1)),
      N: () => go(next('file', 1), 'start'),
      P: () => go(next('file', -1), 'start'),
      v: mark,
      s: split,
      x: () => {
        const line = lines[at]
        if (line !== undefined) fold(line.file.path)
      },
      ...(comment === undefined ? {} : { c: comment, Enter: comment }),
    }
    const action = does[event.key]
    if (action === undefined) return
    event.preventDefault()
    event.stopPropagation()
    action()
  }
}
