import { complete } from './completion.ts'
import { scrolled } from '../rows/compose-scrollback.ts'
import type { Frame } from '../frame.ts'
import { itemsOf } from '../rows/inbox-rows.ts'
import { newer, older, push } from './input-history.ts'
import type { Key } from './keys.ts'
import { edit, EMPTY, type Edit, type Line } from './line-editor.ts'
import { parseLine, type ConsoleLine } from './parse-line.ts'
import type { Lines } from '../run-line.ts'
import { inputFor, lineOf, viewOf, type Action, type Ask, type ConsoleState } from '../state.ts'
import type { Store } from '../store.ts'

/**
 * Does what keys mean, in the order in which they are pressed. `seen` returns the frame that is on
 * the screen.
 */
export function createPress(options: {
  store: Store<ConsoleState, Action>
  lines: Lines
  quit: () => void
  seen: () => Frame['scrolling']
}): (key: Key) => void {
  const { store, lines, quit, seen } = options
  const { get, dispatch } = store
  // Typed ahead, while the view is about to move: it is for where it moves to.
  const ahead: Key[] = []
  const catchUp = (done: boolean): void => {
    while (get().moving === null) {
      const key = ahead.shift()
      if (key === undefined) return
      // It did not move: that was not meant for the agent that is still viewed.
      press(
        !done && key.kind === 'submit'
          ? { kind: 'edit', action: { kind: 'insert', text: '\n' } }
          : key,
      )
    }
  }

  const scrollBy = (by: number): void => {
    const { scroll, total, height } = seen()
    dispatch({ type: 'scroll', scroll: scrolled(scroll, by, total, height) })
  }
  const page = (): number => Math.max(1, seen().height - 1)

  const submit = (): void => {
    const state = get()
    const { text } = lineOf(state)
    if (text.trim() === '') return
    dispatch({ type: 'submitted', history: push(state.history, text) })
    void lines.run(parseLine(text), state.viewed).then(catchUp)
  }

  const interrupt = (): void => {
    const state = get()
    if (state.quitting) return quit()
    if (state.ask !== null) return dispatch({ type: 'ask', ask: null })
    if (state.overlay !== null) return dispatch({ type: 'overlay', overlay: null })
    if (lineOf(state).text !== '') return dispatch({ type: 'draft', line: EMPTY })
    dispatch({ type: 'quitting', quitting: true })
  }

  const escape = (): void => {
    const state = get()
    if (state.ask !== null) return dispatch({ type: 'ask', ask: null })
    if (state.overlay !== null) return dispatch({ type: 'overlay', overlay: null })
    if (state.candidates.length > 0) return dispatch({ type: 'candidates', candidates: [] })
    if (lines.interrupt(state.viewed)) return
    if (viewOf(state, state.viewed).scroll !== null) dispatch({ type: 'scroll', scroll: null })
  }

  const inAsk = (ask: Ask, key: Key): void => {
    if (ask.kind === 'kill') {
      dispatch({ type: 'ask', ask: null })
      // Not by Enter, which may come twice after the command.
      if (isText(key, 'y')) void lines.kill(ask.agentId)
      return
    }
    if (key.kind === 'edit') return dispatch({ type: 'draft', line: edit(ask.line, key.action) })
    if (key.kind !== 'submit') return
    const text = ask.line.text.trim()
    if (ask.kind === 'answer' && text === '') return
    dispatch({ type: 'ask', ask: null })
    const line: ConsoleLine =
      ask.kind === 'answer'
        ? { kind: 'answer', id: ask.questionId, text }
        : { kind: ask.kind, id: ask.approvalId, ...(text === '' ? {} : { reason: text }) }
    void lines.run(line, get().viewed).then((done) => {
      // Nothing that was written is lost.
      if (!done && get().ask === null && get().overlay?.kind === 'inbox')
        dispatch({ type: 'ask', ask })
    })
  }

  const inInbox = (selected: number, key: Key): void => {
    const { inbox, viewed } = get()
    const item = inbox === null ? undefined : itemsOf(inbox)[selected]
    if (key.kind === 'up' || key.kind === 'page-up') return dispatch({ type: 'select', by: -1 })
    if (key.kind === 'down' || key.kind === 'page-down') return dispatch({ type: 'select', by: 1 })
    if (isText(key, 'q')) return dispatch({ type: 'overlay', overlay: null })
    // Its letters must not count as decisions.
    if (beginsCommand(key)) return leaveFor(key)
    if (isText(key, 'c')) return void lines.run({ kind: 'inbox', clear: true }, viewed)
    if (item?.kind === 'question' && key.kind === 'submit') {
      return dispatch({
        type: 'ask',
        ask: { kind: 'answer', agent: item.agent, questionId: item.id, line: EMPTY },
      })
    }
    if (item?.kind !== 'approval') return
    const decision =
      key.kind === 'submit' || isText(key, 'a') ? 'approve' : isText(key, 'd') ? 'deny' : undefined
    if (decision !== undefined)
      dispatch({
        type: 'ask',
        ask: { kind: decision, agent: item.agent, approvalId: item.id, line: EMPTY },
      })
  }

  const inPages = (key: Key): void => {
    if (key.kind === 'up') scrollBy(-1)
    else if (key.kind === 'down') scrollBy(1)
    else if (key.kind === 'page-up') scrollBy(-page())
    else if (key.kind === 'page-down') scrollBy(page())
    else if (isText(key, 'q')) dispatch({ type: 'overlay', overlay: null })
    else if (beginsCommand(key)) leaveFor(key)
  }

  /** For a command that is written without going back first. */
  const leaveFor = (key: Key): void => {
    dispatch({ type: 'overlay', overlay: null })
    inLine(key)
  }

  const write = (state: ConsoleState, line: Line, action: Edit): void => {
    if (inputFor(state) === 'free' || line.text !== '')
      return dispatch({ type: 'draft', line: edit(line, action) })
    // However the terminal cuts what is typed in pieces, only the letters in front of a command are
    // dropped.
    const command = action.kind === 'insert' ? action.text.slice(action.text.search(/\/|$/)) : ''
    if (command !== '')
      dispatch({ type: 'draft', line: edit(EMPTY, { kind: 'insert', text: command }) })
  }

  const inLine = (key: Key): void => {
    const state = get()
    const line = lineOf(state)
    switch (key.kind) {
      case 'edit':
        return write(state, line, key.action)
      case 'submit':
        return submit()
      case 'complete': {
        const completion = complete(line, state.rotation)
        dispatch({ type: 'draft', line: completion.line })
        return dispatch({ type: 'candidates', candidates: completion.candidates })
      }
      case 'up':
        return dispatch({ type: 'history', ...older(state.history, line.text) })
      case 'down':
        return dispatch({ type: 'history', ...newer(state.history) })
      case 'page-up':
        return scrollBy(-page())
      case 'page-down':
        return scrollBy(page())
      case 'end-of-input':
        return line.text === ''
          ? quit()
          : dispatch({ type: 'draft', line: edit(line, { kind: 'delete' }) })
      default:
        return
    }
  }

  const press = (key: Key): void => {
    const state = get()
    if (key.kind === 'interrupt') return interrupt()
    if (state.moving !== null) return void ahead.push(key)
    dispatch({ type: 'quitting', quitting: false })
    if (key.kind === 'escape') return escape()
    if (
      key.kind === 'previous' ||
      key.kind === 'next' ||
      key.kind === 'parent' ||
      key.kind === 'child'
    )
      return void lines.run({ kind: key.kind }, state.viewed)
    if (state.ask !== null) return inAsk(state.ask, key)
    if (state.overlay?.kind === 'inbox') return inInbox(state.overlay.selected, key)
    if (state.overlay !== null) return inPages(key)
    inLine(key)
  }
  return press
}

const beginsCommand = (key: Key): boolean =>
  key.kind === 'edit' && key.action.kind === 'insert' && key.action.text.startsWith('/')

const isText = (key: Key, text: string): boolean =>
  key.kind === 'edit' && key.action.kind === 'insert' && key.action.text === text
