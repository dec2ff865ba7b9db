import { cut } from '../../../text/width.ts'
import type { Inbox } from '../../../text/inbox/inbox-answer.ts'
import { newsWords } from '../../../text/inbox/inbox-words.ts'
import type { Palette } from '../../../text/palette.ts'
import { printableLine } from '../../../text/printable.ts'
import { relativeTime } from '../../../text/relative-time.ts'
import { wrapText } from './wrap.ts'

export type InboxItem =
  | {
      readonly kind: 'question' | 'approval'
      /** Of the question or approval. */
      readonly id: string
      readonly agent: string
      readonly text: string
      readonly at: number
    }
  | {
      /** What is settled somewhere else, with the commands for that; or news of one agent. */
      readonly kind: 'other' | 'news'
      readonly id: string
      readonly what: string
      readonly text: string
      readonly at: number
    }

/** What needs the person, numbered as `exomonad inbox` does; then the news. */
export const itemsOf = ({ items, news }: Inbox): InboxItem[] => [
  ...items.map((item) => rowOf(item)),
  ...news.map((line) => ({
    kind: 'news' as const,
    id: `news:${line.agent_id ?? ''}`,
    what: line.agent ?? 'exomonad',
    text: newsWords(line),
    at: line.newest.at,
  })),
]

/** What its number in a command stands for: of what is decided here its own id. */
export const numberedId = ({ id, type }: Pick<Inbox['items'][number], 'id' | 'type'>): string =>
  type === 'question' || type === 'permission' || type === 'approval'
    ? id.slice(id.indexOf(':') + 1)
    : id

function rowOf({
  id,
  type,
  agent,
  title,
  text,
  since: at,
  settle,
}: Inbox['items'][number]): InboxItem {
  const own = numberedId({ id, type })
  switch (type) {
    case 'question':
      return { kind: 'question', id: own, agent: agent ?? '', text, at }
    case 'permission':
    case 'approval':
      return { kind: 'approval', id: own, agent: agent ?? '', text, at }
    default:
      return { kind: 'other', id: own, what: title, text: settle.join('\n'), at }
  }
}

/** The item that a person means: by its number from 1, or by the beginning of its id. */
export function itemCalled(items: readonly InboxItem[], id: string): InboxItem | undefined {
  return items[Number(id) - 1] ?? items.find((item) => item.id.startsWith(id))
}

export interface InboxOptions {
  /** Index of the selected item. */
  readonly selected: number
  readonly width: number
  readonly height: number
  readonly now: number
  readonly palette: Palette
}

/**
 * The numbered items in at most `height` rows of at most `width` columns, moved so that the
 * selected one is to be seen, with what to press for it.
 */
export function inboxRows(
  items: readonly InboxItem[],
  { selected, width, height, now, palette }: InboxOptions,
): string[] {
  if (items.length === 0)
    return [palette.dim(cut('Nothing waits for you. Escape goes back.', width))]
  const blocks = items.map((item, index) =>
    itemRows(item, { number: index + 1, isSelected: index === selected, width, now, palette }),
  )
  const room = Math.max(1, height - 2)
  const start = blocks.slice(0, selected).reduce((sum, block) => sum + block.length, 0)
  const end = start + (blocks[selected]?.length ?? 0)
  const first = Math.max(0, Math.min(start, Math.max(0, end - room)))
  const item = items[selected]
  return [
    ...blocks.flat().slice(first, first + room),
    '',
    palette.dim(
      cut(`${item === undefined ? '' : KEYS[item.kind]} · ↑ ↓ select · Escape goes back`, width),
    ),
  ].slice(-height)
}

const KEYS: Readonly<Record<InboxItem['kind'], string>> = {
  question: 'Enter: answer it here',
  approval: 'Enter or a: approve · d: deny',
  other: 'settled by the commands below it',
  news: 'c: mark the news as read',
}

const INDENT = '    '

function itemRows(
  item: InboxItem,
  {
    number,
    isSelected,
    width,
    now,
    palette,
  }: { number: number; isSelected: boolean; width: number; now: number; palette: Palette },
): string[] {
  const [sign, words] = headOf(item)
  const head = cut(
    `${isSelected ? '›' : ' '} ${number} ${sign} ${words} · ${relativeTime(item.at, now)}`,
    width,
  )
  const paint = item.kind === 'news' ? palette.active : palette.attention
  const text = wrapText(item.text.trimEnd(), width - INDENT.length).map((row) => `${INDENT}${row}`)
  return [isSelected ? palette.bold(paint(head)) : paint(head), ...text]
}

function headOf(item: InboxItem): [sign: string, words: string] {
  switch (item.kind) {
    case 'question':
      return ['?', `question from ${printableLine(item.agent)}`]
    case 'approval':
      return ['!', `approval asked by ${printableLine(item.agent)}`]
    case 'other':
      return ['!', printableLine(item.what)]
    case 'news':
      return ['●', printableLine(item.what)]
  }
}
