import type { TreeNode, TreeView } from '../../core/agents/tree-document.ts'
import { shortDuration } from './duration.ts'
import type { Palette } from './palette.ts'
import { printableLine } from './printable.ts'
import { needWords } from './need-words.ts'
import { plural, shortCount, shortMoney } from './quantity.ts'
import { forgeWords } from './forge-words.ts'
import {
  agentState,
  checksCell,
  costCell,
  pullCell,
  ranSeconds,
  sinceCell,
  tokensCell,
} from './tree-cells.ts'
import { renderTable, type Cell, type Column } from './table.ts'
import { cut, displayWidth } from './width.ts'

export interface TreeOptions {
  /** Columns of the terminal; no line is wider. */
  readonly width: number
  readonly palette: Palette
  /**
   * At most so many lines: agents that don’t fit are counted, what waits for the human is always
   * shown.
   */
  readonly height?: number
  /** Counts up while the tree is watched: turns the symbol of running agents. */
  readonly frame?: number
}

interface Row {
  readonly node: TreeNode
  /** `│  ├─ ` and so on. */
  readonly guides: string
  readonly parentBranch: string | null
}

/** In the order in which columns are left out where even cut cells don’t fit. */
type ColumnName =
  | 'kind'
  | 'age'
  | 'since'
  | 'cost'
  | 'tokens'
  | 'checks'
  | 'mail'
  | 'pr'
  | 'state'
  | 'branch'
const SACRIFICE: readonly ColumnName[] = [
  'kind',
  'age',
  'since',
  'cost',
  'tokens',
  'checks',
  'mail',
  'pr',
  'state',
]

/** Columns that nothing is to be seen in leave their room to the others. */
const ONLY_WHERE_FILLED: ReadonlySet<ColumnName> = new Set(['checks', 'tokens', 'cost', 'mail'])

const COLUMNS: Readonly<Record<ColumnName, Column & { readonly min: number }>> = {
  branch: { title: 'BRANCH', min: 14 },
  kind: { title: 'KIND', min: 7 },
  state: { title: 'STATE', min: 10 },
  since: { title: 'SINCE', min: 8 },
  pr: { title: 'PR', min: 9 },
  checks: { title: 'CHECKS', min: 8 },
  tokens: { title: 'TOKENS', min: 6, align: 'end' },
  cost: { title: 'COST', min: 7, align: 'end' },
  age: { title: 'AGE', min: 3, align: 'end' },
  mail: { title: 'MAIL', min: 4, align: 'end' },
}

/** The tree of agents as lines for a terminal. Pure; text from agents is made printable. */
export function renderTree(view: TreeView, options: TreeOptions): string[] {
  const rows = flatten(view.root)
  const all = new Map(
    (Object.keys(COLUMNS) as ColumnName[]).map((name) => [
      name,
      rows.map((row) => cellOf(name, row, options)),
    ]),
  )
  const names = columnsThatFit(all, options.width)
  const cells = rows.map((_, index) => names.map((name) => all.get(name)?.[index] ?? ''))
  const table = renderTable(
    names.map((name) => COLUMNS[name]),
    cells,
    options,
  )
  const before = [...headline(view, options), '']
  const after = [...forgeLine(view, options), ...waiting(view, options)]
  const room = Math.max(
    3,
    (options.height ?? Number.POSITIVE_INFINITY) - before.length - after.length,
  )
  const hidden = table.length - room + 1
  const shown =
    table.length <= room
      ? table
      : [
          ...table.slice(0, room - 1),
          options.palette.dim(
            cut(`… ${plural(hidden, 'more agent', 'more agents')}`, options.width),
          ),
        ]
  return [...before, ...shown, ...after]
}

