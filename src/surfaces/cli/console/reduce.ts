import type { TreeView } from '../../../core/agents/tree-document.ts'
import type { Inbox } from '../../text/inbox/inbox-answer.ts'
import { changeView } from './change-view.ts'
import { push } from './input/input-history.ts'
import { EMPTY } from './input/line-editor.ts'
import { hasEnded, rotationOf } from './rotation.ts'
import { itemsOf } from './rows/inbox-rows.ts'
import {
  reduceOverview,
  selecting,
  withSelected,
  withSelectedStill,
} from './overview/overview-reduce.ts'
import { changeRadar, withDetailScrolled, type RadarAction } from './radar/radar.ts'
import { changeReview, newReview, type Review, type ReviewAction } from './review/review.ts'
import {
  isWriting,
  nodeOf,
  viewOf,
  type Action,
  type Ask,
  type ConsoleState,
  type Place,
  type View,
} from './state.ts'

/** What the console knows and shows after an action; the same object where nothing changed. */
export const reduce = (state: ConsoleState, action: Action): ConsoleState =>
  withReadAside(reduced(state, action))

function reduced(state: ConsoleState, action: Action): ConsoleState {
  const change = (agent: string, patch: Partial<View>): ConsoleState => ({
    ...state,
    views: { ...state.views, [agent]: { ...viewOf(state, agent), ...patch } },
  })
  switch (action.type) {
    case 'tree':
      return withSelectedStill(state, withTree(state, action.tree, action.at))
    case 'place':
      return atPlace(state, action.place)
    case 'move':
    case 'filter':
    case 'sort':
    case 'tab':
    case 'focus':
    case 'preview-scroll':
    case 'overview-line':
    case 'content':
      return reduceOverview(state, action)
    case 'review-open':
    case 'review-read':
    case 'review-failed':
    case 'review-move':
    case 'review-jump':
    case 'review-range':
    case 'review-comment':
    case 'review-uncomment':
    case 'review-sent':
      return reduceReview(state, action)
    case 'radar-read':
    case 'radar-detail':
    case 'radar-select':
      return reduceRadar(state, action)
    case 'trouble':
      return state.trouble === action.trouble ? state : { ...state, trouble: action.trouble }
    case 'screen':
    case 'no-screen':
    case 'scrollback':
    case 'give-back':
    case 'notice':
    case 'sent':
    case 'settled': {
      const view = viewOf(state, action.agent)
      const changed = changeView(view, action)
      return changed === view ? state : change(action.agent, changed)
    }
    case 'inbox':
      return withSelectedStill(state, withInbox(state, action.inbox))
    case 'fan-in':
      return { ...state, fanIn: { ...state.fanIn, [action.agent]: action.rows } }
    case 'go': {
      const overview = selecting(state, action.agent)
      if (action.agent === state.viewed) return { ...state, overview, overlay: null }
      const { ask } = state
      // What was written is not lost.
      const history = isWriting(ask) ? push(state.history, ask.line.text) : state.history
      const gone = { overlay: null, ask: null, candidates: [] }
      return { ...state, overview, viewed: action.agent, history, ...gone }
    }
    case 'draft':
      if (state.ask !== null)
        return isWriting(state.ask) ? { ...state, ask: { ...state.ask, line: action.line } } : state
      return { ...change(state.viewed, { draft: action.line }), candidates: [], quitting: false }
    case 'history':
      return {
        ...(action.text === null
          ? state
          : change(state.viewed, { draft: { text: action.text, cursor: action.text.length } })),
        history: action.history,
      }
    case 'submitted':
      return {
        ...change(state.viewed, { draft: EMPTY, scroll: null }),
        history: action.history,
        candidates: [],
        quitting: false,
      }
    case 'candidates':
      return { ...state, candidates: action.candidates }
    case 'scroll': {
      const { overlay } = state
      if (overlay === null) return change(state.viewed, { scroll: action.scroll })
      if (overlay.kind === 'inbox') return state
      if (overlay.kind === 'radar')
        return { ...state, overlay: withDetailScrolled(overlay, action.scroll) }
      return { ...state, overlay: { ...overlay, scroll: action.scroll } }
    }
    case 'wait-begun':
      return { ...state, waits: { ...state.waits, [action.agent]: action.wait } }
    case 'wait-ended':
      return {
        ...state,
        waits: without(state.waits, action.agent),
        fanIn: without(state.fanIn, action.agent),
      }
    case 'overlay': {
      // What was read comes late: it must not take away what is written meanwhile.
      if (action.overlay !== null && state.ask !== null) return state
      const showsNumbers =
        action.overlay?.kind === 'inbox' || (action.overlay === null && showsList(state))
      const numbered = showsNumbers ? idsOf(state.inbox) : state.numbered
      return { ...state, overlay: action.overlay, numbered, ask: null, candidates: [] }
    }
    case 'select': {
      if (state.overlay?.kind !== 'inbox' || state.inbox === null) return state
      const last = Math.max(0, itemsOf(state.inbox).length - 1)
      return {
        ...state,
        overlay: {
          kind: 'inbox',
          selected: Math.min(last, Math.max(0, state.overlay.selected + action.by)),
        },
      }
    }
    case 'ask':
      return { ...state, ask: action.ask }
    case 'moving':
      return { ...state, moving: action.moving }
    case 'quitting':
      return state.quitting === action.quitting ? state : { ...state, quitting: action.quitting }
  }
}

