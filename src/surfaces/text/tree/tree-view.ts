import type { TreeNode, TreeView } from '../../../core/agents/tree-document.ts'
import { hasFailed, shownState } from '../../../domain/tree-filters.ts'
import type { Palette } from '../palette.ts'
import { printableLine } from '../printable.ts'
import { needWords } from '../need-words.ts'
import { plural, shortCount, shortMoney } from '../quantity.ts'
import { forgeWords } from '../forge-words.ts'
import { brokenLine } from './broken-line.ts'
import { nodesOf, rowsOf, type Row } from './rows.ts'
import { tableOf } from './tree-table.ts'
import { cut, displayWidth } from '../width.ts'

export interface TreeOptions {
  /** Columns of the terminal; no line is wider. */
  readonly width: number
  readonly palette: Palette
  /**
   * At most so many lines: agents that don’t fit are counted, what waits for the human is always
   * shown.
   */
  readonly height?: number
  /** Lines of agents that are left out at the top, where not all fit. */
  readonly scroll?: number
  /** Finished branches too take a line for each agent. */
  readonly all?: boolean
  /** Counts up while the tree is watched: turns the symbol of running agents. */
  readonly frame?: number
}

/** The tree of agents as lines for a terminal. Pure; text from agents is made printable. */
export const renderTree = (view: TreeView, options: TreeOptions): string[] =>
  layOutTree(view, options).lines

/** The same with how far it can be scrolled, and by how many lines at once. */
export function layOutTree(
  view: TreeView,
  options: TreeOptions,
): { readonly lines: string[]; readonly mostScroll: number; readonly page: number } {
  const nodes = nodesOf(view.root).filter(({ matches }) => matches)
  const rows = rowsOf(view.root, { fold: options.all !== true })
  const [titles = '', ...body] = tableOf(rows, options)
  const before = [...headline(view, nodes, options), '']
  const after = [
    ...forgeLine(view, options),
    ...brokenLine(nodes, options),
    ...waiting(view, options),
  ]
  const room = Math.max(
    2,
    (options.height ?? Number.POSITIVE_INFINITY) - before.length - after.length - 1,
  )
  const page = Math.max(1, room - 1)
  if (body.length <= room)
    return { lines: [...before, titles, ...body, ...after], mostScroll: 0, page }
  const mostScroll = body.length - page
  const from = Math.min(options.scroll ?? 0, mostScroll)
  const shown = body.slice(from, from + page)
  const more = options.palette.dim(cut(moreWords(rows, from, from + page), options.width))
  return { lines: [...before, titles, ...shown, more, ...after], mostScroll, page }
}

/** How many agents have no room, in all or above and below. */
function moreWords(rows: readonly Row[], from: number, to: number): string {
  const count = (some: readonly Row[]): number =>
    some.reduce((sum, { folded }) => sum + 1 + folded, 0)
  const above = count(rows.slice(0, from))
  const below = count(rows.slice(to))
  if (above === 0) return `… ${plural(below, 'more agent', 'more agents')}`
  return below === 0 ? `… ${above} above` : `… ${above} above, ${below} below`
}

/** One line about all of them: counts the words that the rows say. */
export function headline(
  view: TreeView,
  nodes: readonly TreeNode[],
  { width, palette }: TreeOptions,
): string[] {
  const counted = nodes.filter(({ id }) => id !== view.root.id)
  const byWord = Map.groupBy(counted, shownState)
  const total = view.counts.agents
  const parts = [
    counted.length === total
      ? plural(total, 'agent')
      : `${counted.length} of ${plural(total, 'agent')}`,
    ...COUNTED.flatMap((word) => {
      const count = byWord.get(word)?.length ?? 0
      return count === 0 ? [] : [`${count} ${word}`]
    }),
    ...spending(nodes),
  ]
  const whole = printableLine(view.repository)
  const roomFor = (): number => width - 2 - 2 - displayWidth(parts.join(' · '))
  while (roomFor() < Math.min(8, displayWidth(whole)) && parts.length > 1) parts.pop()
  if (roomFor() < Math.min(8, displayWidth(whole))) return [cut(`◆ ${whole}`, width)]
  const counts = parts.join(' · ')
  const repository = cut(whole, roomFor())
  const room = width - 2 - displayWidth(repository) - displayWidth(counts)
  const paint = counted.some(hasFailed) ? palette.bad : palette.dim
  return [`${palette.active('◆')} ${palette.bold(repository)}${' '.repeat(room)}${paint(counts)}`]
}

/** What is under way before what is over. */
const COUNTED = [
  'running',
  'spawning',
  'waiting',
  'unknown',
  'idle',
  'failed',
  'gave up',
  'stopped',
  'done',
  'completed',
  'merged',
  'killed',
]

/** What all that are shown used together. */
function spending(nodes: readonly TreeNode[]): string[] {
  const tokens = nodes.reduce((sum, node) => sum + node.tokens, 0)
  const priced = nodes.flatMap(({ cost_usd: cost }) => (cost === null ? [] : [cost]))
  const unpriced = nodes.some(({ unpriced_models: models }) => models.length > 0)
  return [
    ...(tokens > 0 ? [`${shortCount(tokens)} tokens`] : []),
    ...(priced.length > 0
      ? [`${shortMoney(priced.reduce((sum, cost) => sum + cost, 0))}${unpriced ? '+' : ''}`]
      : []),
  ]
}

/** Which command prints all of a line that has no room here. */
const ALL_OF_IT = ' exomonad doctor'

/** The forge where something is to be said of it, below the table. */
function forgeLine({ forge }: TreeView, { width, palette }: TreeOptions): string[] {
  const words = forgeWords(forge)
  if (words === null) return []
  const line = `! ${words}`
  return [
    '',
    palette.attention(
      displayWidth(line) <= width
        ? line
        : `${cut(line, Math.max(1, width - ALL_OF_IT.length))}${ALL_OF_IT}`,
    ),
  ]
}

/** What needs the person; where nothing does, what else is new. */
function waiting({ inbox }: TreeView, { width, palette }: TreeOptions): string[] {
  const { items, news } = inbox
  if (items > 0)
    return [
      '',
      palette.attention(
        cut(
          `! ${needWords(inbox)} you: ${items === 1 ? 'exomonad next' : 'exomonad inbox'}`,
          width,
        ),
      ),
    ]
  return news === 0
    ? []
    : ['', palette.dim(cut(`${plural(news, 'message')} for you: exomonad inbox`, width))]
}
