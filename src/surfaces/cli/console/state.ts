import type { ScrollbackLine } from '../../../core/spawn/agent-forks.ts'
import type { TreeNode, TreeView } from '../../../core/agents/tree-document.ts'
import type { StatusRow } from '../agents/status-layer.ts'
import type { Notice, Scroll } from './rows/compose-scrollback.ts'
import type { Inbox } from '../../text/inbox-answer.ts'
import { itemsOf } from './rows/inbox-rows.ts'
import { createHistory, push, type History } from './input/input-history.ts'
import { EMPTY, type Line } from './input/line-editor.ts'
import { hasEnded, rotationOf } from './rotation.ts'

/** Everything the console knows and shows. Changes by `reduce` alone. */
export interface ConsoleState {
  /** Null until it was read for the first time. */
  readonly tree: TreeView | null
  /** When that was. Milliseconds since the epoch. */
  readonly readAt: number
  /** All agents, dead ones too, in the order in which one goes through them. */
  readonly rotation: readonly TreeNode[]
  /** Id of the agent on the screen; empty until the tree is known. */
  readonly viewed: string
  readonly views: Readonly<Record<string, View>>
  /** The person’s own waits, by the agent for which they wait. */
  readonly waits: Readonly<Record<string, OwnWait>>
  /** How those stand that an agent waits for, by the agent. */
  readonly fanIn: Readonly<Record<string, readonly StatusRow[]>>
  readonly inbox: Inbox | null
  /**
   * Ids of what the inbox showed under its numbers, from 1, when it was last open: what a number in
   * a command means.
   */
  readonly numbered: readonly string[]
  readonly overlay: Overlay | null
  /** What the input line is for now, where that is not the viewed agent. */
  readonly ask: Ask | null
  readonly history: History
  /** What the word before the cursor could become. */
  readonly candidates: readonly string[]
  /** What runs and moves the view when it is done: what is typed meanwhile comes after it. */
  readonly moving: { readonly text: string; readonly since: number } | null
  /** Why nothing new is known of the tree. */
  readonly trouble: string | null
  /** Ctrl-C was pressed once. */
  readonly quitting: boolean
}

/** One agent as its person sees it. */
export interface View {
  /** Whether its terminal was looked at. */
  readonly seen: boolean
  /** What its terminal shows. */
  readonly text: string
  /** Why there is no text. */
  readonly missing: string | null
  readonly entries: readonly ScrollbackLine[]
  readonly captureLines: number | null
  readonly scroll: Scroll
  readonly draft: Line
  /** What the console itself says of it; latest last. */
  readonly notices: readonly Notice[]
  /** The latest message from here, as far as is known of it. */
  readonly sent: {
    readonly at: number
    readonly state: 'queued' | 'handed over' | 'delivered'
  } | null
}
export interface OwnWait {
  /** Milliseconds since the epoch. */
  readonly since: number
  /** Seconds. */
  readonly timeout: number
  readonly agents: readonly string[]
}
export type Overlay =
  | { readonly kind: 'inbox'; readonly selected: number }
  /** `rows`: what was read once. */
  | {
      readonly kind: 'tree' | 'help' | 'rows'
      readonly rows: readonly string[]
      readonly scroll: Scroll
    }
export type Ask =
  | {
      readonly kind: 'answer'
      readonly agent: string
      readonly questionId: string
      readonly line: Line
    }
  | {
      readonly kind: 'approve' | 'deny'
      readonly approvalId: string
      readonly agent: string
      readonly line: Line
    }
  | {
      readonly kind: 'kill'
      readonly agentId: string
      readonly name: string
      readonly below: number
    }

export type Action =
  | { type: 'tree'; tree: TreeView; at: number }
  | { type: 'trouble'; trouble: string | null }
  | { type: 'screen'; agent: string; text: string }
  | { type: 'no-screen'; agent: string; why: string }
  | {
      type: 'scrollback'
      agent: string
      entries: readonly ScrollbackLine[]
      captureLines: number | null
    }
  | { type: 'inbox'; inbox: Inbox }
  | { type: 'fan-in'; agent: string; rows: readonly StatusRow[] }
  | { type: 'go'; agent: string }
  | { type: 'draft'; line: Line }
  /** What could not be sent stands in the line again. */
  | { type: 'give-back'; agent: string; text: string }
  | { type: 'history'; history: History; text: string }
  | { type: 'submitted'; history: History }
  | { type: 'candidates'; candidates: readonly string[] }
  | { type: 'scroll'; scroll: Scroll }
  | { type: 'notice'; agent: string; notice: Notice }
  | { type: 'sent'; agent: string; at: number }
  | { type: 'settled'; agent: string; state: 'handed over' | 'delivered' }
  | { type: 'wait-begun'; agent: string; wait: OwnWait }
  | { type: 'wait-ended'; agent: string }
  | { type: 'overlay'; overlay: Overlay | null }
  | { type: 'select'; by: number }
  | { type: 'ask'; ask: Ask | null }
  | { type: 'moving'; moving: ConsoleState['moving'] }
  | { type: 'quitting'; quitting: boolean }

const NOTHING_KNOWN: View = {
  seen: false,
  text: '',
  missing: null,
  entries: [],
  captureLines: null,
  scroll: null,
  draft: EMPTY,
  notices: [],
  sent: null,
}
/** Older notices go. */
const NOTICES_KEPT = 50

export const initialState = (): ConsoleState => ({
  tree: null,
  readAt: 0,
  rotation: [],
  viewed: '',
  views: {},
  waits: {},
  fanIn: {},
  inbox: null,
  numbered: [],
  overlay: null,
  ask: null,
  history: createHistory(),
  candidates: [],
  moving: null,
  trouble: null,
  quitting: false,
})

