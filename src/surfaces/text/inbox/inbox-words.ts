import type { Inbox } from './inbox-answer.ts'
import { printable, printableLine } from '../printable.ts'
import { plural } from '../quantity.ts'

type Item = Inbox['items'][number]
type NewsLine = Inbox['news'][number]

/** `3 notes, newest: the tests pass`. */
export function newsWords({ agent, count, kinds, newest }: NewsLine): string {
  const what = kinds.length === 1 && kinds[0] === 'note' ? 'note' : 'message'
  const words = newest.text
    .replace(/^\[[A-Z ]+\]/, '')
    .trim()
    .split(/\s+/)
    .join(' ')
  // Whose it is stands beside it.
  const own = words.startsWith(`${agent}: `) ? words.slice(`${agent}: `.length) : words
  return `${plural(count, what)}, newest: ${printableLine(own)}`
}

/** What an item says beyond its title, printable: of one line the title has all. */
export function itemOwnText({ text, title }: Item): string {
  const bare = printable(text).trimEnd()
  return printableLine(title).endsWith(bare) ? '' : bare
}