/** Parents before children, with the lines that connect them. */
function flatten(root: TreeNode): Row[] {
  const rows: Row[] = []
  const visit = (
    node: TreeNode,
    before: string,
    connector: string,
    parentBranch: string | null,
  ): void => {
    rows.push({ node, guides: before + connector, parentBranch })
    const below = before + (connector === '' ? '' : connector === '└─ ' ? '   ' : '│  ')
    for (const [index, child] of node.children.entries())
      visit(child, below, index === node.children.length - 1 ? '└─ ' : '├─ ', node.branch)
  }
  visit(root, '', '', null)
  return rows
}

function columnsThatFit(
  cells: ReadonlyMap<ColumnName, readonly Cell[]>,
  width: number,
): ColumnName[] {
  const names = [...cells]
    .filter(
      ([name, column]) => !ONLY_WHERE_FILLED.has(name) || column.some(({ text }) => text !== ''),
    )
    .map(([name]) => name)
  const least = (): number =>
    names.reduce((sum, name) => sum + COLUMNS[name].min, 2 * (names.length - 1))
  for (const name of SACRIFICE)
    if (least() > width && names.includes(name)) names.splice(names.indexOf(name), 1)
  return names
}

function cellOf(
  name: ColumnName,
  { node, guides, parentBranch }: Row,
  { palette, frame = 0 }: TreeOptions,
): Cell {
  switch (name) {
    case 'branch':
      return {
        text: guides + branchLabel(node, parentBranch),
        paint: (text) => paintBranch(text, guides.length, palette),
      }
    case 'kind':
      return { text: printableLine(node.kind), paint: palette.dim }
    case 'state':
      return agentState(node, palette, frame)
    case 'since':
      return sinceCell(node, palette)
    case 'pr':
      return pullCell(node, palette)
    case 'checks':
      return checksCell(node, palette)
    case 'tokens':
      return tokensCell(node, palette)
    case 'cost':
      return costCell(node, palette)
    case 'age':
      return { text: shortDuration(ranSeconds(node)), paint: palette.dim }
    case 'mail':
      return mailCell(node, palette)
  }
}

/**
 * The part of the branch that this agent adds to its parent’s; its name too where that is another.
 */
function branchLabel(node: TreeNode, parentBranch: string | null): string {
  const branch = printableLine(node.branch)
  const name = printableLine(node.name)
  if (parentBranch === null) return branch
  if (node.branch === parentBranch) return `(${name})`
  const added = node.branch.startsWith(`${parentBranch}.`)
    ? branch.slice(printableLine(parentBranch).length)
    : branch
  return added.endsWith(name) ? added : `${added} (${name})`
}

const paintBranch = (text: string, guides: number, palette: Palette): string =>
  palette.dim(text.slice(0, guides)) + palette.bold(text.slice(guides))

/** Messages on their way; `!` marks those of which nobody knows whether they arrived. */
function mailCell(node: TreeNode, palette: Palette): Cell {
  if (node.undecided > 0)
    return {
      text: `${node.undecided}!${node.undelivered > 0 ? ` ${node.undelivered}` : ''}`,
      paint: palette.bad,
    }
  return { text: node.undelivered === 0 ? '' : String(node.undelivered), paint: palette.attention }
}

function headline(view: TreeView, { width, palette }: TreeOptions): string[] {
  const { agents, live, done, failed } = view.counts
  const counts = [
    plural(agents, 'agent'),
    `${live} live`,
    `${done} done`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...spending(view.root),
  ].join(' · ')
  const whole = printableLine(view.repository)
  const forName = width - 2 - 2 - displayWidth(counts)
  if (forName < Math.min(8, displayWidth(whole))) return [cut(`◆ ${whole}`, width)]
  const repository = cut(whole, forName)
  const room = width - 2 - displayWidth(repository) - displayWidth(counts)
  return [
    `${palette.active('◆')} ${palette.bold(repository)}${' '.repeat(room)}${failed > 0 ? palette.bad(counts) : palette.dim(counts)}`,
  ]
}

/** What all that are shown used together. */
function spending(root: TreeNode): string[] {
  const nodes = flatten(root).map(({ node }) => node)
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
