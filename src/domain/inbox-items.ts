/** What can need a person, in the words of `exomonad inbox --type`. */
export const ITEM_TYPES = [
  'question',
  'permission',
  'approval',
  'terminal',
  'pull',
  'failed',
  'delivery',
] as const

export type ItemType = (typeof ITEM_TYPES)[number]
