import type { KeyHint } from '../rows/key-bar.ts'
import type { ConsoleState } from '../state.ts'
import type { NeedsYou, OverviewRow } from './overview-rows.ts'

/** The pull request that a row is about; undefined where it has none. */
export function pullOf(
  row: OverviewRow,
  state: Pick<ConsoleState, 'rotation'>,
): number | undefined {
  if (row.kind === 'item' && row.item.type === 'pull') return pullNumberOf(row.item)
  return state.rotation.find(({ id }) => id === row.agent)?.pr?.number
}

const pullNumberOf = ({ id }: NeedsYou): number | undefined => {
  const number = Number(ownId(id))
  return Number.isInteger(number) ? number : undefined
}

/** An item’s id without its type. */
export const ownId = (id: string): string => id.slice(id.indexOf(':') + 1)

/** What Enter does with a row. */
export type Act = 'answer' | 'decide' | 'attach' | 'merge' | 'review' | 'open' | 'show'

export function actOf(row: OverviewRow): Act {
  if (row.kind === 'agent') return 'open'
  switch (row.item.type) {
    case 'question':
      return 'answer'
    case 'permission':
    case 'approval':
      return 'decide'
    case 'terminal':
      return row.agent === null ? 'show' : 'attach'
    case 'pull':
      // Only what can be merged says how.
      return row.item.settle.some((command) => command.startsWith('exomonad pr merge '))
        ? 'merge'
        : 'review'
    default:
      return row.agent === null ? 'show' : 'open'
  }
}

const ACTS: Readonly<Record<Act, string>> = {
  answer: 'answer',
  decide: 'approve or deny',
  attach: 'its terminal',
  merge: 'merge',
  review: 'review',
  open: 'talk to it',
  show: 'show',
}

/** The keys of the overview, what matters most first; `?` last. */
export function overviewKeys(state: ConsoleState, row: OverviewRow | undefined): KeyHint[] {
  const { focus } = state.overview
  if (state.quitting)
    return [
      ['Ctrl-C', 'again leaves; agents go on'],
      ['?', 'keys'],
    ]
  return [
    ...(row === undefined ? [] : [['Enter', ACTS[actOf(row)]] as const]),
    ...(state.waits[state.viewed] === undefined ? [] : [['Escape', 'ends the wait'] as const]),
    ...(row !== undefined && pullOf(row, state) !== undefined ? [['d', 'diff'] as const] : []),
    ['Tab', focus === 'list' ? 'preview' : 'list'],
    ['/', state.overview.filter === '' ? 'filter, commands' : 'filter'],
    ['s', 'sort'],
    ['1-5', 'tabs'],
    ...(row?.agent == null ? [] : [['x', 'kill'] as const]),
    ['q', 'leave'],
    ['?', 'keys'],
  ]
}
