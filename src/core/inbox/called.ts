import { ExomonadError } from '../../domain/errors.ts'
import type { Item } from './item.ts'

/** Means the first of what is asked for, where there is one. */
export const NEXT = 'next'

/**
 * The item that a person means: by its number, its id, or the beginning of its id or of what stands
 * in that behind the type (`q-1234`). INVALID_ARG where none or more than one is meant.
 */
export function itemCalled(items: readonly Item[], called: string): Item {
  if (/^\d+$/.test(called)) {
    const item = items[Number(called) - 1]
    if (item !== undefined) return item
    throw notThere(called, items, 'Numbers move up when something before them is settled.')
  }
  // The beginning of a number is another number.
  const begins = ({ id, type }: Item): boolean =>
    type !== 'pull' && (id.startsWith(called) || id.slice(id.indexOf(':') + 1).startsWith(called))
  const exact = items.find(({ id }) => id === called)
  const matching = items.filter(begins)
  const [only] = matching
  if (exact !== undefined) return exact
  if (only !== undefined && matching.length === 1) return only
  if (only === undefined)
    throw notThere(called, items, 'What it asked for has happened, or it never was one.')
  throw new ExomonadError(
    'INVALID_ARG',
    `“${called}” begins ${matching.length} items: ${matching.map(({ id }) => id).join(', ')}. Give more of the one that you mean.`,
    { field: 'item', found: called, matches: matching.map(({ id }) => id) },
  )
}

const notThere = (called: string, items: readonly Item[], why: string): ExomonadError => {
  const count = items.length === 1 ? '1 item needs' : `${items.length} items need`
  return new ExomonadError(
    'INVALID_ARG',
    `There is no item ${called}: ${count} you now. ${why} \`exomonad inbox\` lists what there is.`,
    { field: 'item', found: called },
  )
}
