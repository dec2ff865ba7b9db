import type { Acting } from '../input/acting.ts'
import { complete } from '../input/completion.ts'
import { edit, EMPTY, type Line } from '../input/line-editor.ts'
import { keyActions } from '../input/key-table.ts'
import type { Key } from '../input/keys.ts'
import { push } from '../input/input-history.ts'
import { parseLine } from '../input/parse-line.ts'
import type { Lines } from '../run-line.ts'
import { nodeOf, type Action, type ConsoleState } from '../state.ts'
import type { Store } from '../store.ts'
import { commandIn, filterIn } from './line-meaning.ts'
import { OVERVIEW_KEYS, type OverviewDoes } from './overview-key-table.ts'
import { actOf, ownId, pullOf } from './overview-keys.ts'
import { overviewRows, selectedRow, type OverviewRow } from './overview-rows.ts'
import { TABS, type Tab } from './overview.ts'

export interface OverviewPress {
  press(key: Key): void
  /** Writes in the line that filters or commands; false where none is open. */
  inLine(key: Key): boolean
  /** Begins that line. */
  beginLine(sign: string): void
  /** Goes back from what is open in it; false where nothing is. */
  escape(): boolean
}

/** Does what keys mean in the overview. */
export function createOverviewPress(options: {
  store: Store<ConsoleState, Action>
  lines: Lines
  acting: Acting
  leave: () => void
  /** Scrolls the preview by rows, or by a page. */
  scroll: { by(rows: number): void; page(pages: 1 | -1): void }
}): OverviewPress {
  const { store, lines, acting, leave, scroll } = options
  const { get, dispatch } = store

  const run = (text: string): void => {
    const state = get()
    const line = parseLine(text)
    dispatch({ type: 'overview-line', line: null })
    dispatch({ type: 'history', history: push(state.history, text), text: null })
    // What is written next is for the child, or its capture.
    if (line.kind === 'capture' || line.kind === 'fork' || line.kind === 'say')
      dispatch({ type: 'place', place: 'conversation' })
    void lines.run(line, get().viewed)
  }

  const submit = (line: Line): void => {
    const command = commandIn(line.text)
    const isFilter = command === null && get().place === 'overview'
    if (isFilter) return dispatch({ type: 'filter', filter: filterIn(line.text) })
    run(command ?? line.text)
  }

  const completed = (line: Line): void => {
    const sign = line.text.slice(0, 1)
    const asCommand = { ...line, text: `/${line.text.slice(1)}` }
    const completion = complete(asCommand, get().rotation)
    const text = `${sign}${completion.line.text.slice(1)}`
    dispatch({ type: 'overview-line', line: { ...completion.line, text } })
    dispatch({ type: 'candidates', candidates: completion.candidates })
  }

  const inLine = (key: Key): boolean => {
    const { line } = get().overview
    if (line === null) return false
    if (key.kind === 'submit') submit(line)
    else if (key.kind === 'complete') completed(line)
    else if (key.kind === 'edit') {
      const changed = edit(line, key.action)
      dispatch({ type: 'overview-line', line: changed.text === '' ? null : changed })
    }
    return true
  }

  const beginLine = (sign: string): void =>
    dispatch({ type: 'overview-line', line: edit(EMPTY, { kind: 'insert', text: sign }) })

  const act = (row: OverviewRow): void => {
    const item = row.kind === 'item' ? row.item : null
    const agent = item?.agent ?? ''
    const id = item === null ? '' : ownId(item.id)
    const what = item?.text ?? ''
    switch (actOf(row)) {
      case 'answer':
        return dispatch({
          type: 'ask',
          ask: { kind: 'answer', agent, questionId: id, what, line: EMPTY },
        })
      case 'decide':
        return dispatch({
          type: 'ask',
          ask: { kind: 'decide', agent, approvalId: id, what },
        })
      case 'attach':
        return void lines.run({ kind: 'attach' }, get().viewed)
      case 'merge':
        return void lines.run({ kind: 'merge', number: Number(id) }, get().viewed)
      case 'review':
        return void lines.run({ kind: 'diff', number: Number(id) }, get().viewed)
      case 'open':
        return dispatch({ type: 'place', place: 'conversation' })
      case 'show':
        return dispatch({
          type: 'overlay',
          overlay: {
            kind: 'rows',
            rows: item === null ? [] : [item.title, '', item.text, '', ...item.settle],
            scroll: 0,
          },
        })
    }
  }

  const rowNow = (): OverviewRow | undefined => {
    const state = get()
    return selectedRow(state, overviewRows(state))?.row
  }

  /** With a number, for what is selected may be a pull request that no agent filed. */
  const withPull = (kind: 'diff' | 'merge'): void => {
    const row = rowNow()
    const number = row === undefined ? undefined : pullOf(row, get())
    void lines.run({ kind, ...(number === undefined ? {} : { number }) }, get().viewed)
  }

  const kill = (): void => {
    const row = rowNow()
    const node = row?.agent == null ? undefined : nodeOf(get(), row.agent)
    if (node !== undefined) lines.askKill(node)
  }

  const tabBy = (by: 1 | -1): void => {
    const at = TABS.indexOf(get().overview.tab) + by
    dispatch({ type: 'tab', tab: TABS[(at + TABS.length) % TABS.length] ?? 'terminal' })
  }

  const move = (by: number): void => {
    if (get().overview.focus === 'list') dispatch({ type: 'move', by })
    else scroll.by(by)
  }

  const tab = (shown: Tab) => (): void => dispatch({ type: 'tab', tab: shown })
  const does: Readonly<Record<OverviewDoes, () => void>> = {
    up: () => move(-1),
    down: () => move(1),
    first: () => move(Number.NEGATIVE_INFINITY),
    last: () => move(Number.POSITIVE_INFINITY),
    act: () => {
      const row = rowNow()
      if (row !== undefined) acting(() => act(row))
    },
    focus: () =>
      dispatch({ type: 'focus', focus: get().overview.focus === 'list' ? 'preview' : 'list' }),
    terminal: tab('terminal'),
    diff: tab('diff'),
    task: tab('task'),
    timeline: tab('timeline'),
    mail: tab('mail'),
    'tab-before': () => tabBy(-1),
    'tab-after': () => tabBy(1),
    'page-up': () => scroll.page(-1),
    'page-down': () => scroll.page(1),
    sort: () => dispatch({ type: 'sort' }),
    'open-diff': () => acting(() => withPull('diff')),
    merge: () => acting(() => withPull('merge')),
    attach: () => acting(() => void lines.run({ kind: 'attach' }, get().viewed)),
    inbox: () => void lines.run({ kind: 'inbox', clear: false }, get().viewed),
    kill: () => acting(kill),
    radar: () => void lines.run({ kind: 'radar' }, get().viewed),
    fold: () => void lines.run({ kind: 'fold' }, get().viewed),
    help: () => void lines.run({ kind: 'help' }, get().viewed),
    leave,
  }
  const actionOf = keyActions(OVERVIEW_KEYS)
  const press = (key: Key): void => {
    const action = actionOf(key)
    if (action !== undefined) does[action]()
  }

  return {
    press,
    inLine,
    beginLine,
    escape: () => {
      const { overview, viewed } = get()
      if (overview.line !== null) dispatch({ type: 'overview-line', line: null })
      else if (lines.interrupt(viewed)) return true
      else if (overview.focus === 'preview') dispatch({ type: 'focus', focus: 'list' })
      else if (overview.filter !== '') dispatch({ type: 'filter', filter: '' })
      else return false
      return true
    },
  }
}
