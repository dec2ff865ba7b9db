/** One thing that doctor looked at. */
export interface Diagnosis {
  readonly subject: string
  /**
   * `problem`: exomonad can’t do its work; `warning`: it can, but a person should know; `note`:
   * nothing to do.
   */
  readonly status: 'ok' | 'note' | 'warning' | 'problem'
  readonly found: string
  /** What a person can do about it. */
  readonly fix?: string
  /** The same done by `--fix`, where that risks nothing; returns what was done. */
  readonly repair?: () => Promise<string>
  /** The repair writes into the person’s own configuration: only after they said yes. */
  readonly asks?: boolean
}
