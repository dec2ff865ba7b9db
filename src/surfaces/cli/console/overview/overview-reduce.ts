import type { ConsoleState } from '../state.ts'
import { contentKey, SORTS, type Overview, type OverviewAction } from './overview.ts'
import type { Line } from '../input/line-editor.ts'
import { liveFilter } from './line-meaning.ts'
import { agentKey, overviewRows, selectedRow } from './overview-rows.ts'

/** The state after something happened in the overview. */
export function reduceOverview(state: ConsoleState, action: OverviewAction): ConsoleState {
  const { overview } = state
  const change = (patch: Partial<Overview>): ConsoleState => ({
    ...state,
    overview: { ...overview, ...patch },
  })
  switch (action.type) {
    case 'move': {
      const rows = overviewRows(state)
      const from = selectedRow(state, rows)?.index ?? 0
      const index = Math.max(0, Math.min(rows.length - 1, from + action.by))
      const row = rows[index]
      return row === undefined
        ? state
        : withSelected(change({ selected: { key: row.key, index }, scroll: undefined }))
    }
    case 'filter':
      return withSelected(
        change({ filter: action.filter, line: null, before: null, scroll: undefined }),
      )
    case 'sort':
      return withSelected(
        change({ sort: SORTS[(SORTS.indexOf(overview.sort) + 1) % SORTS.length] ?? 'tree' }),
      )
    case 'tab':
      return change({ tab: action.tab, scroll: undefined })
    case 'focus':
      return change({ focus: action.focus })
    case 'preview-scroll':
      return change({ scroll: action.scroll })
    case 'overview-line':
      return { ...withLine(state, action.line), candidates: [], quitting: false }
    case 'content': {
      const { content } = action
      const contents = {
        ...overview.contents,
        [contentKey(action.tab, action.agent)]: content,
      }
      const changed = change({ contents })
      return content.kind === 'diff'
        ? { ...changed, heads: { ...state.heads, [content.number]: content.head } }
        : changed
    }
  }
}

/**
 * What is written filters as it is written, where no command begins so; a command is for what was
 * selected before. Without a line all is as it was then.
 */
function withLine(state: ConsoleState, line: Line | null): ConsoleState {
  const { overview, viewed } = state
  const { selected, filter } = overview
  const before = overview.before ?? { selected, filter, viewed }
  const live = line === null || state.place !== 'overview' ? null : liveFilter(line.text)
  if (live !== null)
    return withSelected({
      ...state,
      overview: { ...overview, line, before, filter: live, scroll: undefined },
    })
  return withSelected({
    ...state,
    viewed: before.viewed,
    overview: {
      ...overview,
      line,
      before: line === null ? null : before,
      selected: before.selected,
      filter: before.filter,
    },
  })
}

/**
 * As `withSelected`, after something changed that the person did not do: counts where the selected
 * row went away.
 */
export function withSelectedStill(before: ConsoleState, changed: ConsoleState): ConsoleState {
  const state = withSelected(changed)
  const was = before.overview.selected
  if (was === null || state.place !== 'overview' || state.overview.selected?.key === was.key)
    return state
  // One that was not there to be seen, as before anything was known, is no loss.
  return selectedRow(before, overviewRows(before))?.row.key === was.key
    ? { ...state, lost: state.lost + 1 }
    : state
}

/**
 * The agent of the selected row is the one that is viewed, also where rows came or went. What is
 * selected by itself stays so once it is known what needs the person.
 */
export function withSelected(state: ConsoleState): ConsoleState {
  if (state.place !== 'overview' || state.tree === null) return state
  const found = selectedRow(state, overviewRows(state))
  if (found === undefined) return state
  const { row, index } = found
  const { selected, filter } = state.overview
  const kept =
    (selected === null && filter === '' && state.inbox === null) ||
    (selected?.key === row.key && selected.index === index)
      ? state
      : { ...state, overview: { ...state.overview, selected: { key: row.key, index } } }
  return row.agent === null || row.agent === kept.viewed
    ? kept
    : { ...kept, viewed: row.agent, candidates: [] }
}

/** Another agent is viewed: it is selected, where that isn’t about it already. */
export function selecting(state: ConsoleState, agent: string): Overview {
  const rows = overviewRows(state)
  const now = selectedRow(state, rows)
  if (state.overview.selected !== null && now?.row.agent === agent) return state.overview
  const index = rows.findIndex(({ key }) => key === agentKey(agent))
  return {
    ...state.overview,
    // One that the filter keeps out could not be seen.
    filter: index < 0 ? '' : state.overview.filter,
    selected: { key: agentKey(agent), index: Math.max(0, index) },
    scroll: undefined,
  }
}
