/** What a forge does not give in this repository, whichever pull request it is wanted for. */
export interface Lack {
  /** Stays the same while the words change: it is reported once. */
  readonly key: string
  /** A sentence without a full stop: “Copilot can’t be had as a reviewer”. */
  readonly what: string
  /** In the forge’s words, without a full stop; empty where there is nothing to add. */
  readonly why: string
  /** What to do: sentences. */
  readonly fix: string
}

/** Resolves once it is stored; never fails. */
export type ReportLack = (lack: Lack) => Promise<void>

/** For those who only look, such as `exomonad doctor`, and say so themselves. */
export const reportsNoLack: ReportLack = () => Promise.resolve()
