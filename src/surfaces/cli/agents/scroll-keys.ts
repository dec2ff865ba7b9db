import type { Terminal } from '../../text/terminal.ts'

/** What a key asks of something that scrolls: lines, pages, an end; or to leave. */
export type ScrollKey = 'up' | 'down' | 'page-up' | 'page-down' | 'top' | 'bottom' | 'leave'

/** As terminals send them, in both of their modes; with those of less beside them. */
const KEYS: Readonly<Record<string, ScrollKey>> = {
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  k: 'up',
  '\u001b[B': 'down',
  '\u001bOB': 'down',
  j: 'down',
  '\u001b[5~': 'page-up',
  b: 'page-up',
  '\u001b[6~': 'page-down',
  ' ': 'page-down',
  '\u001b[H': 'top',
  '\u001bOH': 'top',
  '\u001b[1~': 'top',
  g: 'top',
  '\u001b[F': 'bottom',
  '\u001bOF': 'bottom',
  '\u001b[4~': 'bottom',
  G: 'bottom',
  q: 'leave',
  '\u0003': 'leave',
  '\u0004': 'leave',
}

// oxlint-disable-next-line no-control-regex -- keys are control characters
const KEY = /\u001b(?:\[[\d;]*[A-Za-z~]|O[A-Za-z])|[^]/gu

/** The keys in what a terminal sent at once; those that mean nothing are passed over. */
export const scrollKeysIn = (text: string): ScrollKey[] =>
  [...text.matchAll(KEY)].flatMap(([key]) =>
    Object.hasOwn(KEYS, key) ? [KEYS[key] as ScrollKey] : [],
  )

/** Where something is scrolled to after a key. `most`: how far it goes; `page`: lines of a screen. */
export function scrolledBy(
  key: Exclude<ScrollKey, 'leave'>,
  from: number,
  { most, page }: { readonly most: number; readonly page: number },
): number {
  const to = {
    up: from - 1,
    down: from + 1,
    'page-up': from - page,
    'page-down': from + page,
    top: 0,
    bottom: most,
  }[key]
  return Math.max(0, Math.min(most, to))
}

/**
 * Gives what is typed until it is stopped; the terminal is in raw mode then, so that Ctrl-C is a key
 * too. Does nothing where standard input is no terminal.
 */
export function onKeys({ stdin }: Terminal, listener: (key: ScrollKey) => void): () => void {
  if (stdin.isTTY !== true || stdin.setRawMode === undefined) return () => {}
  const onData = (chunk: Uint8Array | string): void => {
    for (const key of scrollKeysIn(chunk.toString())) listener(key)
  }
  stdin.setRawMode(true)
  stdin.on?.('data', onData)
  stdin.resume?.()
  return () => {
    stdin.off?.('data', onData)
    stdin.setRawMode?.(false)
    stdin.pause?.()
  }
}