export const viewOf = (state: ConsoleState, agent: string): View =>
  state.views[agent] ?? NOTHING_KNOWN
export const nodeOf = (state: ConsoleState, agent: string): TreeNode | undefined =>
  state.rotation.find((node) => node.id === agent)

/** `commands`: nothing goes to the agent, only lines that begin with `/` are taken. */
export function inputFor(state: ConsoleState): 'free' | 'commands' {
  const node = nodeOf(state, state.viewed)
  return node === undefined || hasEnded(node) || state.waits[state.viewed] !== undefined
    ? 'commands'
    : 'free'
}

/** The line that keys go to. */
export function lineOf(state: ConsoleState): Line {
  if (state.ask !== null) return state.ask.kind === 'kill' ? EMPTY : state.ask.line
  const { draft } = viewOf(state, state.viewed)
  return inputFor(state) === 'commands' && !draft.text.startsWith('/') ? EMPTY : draft
}

/** Those whose standing is shown: that the person waits for, else that the agent itself does. */
export function awaited(state: ConsoleState, agent: string): readonly string[] {
  const own = state.waits[agent]?.agents ?? []
  return own.length > 0 ? own : (nodeOf(state, agent)?.waiting_for ?? [])
}

/**
 * A root that nobody started, or whose program is gone: what is sent there comes to the person who
 * sends it.
 */
export const isUnmanned = (node: TreeNode): boolean =>
  node.kind === 'root' && (node.pane === null || node.state_reason === 'stopped')

/** How many things wait for the person. */
export const inboxCount = ({ tree }: ConsoleState): number =>
  tree === null ? 0 : tree.inbox.messages + tree.inbox.questions + tree.inbox.approvals

export function reduce(state: ConsoleState, action: Action): ConsoleState {
  const change = (agent: string, patch: Partial<View>): ConsoleState => ({
    ...state,
    views: { ...state.views, [agent]: { ...viewOf(state, agent), ...patch } },
  })
  switch (action.type) {
    case 'tree':
      return withTree(state, action.tree, action.at)
    case 'trouble':
      return state.trouble === action.trouble ? state : { ...state, trouble: action.trouble }
    case 'screen': {
      const view = viewOf(state, action.agent)
      if (action.text === view.text && view.missing === null && view.seen) return state
      const scroll =
        view.scroll === null ? null : Math.max(0, view.scroll - goneAbove(view.text, action.text))
      return change(action.agent, { seen: true, text: action.text, missing: null, scroll })
    }
    case 'no-screen':
      return viewOf(state, action.agent).missing === action.why
        ? state
        : change(action.agent, { seen: true, missing: action.why })
    case 'scrollback': {
      const view = viewOf(state, action.agent)
      const same =
        view.captureLines === action.captureLines &&
        view.entries.length === action.entries.length &&
        view.entries.at(-1)?.seq === action.entries.at(-1)?.seq
      return same
        ? state
        : change(action.agent, { entries: action.entries, captureLines: action.captureLines })
    }
    case 'inbox':
      return withInbox(state, action.inbox)
    case 'fan-in':
      return { ...state, fanIn: { ...state.fanIn, [action.agent]: action.rows } }
    case 'go':
      return action.agent === state.viewed
        ? { ...state, overlay: null }
        : { ...state, viewed: action.agent, overlay: null, ask: null, candidates: [] }
    case 'draft':
      if (state.ask !== null)
        return state.ask.kind === 'kill'
          ? state
          : { ...state, ask: { ...state.ask, line: action.line } }
      return { ...change(state.viewed, { draft: action.line }), candidates: [], quitting: false }
    case 'give-back':
      return change(action.agent, { draft: { text: action.text, cursor: action.text.length } })
    case 'history':
      return {
        ...change(state.viewed, { draft: { text: action.text, cursor: action.text.length } }),
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
      return overlay.kind === 'inbox'
        ? state
        : { ...state, overlay: { ...overlay, scroll: action.scroll } }
    }
    case 'notice':
      return change(action.agent, {
        notices: [...viewOf(state, action.agent).notices, action.notice].slice(-NOTICES_KEPT),
      })
    case 'sent':
      return change(action.agent, { sent: { at: action.at, state: 'queued' } })
    case 'settled': {
      const { sent } = viewOf(state, action.agent)
      if (sent === null || sent.state === action.state || sent.state === 'delivered') return state
      return change(action.agent, { sent: { ...sent, state: action.state } })
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
      const numbered = action.overlay?.kind === 'inbox' ? idsOf(state.inbox) : state.numbered
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

/** The selected item stays so, whatever comes in front of it or goes. */
function withInbox(state: ConsoleState, inbox: Inbox): ConsoleState {
  const { overlay } = state
  if (overlay?.kind !== 'inbox') return { ...state, inbox }
  const numbered = idsOf(inbox)
  const same = numbered.indexOf(idsOf(state.inbox)[overlay.selected] ?? '')
  const selected = same >= 0 ? same : Math.max(0, Math.min(overlay.selected, numbered.length - 1))
  return { ...state, inbox, numbered, overlay: { ...overlay, selected } }
}

/** Where the viewed agent was taken out of the rotation, the first living one is viewed. */
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
    ...(known ? {} : { ask: null }),
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

/**
 * How many lines of a terminal’s text went away at its begin, as they do where it keeps no more:
 * who looks back goes on seeing the same.
 */
function goneAbove(before: string, now: string): number {
  const head = now.split('\n', 3).join('\n')
  const text = `\n${before}\n`
  return text.slice(0, Math.max(0, text.indexOf(`\n${head}\n`))).split('\n').length - 1
}

const without = <Value>(
  record: Readonly<Record<string, Value>>,
  key: string,
): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== key))
