import type { KeyRow } from '../input/key-table.ts'

export type ReviewDoes =
  | 'up'
  | 'down'
  | 'page-up'
  | 'page-down'
  | 'first'
  | 'last'
  | 'next-hunk'
  | 'previous-hunk'
  | 'next-file'
  | 'previous-file'
  | 'range'
  | 'comment'
  | 'uncomment'
  | 'send'
  | 'merge'
  | 'read'
  | 'help'
  | 'back'

/** What keys do in a diff, in the order in which `?` lists them. */
export const REVIEW_KEYS: readonly KeyRow<ReviewDoes>[] = [
  { keys: { '↑': 'up', '↓': 'down', j: 'down', k: 'up' }, words: 'line by line' },
  { keys: { PgUp: 'page-up', PgDn: 'page-down', Space: 'page-down' }, words: 'page by page' },
  { keys: { g: 'first', G: 'last', Home: 'first', End: 'last' }, words: 'to the ends' },
  {
    keys: { n: 'next-hunk', p: 'previous-hunk', ']': 'next-hunk', '[': 'previous-hunk' },
    words: 'next, previous hunk',
  },
  { keys: { N: 'next-file', P: 'previous-file' }, words: 'next, previous file' },
  { keys: { v: 'range' }, words: 'begin a range of lines, and end it' },
  { keys: { c: 'comment', Enter: 'comment' }, words: 'comment on the line or the range' },
  { keys: { u: 'uncomment' }, words: 'take back what is to be said of the line' },
  { keys: { s: 'send' }, words: 'send as approval, request for changes or comment' },
  { keys: { m: 'merge' }, words: 'merge, after asking' },
  { keys: { R: 'read' }, words: 'read it again' },
  { keys: {}, shown: '/ :', words: 'a command' },
  { keys: { '?': 'help' }, words: 'keys and commands' },
  { keys: { q: 'back' }, shown: 'Escape q', words: 'back; what is not sent stays' },
]
