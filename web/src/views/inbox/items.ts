import { ITEM_TYPES, type ItemType } from '../../../../src/domain/inbox-items.ts'
import type { Inbox } from '../../../../src/surfaces/text/inbox/inbox-answer.ts'

export type Item = Inbox['items'][number]

/** What a type is called, one and several, and its colour. */
export const TYPES: Readonly<
  Record<ItemType, { readonly one: string; readonly many: string; readonly tone: string }>
> = {
  question: { one: 'question', many: 'Questions', tone: 'attention' },
  permission: { one: 'permission', many: 'Permissions', tone: 'attention' },
  approval: { one: 'approval', many: 'Approvals', tone: 'attention' },
  terminal: { one: 'terminal', many: 'Terminals', tone: 'active' },
  pull: { one: 'pull request', many: 'Pull requests', tone: 'special' },
  failed: { one: 'failed', many: 'Failed', tone: 'bad' },
  delivery: { one: 'message', many: 'Messages', tone: 'attention' },
}

/** What is shown beside “All”: types that there are. */
export const typesOf = (counts: Readonly<Partial<Record<ItemType, number>>>): ItemType[] =>
  ITEM_TYPES.filter((type) => (counts[type] ?? 0) > 0)

/** Those of a type in which all words are found. */
export function itemsLike(
  items: readonly Item[],
  { type, text }: { readonly type: ItemType | null; readonly text: string },
): Item[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return items.filter((item) => {
    if (type !== null && item.type !== type) return false
    if (words.length === 0) return true
    const all = `${item.title}\n${item.text}\n${item.agent ?? ''}\n${item.id}`.toLowerCase()
    return words.every((word) => all.includes(word))
  })
}

/** Its own id, without the type in front. */
export const keyOf = ({ id }: Pick<Item, 'id'>): string => id.slice(id.indexOf(':') + 1)

/** Whether a command of the product is among what settles it. */
export const isSettledBy = ({ settle }: Item, command: string): boolean =>
  settle.some((line) => line.startsWith('exomonad ') && ` ${line} `.includes(` ${command} `))

/**
 * What is to be selected where `selected` is not among the items any more: what stands in its place
 * now.
 */
export function following(
  before: readonly string[],
  now: readonly string[],
  selected: string,
): string | null {
  const at = before.indexOf(selected)
  if (at < 0) return now[0] ?? null
  const left = new Set(now)
  return (
    before.slice(at + 1).find((id) => left.has(id)) ??
    before.slice(0, at).findLast((id) => left.has(id)) ??
    now[0] ??
    null
  )
}

/**
 * The item that is looked at where none was chosen: the first. None that comes in front of it takes
 * the place of the one that was looked at (`last`: its id) while that is answered.
 */
export const unchosen = (
  shown: readonly Item[],
  last: string | undefined,
  isAnswering: boolean,
): Item | undefined => (isAnswering ? shown.find(({ id }) => id === last) : undefined) ?? shown[0]
