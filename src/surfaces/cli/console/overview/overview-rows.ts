import type { TreeNode } from '../../../../core/agents/tree-document.ts'
import { shownState, STATE_ORDER } from '../../../../domain/tree-filters.ts'
import type { Inbox } from '../../../text/inbox/inbox-answer.ts'
import { rowsOf, type Row as TreeRow } from '../../../text/tree/rows.ts'
import { asWaiting } from '../own-waits.ts'
import { hasEnded, rotationOf } from '../rotation.ts'
import { numberedId } from '../rows/inbox-rows.ts'
import { isUnmanned, type ConsoleState } from '../state.ts'
import type { Sort } from './overview.ts'

export type NeedsYou = Inbox['items'][number]

/** A row of the overview’s list: what needs the person comes first, then the agents. */
export type OverviewRow =
  | {
      readonly kind: 'item'
      readonly key: string
      /** Whom it is about, where that one is in the tree. */
      readonly agent: string | null
      readonly item: NeedsYou
      /** As commands call it, from 1; null where it came while one is written. */
      readonly number: number | null
    }
  | {
      readonly kind: 'agent'
      readonly key: string
      readonly agent: string
      readonly row: TreeRow
    }

type Facts = Pick<ConsoleState, 'tree' | 'inbox' | 'numbered' | 'rotation' | 'waits' | 'overview'>

/** All rows that the filter lets through. */
export function overviewRows(state: Facts): OverviewRow[] {
  if (state.tree === null) return []
  const { filter, sort } = state.overview
  const numbers = new Map(state.numbered.map((id, index) => [id, index + 1]))
  const items = (state.inbox?.items ?? []).map((item): OverviewRow => ({
    kind: 'item',
    key: `item ${item.id}`,
    agent: state.rotation.find(({ id }) => id === item.agent_id)?.id ?? null,
    item,
    number: numbers.get(numberedId(item)) ?? null,
  }))
  const agents = treeRows(
    state.tree.root,
    filter === '' ? sort : sort === 'tree' ? 'flat' : sort,
  ).map((row): OverviewRow => ({
    kind: 'agent',
    key: agentKey(row.node.id),
    agent: row.node.id,
    row: { ...row, node: asWaiting(row.node, state.waits) },
  }))
  return [...items, ...agents].filter((row) => isMeant(row, filter))
}

export const agentKey = (id: string): string => `agent ${id}`

/** In another order than the tree’s there are no lines that connect them. */
function treeRows(root: TreeNode, sort: Sort | 'flat'): TreeRow[] {
  if (sort === 'tree') return rowsOf(root, { fold: false })
  const flat = rotationOf(root).map((node) => ({
    node,
    guides: '',
    parentBranch: node.id === root.id ? null : root.branch,
    folded: 0,
  }))
  return sort === 'flat' ? flat : flat.toSorted((a, b) => ORDERS[sort](a.node, b.node))
}

const ORDERS: Readonly<Record<Exclude<Sort, 'tree'>, (a: TreeNode, b: TreeNode) => number>> = {
  name: (a, b) => a.name.localeCompare(b.name),
  state: (a, b) => rank(a) - rank(b) || a.state_age_seconds - b.state_age_seconds,
  age: (a, b) => a.state_age_seconds - b.state_age_seconds,
}

const rank = (node: TreeNode): number => {
  const at = STATE_ORDER.indexOf(shownState(node))
  return at < 0 ? STATE_ORDER.length : at
}

/** Every word of the filter is in what the row says. */
function isMeant(row: OverviewRow, filter: string): boolean {
  if (filter === '') return true
  const said = (
    row.kind === 'item'
      ? [row.item.type, row.item.agent ?? '', row.item.title, row.item.text]
      : textOf(row.row.node)
  )
    .join(' ')
    .toLowerCase()
  return filter.split(/\s+/).every((word) => said.includes(word))
}

const textOf = (node: TreeNode): string[] => [
  node.name,
  // Of what shares a branch it is the parent’s.
  node.short,
  node.branch.split('.').at(-1) ?? '',
  shownState(node),
  node.task,
  node.command ?? '',
  node.pr === null ? '' : `#${node.pr.number}`,
]

/** The row that is selected, and where it stands; undefined where there is none. */
export function selectedRow(
  state: Facts & Pick<ConsoleState, 'viewed'>,
  rows: readonly OverviewRow[],
): { readonly row: OverviewRow; readonly index: number } | undefined {
  const { selected } = state.overview
  const index = selected === null ? first(rows, state.viewed) : indexOf(rows, selected)
  const row = rows[index]
  return row === undefined ? undefined : { row, index }
}

/** What needs the person, else the agent that is viewed; of a root without a program one below. */
function first(rows: readonly OverviewRow[], viewed: string): number {
  if (rows[0]?.kind === 'item') return 0
  const shown = rows.findIndex(({ key }) => key === agentKey(viewed))
  const row = rows[shown]
  if (row?.kind !== 'agent' || !isUnmanned(row.row.node)) return Math.max(0, shown)
  const living = rows.findIndex(
    (one) => one.kind === 'agent' && one.row.node.kind !== 'root' && !hasEnded(one.row.node),
  )
  return living < 0 ? shown : living
}

/** Of a row that is gone the one that stands in its place now. */
function indexOf(
  rows: readonly OverviewRow[],
  { key, index }: { readonly key: string; readonly index: number },
): number {
  const same = rows.findIndex((row) => row.key === key)
  return same >= 0 ? same : Math.max(0, Math.min(index, rows.length - 1))
}
