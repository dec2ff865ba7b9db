/** `none`: nothing has run, which is not “passed”. */
export type ChecksState = 'none' | 'pending' | 'passed' | 'failed' | 'unknown'

export interface Check {
  readonly name: string
  readonly status:
    | 'queued'
    | 'running'
    | 'passed'
    | 'failed'
    | 'cancelled'
    | 'interrupted'
    | 'timed_out'
  readonly required: boolean
  /**
   * Which run of it: another one for the same head is a run again. Null where the forge does not
   * say.
   */
  readonly run: string | null
  /** A link or the path of the log. */
  readonly url: string | null
  /** The end of the log of a failed check. Untrusted. */
  readonly logTail: string | null
  /** It ran on what landing it would have come to. */
  readonly landing?: true
}
