/**
 * What a subagent does, or one below it: for whoever waits for it, and for displays. `at` in ms
 * since the epoch.
 */
export type SubagentEvent = { readonly id: string; readonly at: number } & (
  | {
      readonly kind: 'started'
      /** The subagent that waits for it, where one does. */
      readonly parent: string | null
      readonly mode: 'spawn' | 'delegate'
      readonly description: string
    }
  | {
      readonly kind: 'tool'
      readonly tool: string
      readonly detail: string
      readonly phase: 'started' | 'ended'
      readonly status: string | null
    }
  /** For a person: its program asks for permission. Null once it goes on. */
  | { readonly kind: 'waiting'; readonly reason: string | null }
  | {
      readonly kind: 'ended'
      readonly success: boolean
      /** Where it is known. */ readonly turns: number | null
      readonly reason: string | null
    }
)
