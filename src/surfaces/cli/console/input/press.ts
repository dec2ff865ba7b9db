import { createActing } from './acting.ts'
import { complete } from './completion.ts'
import { scrolled } from '../rows/compose-scrollback.ts'
import type { Frame } from '../frame-options.ts'
import { newer, older, push } from './input-history.ts'
import { beginsCommand, isText, type Key } from './keys.ts'
import { edit, EMPTY, type Edit, type Line } from './line-editor.ts'
import { parseLine } from './parse-line.ts'
import { createPiece } from './one-piece.ts'
import { createPressAsk } from './press-ask.ts'
import { createPressInbox } from './press-inbox.ts'
import { createOverviewPress } from '../overview/press-overview.ts'
import { createRadarPress } from '../radar/press-radar.ts'
import { createReviewPress } from '../review/press-review.ts'
import type { Lines } from '../run-line.ts'
import {
  inputFor,
  isWriting,
  lineOf,
  viewOf,
  type Action,
  type ConsoleState,
  type Overlay,
} from '../state.ts'
import type { Store } from '../store.ts'

/**
 * Does what keys mean, in the order in which they are pressed; those of one call came in one piece.
 * `seen` returns the frame that is on the screen, `now` milliseconds.
 */
export function createPress(options: {
  store: Store<ConsoleState, Action>
  lines: Lines
  quit: () => void
  now: () => number
  seen: () => Frame['scrolling']
}): (keys: readonly Key[]) => void {
  const { store, quit, now, seen } = options
  const { get, dispatch } = store
  const lines: Lines = {
    ...options.lines,
    run: async (line, agent) => {
      if (line.kind === 'quit') {
        leave()
        return true
      }
      const done = await options.lines.run(line, agent)
      catchUp(done)
      return done
    },
  }
  // Typed ahead, while the view is about to move: it is for where it moves to.
  const ahead: Key[] = []
  const catchUp = (done: boolean): void => {
    // It did not move: that was not meant for the agent that is still viewed.
    const meant = (key: Key): Key => (!done && key.kind === 'submit' ? insert('\n') : key)
    const piece = createPiece(() => get().ask, press)
    while (get().moving === null) {
      const key = ahead.shift()
      if (key === undefined) return
      piece(meant(key))
    }
  }

  const scrollBy = (by: number): void => {
    const { scroll, total, height } = seen()
    dispatch({ type: 'scroll', scroll: scrolled(scroll, by, total, height) })
  }
  const page = (): number => Math.max(1, seen().height - 1)
  const acting = createActing({ store, lines, now })
  const inAsk = createPressAsk({ store, lines, quit })
  const inInbox = createPressInbox({ store, lines, acting, leaveFor: (key) => leaveFor(key) })
  const inReview = createReviewPress({ store, lines, page })
  const pressRadar = createRadarPress({ store, lines, page })
  const overview = createOverviewPress({
    store,
    lines,
    acting,
    leave: () => leave(),
    scroll: {
      by: (rows) => {
        const { scroll, total, height } = seen()
        // Null is the end, which is where most tabs do not begin.
        dispatch({ type: 'preview-scroll', scroll: scrolled(scroll, rows, total, height) })
      },
      page: (pages) => {
        const { scroll, total, height } = seen()
        dispatch({
          type: 'preview-scroll',
          scroll: scrolled(scroll, pages * page(), total, height),
        })
      },
    },
  })

  const submit = (): void => {
    const state = get()
    const { text } = lineOf(state)
    if (text.trim() === '') return
    const line = parseLine(text)
    // It stays in the line for when the wait is over.
    if (inputFor(state) === 'held' && line.kind === 'say') return
    dispatch({ type: 'submitted', history: push(state.history, text) })
    void lines.run(line, state.viewed)
  }

  const interrupt = (): void => {
    const state = get()
    if (state.quitting) return leave()
    if (state.ask !== null) return dispatch({ type: 'ask', ask: null })
    if (state.overlay !== null) return dispatch({ type: 'overlay', overlay: null })
    if (state.overview.line !== null) return dispatch({ type: 'overview-line', line: null })
    if (lineOf(state).text !== '') return dispatch({ type: 'draft', line: EMPTY })
    dispatch({ type: 'quitting', quitting: true })
  }

  const escape = (): void => {
    const state = get()
    if (state.ask !== null) return dispatch({ type: 'ask', ask: null })
    if (state.overlay !== null) return dispatch({ type: 'overlay', overlay: behind(state.overlay) })
    if (state.candidates.length > 0) return dispatch({ type: 'candidates', candidates: [] })
    if (state.place === 'overview') return void overview.escape()
    if (state.place === 'review') return leaveReview(state)
    if (lines.interrupt(state.viewed)) return
    if (viewOf(state, state.viewed).scroll !== null) dispatch({ type: 'scroll', scroll: null })
    else dispatch({ type: 'place', place: 'overview' })
  }

  const leaveReview = ({ overview: { line }, reviewed, reviews, back }: ConsoleState): void => {
    if (line !== null) return dispatch({ type: 'overview-line', line: null })
    const isRange = reviewed !== null && reviews[reviewed]?.anchor != null
    if (isRange) dispatch({ type: 'review-range', open: false })
    else dispatch({ type: 'place', place: back })
  }

  /** What is not sent is gone then: that is asked about. */
  const leave = (): void => {
    const comments = Object.values(get().reviews).reduce(
      (sum, review) => sum + review.comments.length,
      0,
    )
    if (comments === 0) return quit()
    dispatch({ type: 'quitting', quitting: false })
    dispatch({ type: 'ask', ask: { kind: 'leave', comments } })
  }

  const inPages = (key: Key): void => {
    if (key.kind === 'up') scrollBy(-1)
    else if (key.kind === 'down') scrollBy(1)
    else if (key.kind === 'page-up') scrollBy(-page())
    else if (key.kind === 'page-down') scrollBy(page())
    else if (isText(key, 'q')) escape()
    else if (isText(key, 'R')) readAgain()
    else if (beginsCommand(key)) leaveFor(key)
  }
  const readAgain = (): void => {
    const { overlay, viewed } = get()
    if (overlay?.kind === 'fold') void lines.run({ kind: 'fold', agent: overlay.agent }, viewed)
  }

  const inRadar = (key: Key): void => {
    if (beginsCommand(key)) leaveFor(key)
    else if (isText(key, 'q')) escape()
    else pressRadar(key)
  }

  /** For a command that is written without going back first. */
  const leaveFor = (key: Key): void => {
    dispatch({ type: 'overlay', overlay: null })
    if (get().place === 'conversation') inLine(key)
    else overPlace(key)
  }

  /** In the overview or a diff: each letter is a key, until one begins a line. */
  const overPlace = (key: Key): void => {
    const { place, overview: now, ask, overlay } = get()
    // What came in one piece with a key that opened something is for that, unless it would answer.
    if (ask !== null && !isWriting(ask)) return
    if (ask !== null || overlay !== null || place === 'conversation') return press(key)
    if (now.line !== null) return void overview.inLine(key)
    if (key.kind !== 'edit' || key.action.kind !== 'insert') return inPlace(key)
    const [letter = '', ...others] = key.action.text
    if (letter === '/' || letter === ':') overview.beginLine(letter)
    else inPlace({ kind: 'edit', action: { kind: 'insert', text: letter } })
    if (others.length > 0)
      overPlace({ kind: 'edit', action: { kind: 'insert', text: others.join('') } })
  }

  const inPlace = (key: Key): void => {
    const { place, reviewed, reviews } = get()
    const open = reviewed === null ? undefined : reviews[reviewed]
    if (place === 'review' && open !== undefined) inReview(open, key)
    else overview.press(key)
  }

  const write = (state: ConsoleState, line: Line, action: Edit): void => {
    if (inputFor(state) !== 'commands' || line.text !== '')
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
          ? leave()
          : dispatch({ type: 'draft', line: edit(line, { kind: 'delete' }) })
      default:
        return
    }
  }

  /** Where letters are keys, what is pasted would be taken for them. */
  const paste = (state: ConsoleState, text: string): void => {
    const { ask, overlay, place, overview: now } = state
    const isOpen = overlay === null && (place === 'conversation' || now.line !== null)
    if (ask === null ? isOpen : isWriting(ask)) press(insert(text))
    else lines.notify(state.viewed, 'Begin a line first: text is pasted into one.', 'attention')
  }

  const press = (key: Key): void => {
    const state = get()
    if (key.kind === 'interrupt') return interrupt()
    if (state.moving !== null) return void ahead.push(key)
    if (key.kind === 'paste') return paste(state, key.text)
    dispatch({ type: 'quitting', quitting: false })
    // It is for what is selected now, also where that was nobody’s choice yet.
    if (state.place === 'overview' && state.overview.selected === null)
      dispatch({ type: 'move', by: 0 })
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
    if (state.overlay?.kind === 'radar' && state.overlay.detail === null) return inRadar(key)
    if (state.overlay !== null) return inPages(key)
    if (state.place !== 'conversation') return overPlace(key)
    inLine(key)
  }
  return (keys) => {
    const piece = createPiece(() => get().ask, press)
    for (const key of keys) piece(key)
  }
}

/** What is shown again once this is closed. */
const behind = (overlay: Overlay): Overlay | null =>
  overlay.kind === 'radar' && overlay.detail !== null ? { ...overlay, detail: null } : null

const insert = (text: string): Key => ({ kind: 'edit', action: { kind: 'insert', text } })
