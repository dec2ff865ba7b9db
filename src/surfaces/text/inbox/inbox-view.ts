import type { ItemType } from '../../../domain/inbox-items.ts'
import { fold } from '../fold.ts'
import type { Inbox } from './inbox-answer.ts'
import { indented } from '../indented.ts'
import { itemOwnText, newsWords } from './inbox-words.ts'
import type { Palette } from '../palette.ts'
import { printableLine } from '../printable.ts'
import { relativeTime } from '../relative-time.ts'
import { renderTable } from '../table.ts'

type Item = Inbox['items'][number]
type NewsLine = Inbox['news'][number]

interface Options {
  /** Columns; no line is wider, but for commands, which are to be copied. */
  readonly width: number
  readonly palette: Palette
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** What needs the person, numbered, then a line of news for each agent. */
export function inboxLines(
  { items, news, messages }: Pick<Inbox, 'items' | 'news' | 'messages'>,
  options: Options & {
    readonly all: boolean
    readonly clear: boolean
    readonly agent?: string | undefined
    readonly type?: string | undefined
  },
): string[] {
  const { palette, width } = options
  const folded = options.all ? wholeNews(news, messages, options) : newsTable(news, options)
  const hints = [
    ...(items.length > 0
      ? ['exomonad next shows the first whole, exomonad inbox NUMBER another']
      : []),
    ...(news.length > 0 && !options.clear
      ? ['exomonad inbox --clear marks the news as read, --all shows it whole']
      : []),
  ]
  const blocks = [
    items.length === 0 ? [nothingNeeds(options)] : itemTable(items, options),
    folded,
    hints.flatMap((hint) => fold(hint, width).split('\n')).map(palette.dim),
  ].filter((block) => block.length > 0)
  return blocks.flatMap((block, index) => (index === 0 ? block : ['', ...block]))
}

/** `agent` and `type`: what the items were narrowed to. */
export const nothingNeeds = ({
  agent,
  type,
}: {
  readonly agent?: string | undefined
  readonly type?: string | undefined
}): string =>
  agent === undefined && type === undefined ? 'Nothing needs you' : 'Nothing of that needs you'

function itemTable(items: readonly Item[], { now, ...options }: Options): string[] {
  const { palette } = options
  return renderTable(
    [
      { title: '#', align: 'end' },
      { title: 'TYPE' },
      { title: 'NEEDS YOU', min: 16 },
      { title: 'SINCE' },
    ],
    items.map(({ number, type, title, since }) => [
      { text: String(number), paint: palette.bold },
      { text: type, paint: type === 'failed' ? palette.bad : palette.attention },
      printableLine(title),
      { text: relativeTime(since, now), paint: palette.dim },
    ]),
    options,
  )
}

function newsTable(news: readonly NewsLine[], { now, ...options }: Options): string[] {
  if (news.length === 0) return []
  const { palette } = options
  return renderTable(
    [{ title: 'FROM', min: 6 }, { title: 'NEWS', min: 16 }, { title: 'NEWEST' }],
    news.map((line) => [
      { text: printableLine(line.agent ?? 'exomonad'), paint: palette.bold },
      newsWords(line),
      { text: relativeTime(line.newest.at, now), paint: palette.dim },
    ]),
    options,
  )
}

function wholeNews(
  news: readonly NewsLine[],
  messages: Inbox['messages'],
  { palette, now }: Options,
): string[] {
  const byId = new Map(messages.map((message) => [message.id, message]))
  const whole = news.flatMap((line) =>
    line.messages.flatMap((id) => {
      const message = byId.get(id)
      return message === undefined ? [] : [{ message, agent: line.agent ?? 'exomonad' }]
    }),
  )
  return whole.flatMap(({ message, agent }, index) => [
    ...(index === 0 ? [] : ['']),
    `${palette.active('●')} ${palette.bold(printableLine(agent))} ${printableLine(message.kind)} ${palette.dim(relativeTime(message.at, now))}`,
    ...indented(message.text),
  ])
}

/** How an item is settled by its number, where that is possible. */
const BY_NUMBER: Readonly<Partial<Record<ItemType, string>>> = {
  question: '--answer "…"',
  permission: '--approve or --deny',
  approval: '--approve or --deny',
  pull: '--merge',
}

/** One item, whole, with the commands that settle it. */
export function itemLines(item: Item, { width, palette, now }: Options): string[] {
  const { number, id, type, title, since, settle } = item
  const bare = itemOwnText(item)
  const words = printableLine(title)
  const short = BY_NUMBER[type]
  return [
    `${palette.attention(`${number} ${type}`)} ${palette.dim(`${relativeTime(since, now)} · ${printableLine(id)}`)}`,
    ...fold(words, width).split('\n').map(palette.bold),
    ...(bare === '' ? [] : ['', ...fold(indented(bare).join('\n'), width).split('\n')]),
    '',
    'What settles it:',
    ...settle.map((command) => `  ${printableLine(command)}`),
    ...(short === undefined
      ? []
      : fold(`By its number: exomonad inbox ${number} ${short}`, width)
          .split('\n')
          .map(palette.dim)),
  ]
}
