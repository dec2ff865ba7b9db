import type { ToolResult } from '../../../../tools/types.ts'
import type { WireEvent } from '../../../client.ts'
import type { Line } from '../input/line-editor.ts'
import type { Scroll } from '../rows/compose-scrollback.ts'

/** What the preview of an agent can show. */
export const TABS = ['terminal', 'diff', 'task', 'timeline', 'mail'] as const
export type Tab = (typeof TABS)[number]

/** In which order agents stand below what needs the person. */
export const SORTS = ['tree', 'name', 'state', 'age'] as const
export type Sort = (typeof SORTS)[number]

/** The list of all that is there, with a preview of what is selected in it. */
export interface Overview {
  /**
   * Which row is selected (`Row.key`), and where it stood; null until the person chose one or it is
   * known what needs them.
   */
  readonly selected: { readonly key: string; readonly index: number } | null
  /** In small letters; empty: all. */
  readonly filter: string
  readonly sort: Sort
  readonly tab: Tab
  /** What the keys that move go to. */
  readonly focus: 'list' | 'preview'
  /** Of the preview; undefined where it stands as it opened. */
  readonly scroll: Scroll | undefined
  /** The line that is written, which filters or is a command; null: keys act. */
  readonly line: Line | null
  /** How it was when that line was begun: a command is for what was selected then. */
  readonly before: Before | null
  readonly contents: Readonly<Record<string, Content>>
}

export interface Before extends Pick<Overview, 'selected' | 'filter'> {
  readonly viewed: string
}

/** What a tab was filled with the last time; the terminal and the task are the agent’s view. */
export type Content =
  | {
      readonly kind: 'diff'
      readonly number: number
      /** What the diff is of. */
      readonly head: string
      readonly diff: string
    }
  | { readonly kind: 'timeline'; readonly events: readonly WireEvent[] }
  | { readonly kind: 'mail'; readonly messages: ToolResult<'check_mail'>['messages'] }
  /** Why there is nothing. */
  | { readonly kind: 'nothing'; readonly why: string }

export const contentKey = (tab: Tab, agent: string): string => `${tab} ${agent}`

export type OverviewAction =
  /** By so many rows, over all of them with Infinity. */
  | { type: 'move'; by: number }
  | { type: 'filter'; filter: string }
  | { type: 'sort' }
  | { type: 'tab'; tab: Tab }
  | { type: 'focus'; focus: Overview['focus'] }
  | { type: 'preview-scroll'; scroll: Scroll }
  | { type: 'overview-line'; line: Line | null }
  | { type: 'content'; agent: string; tab: Tab; content: Content }

export const initialOverview = (): Overview => ({
  selected: null,
  filter: '',
  sort: 'tree',
  tab: 'terminal',
  focus: 'list',
  scroll: undefined,
  line: null,
  before: null,
  contents: {},
})
