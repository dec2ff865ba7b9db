import type { ScrollbackLine } from '../../../core/spawn/agent-forks.ts'
import type { TreeNode, TreeView } from '../../../core/agents/tree-document.ts'
import { initialOverview, type Overview, type OverviewAction } from './overview/overview.ts'
import type { DraftComment, Verdict } from '../../text/diff/draft-comment.ts'
import type { Review, ReviewAction } from './review/review.ts'
import type { StatusRow } from '../agents/status-layer.ts'
import type { Notice, Scroll } from './rows/compose-scrollback.ts'
import type { Inbox } from '../../text/inbox/inbox-answer.ts'
import { createHistory, type History } from './input/input-history.ts'
import { EMPTY, type Line } from './input/line-editor.ts'
import { hasEnded } from './rotation.ts'
import type { FoldOverlay } from './fold/fold.ts'
import type { RadarAction, RadarOverlay } from './radar/radar.ts'

/** Everything the console knows and shows. Changes by `reduce` (reduce.ts) alone. */
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
  /** What has the screen, below what is laid over it. */
  readonly place: Place
  readonly overview: Overview
  /** By number of the pull request; what was said of one is there when it is opened again. */
  readonly reviews: Readonly<Record<number, Review>>
  /** Which of them is open, and where one goes from it. */
  readonly reviewed: number | null
  readonly back: Place
  /** Of each pull request the head whose diff was shown last: that one is merged. */
  readonly heads: Readonly<Record<number, string>>
  /** The person’s own waits, by the agent for which they wait. */
  readonly waits: Readonly<Record<string, OwnWait>>
  /** How those stand that an agent waits for, by the agent. */
  readonly fanIn: Readonly<Record<string, readonly StatusRow[]>>
  readonly inbox: Inbox | null
  /**
   * Ids of what the inbox showed under its numbers, from 1, when it was last open: what a number in
   * a command means. They stay while a line is written over the overview.
   */
  readonly numbered: readonly string[]
  readonly overlay: Overlay | null
  /**
   * How often what was selected in the overview or the inbox went away by itself, so that something
   * else is selected.
   */
  readonly lost: number
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

export type Place = 'overview' | 'conversation' | 'review'

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
  /** All of what it was given to do; null until that was read. */
  readonly task: string | null
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
  | RadarOverlay
  | FoldOverlay
  /** `rows`: what was read once. */
  | {
      readonly kind: 'tree' | 'help' | 'rows'
      readonly rows: readonly string[]
      readonly scroll: Scroll
    }
export type Ask =
  /** Which of the two it is to be. */
  | {
      readonly kind: 'decide'
      readonly approvalId: string
      readonly agent: string
      readonly what: string
    }
  /** `head`: what of it is merged; empty where none was looked at. */
  | {
      readonly kind: 'merge'
      readonly number: number
      readonly title: string
      readonly head: string
    }
  /** Comments that were not sent stay behind. */
  | { readonly kind: 'leave'; readonly comments: number }
  /** What the review is to say. */
  | { readonly kind: 'verdict'; readonly number: number; readonly head: string }
  | {
      readonly kind: 'review'
      readonly number: number
      readonly head: string
      readonly verdict: Verdict
      readonly line: Line
    }
  | {
      readonly kind: 'comment'
      readonly number: number
      readonly about: Omit<DraftComment, 'body'>
      readonly line: Line
    }
  | {
      readonly kind: 'answer'
      readonly agent: string
      readonly questionId: string
      /** What is asked. */
      readonly what: string
      readonly line: Line
    }
  | {
      readonly kind: 'approve' | 'deny'
      readonly approvalId: string
      readonly agent: string
      readonly what: string
      readonly line: Line
    }
  | {
      readonly kind: 'kill'
      readonly agentId: string
      readonly name: string
      readonly below: number
    }

/** What changes in how one agent is seen. */
export type ViewAction =
  | { type: 'screen'; agent: string; text: string }
  | { type: 'no-screen'; agent: string; why: string }
  | {
      type: 'scrollback'
      agent: string
      entries: readonly ScrollbackLine[]
      captureLines: number | null
      task?: string
    }
  /** What could not be sent stands in the line again. */
  | { type: 'give-back'; agent: string; text: string }
  | { type: 'notice'; agent: string; notice: Notice }
  | { type: 'sent'; agent: string; at: number }
  | { type: 'settled'; agent: string; state: 'handed over' | 'delivered' }

export type Action =
  | ViewAction
  | OverviewAction
  | ReviewAction
  | RadarAction
  | { type: 'place'; place: Place }
  | { type: 'tree'; tree: TreeView; at: number }
  | { type: 'trouble'; trouble: string | null }
  | { type: 'inbox'; inbox: Inbox }
  | { type: 'fan-in'; agent: string; rows: readonly StatusRow[] }
  | { type: 'go'; agent: string }
  | { type: 'draft'; line: Line }
  /** Null leaves what is written. */
  | { type: 'history'; history: History; text: string | null }
  | { type: 'submitted'; history: History }
  | { type: 'candidates'; candidates: readonly string[] }
  | { type: 'scroll'; scroll: Scroll }
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
  task: null,
  scroll: null,
  draft: EMPTY,
  notices: [],
  sent: null,
}

export const initialState = (): ConsoleState => ({
  tree: null,
  readAt: 0,
  rotation: [],
  viewed: '',
  views: {},
  place: 'conversation',
  overview: initialOverview(),
  reviews: {},
  reviewed: null,
  back: 'overview',
  heads: {},
  waits: {},
  fanIn: {},
  inbox: null,
  numbered: [],
  overlay: null,
  lost: 0,
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

/**
 * `commands`: nothing goes to the agent, only lines that begin with `/` are taken. `held`: what is
 * written is kept until the person’s wait is over.
 */
export function inputFor(state: ConsoleState): 'free' | 'held' | 'commands' {
  const node = nodeOf(state, state.viewed)
  if (node === undefined || hasEnded(node)) return 'commands'
  return state.waits[state.viewed] === undefined ? 'free' : 'held'
}

/** Whether keys go to something that is written over what has the screen. */
export const isWriting = (ask: Ask | null): ask is Extract<Ask, { line: Line }> =>
  ask !== null && 'line' in ask

/** Of what has the screen where it isn’t an agent’s conversation: a filter or a command. */
const isOver = ({ place, overlay }: ConsoleState): boolean =>
  place !== 'conversation' && overlay === null

/** The line that keys go to. */
export function lineOf(state: ConsoleState): Line {
  if (state.ask !== null) return isWriting(state.ask) ? state.ask.line : EMPTY
  if (isOver(state)) return state.overview.line ?? EMPTY
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
  tree === null ? 0 : tree.inbox.items + tree.inbox.messages
