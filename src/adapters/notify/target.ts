/** One thing that needs a person. */
export interface NoticeItem {
  /** Of the message in the inbox: the same however often it is sent. */
  readonly id: string
  readonly kind: NoticeKind
  /** The event’s type. */
  readonly event: string
  /** Name of the agent that it is about; null where it is about none. */
  readonly agent: string | null
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The words, where the target may have them. */
  readonly text?: string
}

export type NoticeKind =
  | 'question'
  | 'approval'
  | 'waiting'
  | 'failure'
  | 'delivery'
  | 'budget'
  | 'pull_request'
  | 'other'

/** What is sent at once. Title and body hold no words of agents but their names and `text`. */
export interface Notice {
  /** Made of its target and items: the same where the same is sent again. */
  readonly id: string
  readonly title: string
  /** Lines: counts and agents, and the words below where the target may have them. */
  readonly body: string
  readonly items: readonly NoticeItem[]
  /** Only `exomonad notify test`: nothing needs anybody. */
  readonly test: boolean
}

/**
 * What a target answered. `again`: it may be better soon, after so many milliseconds where it said
 * that.
 */
export type Answer =
  | { readonly ok: true; readonly said: string }
  | {
      readonly ok: false
      readonly reason: string
      readonly again: boolean
      readonly after?: number
    }

/** One place where a person is told. */
export interface NotifyTarget {
  /** Resolves within `TIMEOUT`, or when the signal comes. Never throws. */
  send(notice: Notice, signal: AbortSignal): Promise<Answer>
}

/** No target gets longer for an attempt. Milliseconds. */
export const TIMEOUT = 10_000

/** At most so many characters, with a mark where some are missing. */
export const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`

/** Title and body as one text of at most so many characters. */
export const asText = ({ title, body }: Pick<Notice, 'title' | 'body'>, most: number): string =>
  shortened(body === '' ? title : `${title}\n${body}`, most)
