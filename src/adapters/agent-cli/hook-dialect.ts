/** What a program’s hook said, in our words. Fields that it did not have are absent. */
export type HookFact =
  | { readonly kind: 'session-start'; readonly sessionId?: string; readonly transcript?: string }
  /** A prompt was submitted: a turn begins. */
  | {
      readonly kind: 'prompt'
      readonly prompt: string
      readonly sessionId?: string
      readonly transcript?: string
    }
  /**
   * `nested`: in a subagent of the program’s own. It may work on after the turn has ended, and
   * would get what an answer carries.
   */
  | {
      readonly kind: 'tool-start'
      readonly tool: string
      readonly detail?: string
      readonly nested?: boolean
    }
  | {
      readonly kind: 'tool-end'
      readonly tool: string
      readonly detail?: string
      readonly status?: string
      readonly nested?: boolean
      /** The permission question that this is the end of: by its `id`, or by its `detail`. */
      readonly settles?: { readonly id: string } | { readonly detail: string }
    }
  /**
   * It would ask a person whether this may be done. `id`: to answer it by
   * `AgentCli.answerPermission`.
   */
  | {
      readonly kind: 'permission'
      readonly tool: string
      readonly detail: string
      readonly id?: string
    }
  /** It waits for a person in its terminal. */
  | { readonly kind: 'waiting'; readonly reason: string }
  /** The turn is about to end. `again`: it goes on because a stop hook held it before. */
  | {
      readonly kind: 'stop'
      readonly again: boolean
      /**
       * What will begin the next turn by itself, in words: “a background task: npm test”. Absent
       * where the program does not say.
       */
      readonly waits?: readonly string[]
      /** One of them is a time that it has set itself, which comes. */
      readonly scheduled?: boolean
      readonly sessionId?: string
      readonly transcript?: string
    }
  /** A person broke the turn off. */
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'session-end'; readonly reason: string }

/** What the program’s hook is answered. */
export type HookOutcome =
  | { readonly kind: 'none' }
  /** Text for its model. */
  | { readonly kind: 'context'; readonly text: string }
  /** It may not stop: the reason is for its model. */
  | { readonly kind: 'block'; readonly reason: string }
  | { readonly kind: 'permission'; readonly decision: 'allow' | 'deny'; readonly reason?: string }

/** How one program words its hooks. Pure. */
export interface HookDialect {
  /**
   * Null for what says nothing (a subagent’s end, an event that is not ours). Must take any body
   * without throwing.
   */
  read(event: string, body: Readonly<Record<string, unknown>>): HookFact | null
  /** The JSON document it reads from the hook’s standard output; null for no output at all. */
  answer(event: string, outcome: HookOutcome): Readonly<Record<string, unknown>> | null
  /** Whether the answer to this event can carry text to the model (`context`). */
  carries(event: string): boolean
}