const idsOf = (inbox: Inbox | null): string[] =>
  inbox === null ? [] : itemsOf(inbox).map(({ id }) => id)

/** The list of the overview, while no line is written that may name a number of it. */
const showsList = ({ place, overview }: ConsoleState): boolean =>
  place === 'overview' && overview.line === null

/** The selected item stays so, whatever comes in front of it or goes. */
function withInbox(state: ConsoleState, inbox: Inbox): ConsoleState {
  const { overlay } = state
  if (overlay?.kind !== 'inbox')
    return showsList(state) && overlay === null
      ? { ...state, inbox, numbered: idsOf(inbox) }
      : { ...state, inbox }
  const numbered = idsOf(inbox)
  const was = idsOf(state.inbox)[overlay.selected]
  const same = was === undefined ? -1 : numbered.indexOf(was)
  const lost = was === undefined || same >= 0 ? state.lost : state.lost + 1
  const selected = same >= 0 ? same : Math.max(0, Math.min(overlay.selected, numbered.length - 1))
  return { ...state, inbox, numbered, lost, overlay: { ...overlay, selected } }
}

function atPlace(state: ConsoleState, place: Place): ConsoleState {
  const overview = { ...state.overview, line: null, before: null }
  const moved = { ...state, place, overview, overlay: null, ask: null, candidates: [] }
  if (place !== 'overview') return moved
  return withSelected({
    ...moved,
    overview: overview.selected === null ? overview : selecting(moved, state.viewed),
    numbered: idsOf(state.inbox),
  })
}

/** Actions that name no pull request are of the one that is open. */
function reduceReview(state: ConsoleState, action: ReviewAction): ConsoleState {
  const number = 'number' in action ? action.number : state.reviewed
  if (number === null) return state
  const before = state.reviews[number] ?? newReview(number)
  if (action.type === 'review-read' && isAbout(state.ask, number) && before.head !== '')
    return withReview(state, { ...before, aside: { head: action.head, diff: action.diff } })
  const review = changeReview(before, action)
  const isOpened = action.type === 'review-open'
  if (review === before && !isOpened) return state
  const changed = { ...withReview(state, review), heads: headsAfter(state, action) }
  if (!isOpened) return changed
  const back = state.place === 'review' ? state.back : state.place
  return { ...atPlace(changed, 'review'), reviewed: number, back }
}

const withReview = (state: ConsoleState, review: Review): ConsoleState => ({
  ...state,
  reviews: { ...state.reviews, [review.number]: review },
})

/** Something is written or asked about the diff as it was when that began. */
const isAbout = (ask: Ask | null, number: number): boolean =>
  ask !== null && 'number' in ask && ask.number === number

/** A diff that was read while something was written about the one before is shown after that. */
function withReadAside(state: ConsoleState): ConsoleState {
  const review = state.reviewed === null ? undefined : state.reviews[state.reviewed]
  if (review?.aside == null || isAbout(state.ask, review.number)) return state
  const { number, aside } = review
  return reduceReview(state, { type: 'review-read', number, ...aside })
}

/** What comes late, when something else is shown, changes nothing. */
function reduceRadar(state: ConsoleState, action: RadarAction): ConsoleState {
  const { overlay } = state
  if (overlay?.kind !== 'radar') return state
  const changed = changeRadar(overlay, action)
  return changed === overlay ? state : { ...state, overlay: changed }
}

/** What was looked at last; whose changes were asked for is not what is to be merged. */
function headsAfter({ heads }: ConsoleState, action: ReviewAction): ConsoleState['heads'] {
  if (action.type === 'review-read') return { ...heads, [action.number]: action.head }
  if (action.type !== 'review-sent' || action.verdict !== 'request_changes') return heads
  return heads[action.number] === action.head ? without(heads, String(action.number)) : heads
}

/**
 * Where the viewed agent was taken out of the rotation, the first living one is viewed. What is
 * asked or written stays: keys that are on their way to it must not mean something else.
 */
function withTree(state: ConsoleState, tree: TreeView, readAt: number): ConsoleState {
  const rotation = rotationOf(tree.root)
  const known = rotation.some((node) => node.id === state.viewed)
  const viewed = known ? state.viewed : (rotation.find((node) => !hasEnded(node)) ?? tree.root).id
  const waiting = new Set<string>(
    rotation.filter((node) => node.waiting_for !== null).map((node) => node.id),
  )
  const fanIn = Object.fromEntries(
    Object.entries(state.fanIn).filter(([id]) => waiting.has(id) || state.waits[id] !== undefined),
  )
  return withoutDraftsOfEnded({
    ...state,
    tree,
    readAt,
    rotation,
    viewed,
    fanIn,
    trouble: null,
  })
}

/**
 * What was half written to an agent when it ended goes to the history, where it can be had for
 * another one.
 */
function withoutDraftsOfEnded(state: ConsoleState): ConsoleState {
  const texts = Object.entries(state.views).filter(([id, { draft }]) => {
    const node = draft.text === '' || draft.text.startsWith('/') ? undefined : nodeOf(state, id)
    return node !== undefined && hasEnded(node)
  })
  if (texts.length === 0) return state
  return {
    ...state,
    views: {
      ...state.views,
      ...Object.fromEntries(texts.map(([id, view]) => [id, { ...view, draft: EMPTY }])),
    },
    history: texts.reduce((history, [, { draft }]) => push(history, draft.text), state.history),
  }
}

const without = <Value>(
  record: Readonly<Record<string, Value>>,
  key: string,
): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== key))
