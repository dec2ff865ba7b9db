/** What a person sees of a pane, for a surface of ours that draws it: one more who looks at it. */
export interface PaneView {
  /**
   * `terminal`: bytes for a terminal of the size that `onState` gives. `output`: text of what has
   * no terminal, for one of any size.
   */
  readonly kind: 'terminal' | 'output'
  /**
   * What was typed, as a terminal sends it. Of one without a terminal the Escape key alone is taken,
   * which interrupts its turn. Nothing of it where the view is read-only.
   */
  type(keys: string): void
  /** Bytes of it that have not been taken yet. */
  readonly untaken: number
  /** The size of the terminal that the person has; without effect where the pane keeps its own. */
  resize(columns: number, rows: number): void
  /** Nothing is given out meanwhile, and afterwards what is there by then. */
  pause(): void
  resume(): void
  /** Lets go of it; the pane lives on. `onEnd` is not called. */
  close(): void
}

export interface ViewState {
  /** What comes is drawn for a terminal of this size. */
  readonly columns: number
  readonly rows: number
  /** Where the pane is in it, which shares it with others; null where it is all of it. */
  readonly part: {
    readonly left: number
    readonly top: number
    readonly columns: number
    readonly rows: number
  } | null
  /** What it is called, without control characters. */
  readonly title: string
  /** Whose size it has, which is who typed last; null where nobody leads. */
  readonly leads: 'this' | 'other' | null
}

export interface ViewOptions {
  readonly columns: number
  readonly rows: number
  /**
   * Nothing can be typed, and the pane keeps its size: it is shown whole, whatever `columns` and
   * `rows` are. One that shares its window keeps it in any case.
   */
  readonly readOnly: boolean
  readonly onOutput: (bytes: Buffer) => void
  /** Once in the beginning, and when something of it changes. */
  readonly onState: (state: ViewState) => void
  /** The pane went, or what holds it; `reason` in words. Nothing comes after it. */
  readonly onEnd: (reason: string) => void
}
