/** A conversation as the program itself keeps it. */
export interface SessionRef {
  readonly id: string
  /** Absolute path of the file it is kept in, where there is one and it is known. */
  readonly transcript: string | null
}

/** What a program that was started came to. */
export interface Settled {
  /** Null where it is not known yet: its hooks report it. */
  readonly session: SessionRef | null
  /** It has its parent’s conversation. */
  readonly forked: boolean
  readonly warnings: readonly string[]
}

/** A program that ended, or hangs, before anything was asked of it. */
export interface NotUp {
  /** What happened, as a clause: `OpenCode ended while it was starting`. */
  readonly notUp: string
  /**
   * By what it showed last: whether another start is worth it, as it was (what was in its way may
   * be gone by now) or without the conversation that it was to go on with.
   */
  readonly again: (shown: string) => 'no' | 'same' | 'fresh'
}
