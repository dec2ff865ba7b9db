/** Lines that are redrawn in place, below what the terminal shows already. */
export interface LiveScreen {
  draw(lines: readonly string[]): void
  /**
   * After a change of the terminal’s size nobody knows where the lines are: the next draw begins on
   * a clear screen.
   */
  reset(): void
  /** Takes the lines away; what comes next stands in their place. */
  erase(): void
  /** Gives the cursor back, below the last lines. */
  end(): void
}

const HIDE_CURSOR = '\u001b[?25l'
const SHOW_CURSOR = '\u001b[?25h'
/** Synchronised update: terminals that know it show the whole frame at once. */
const BEGIN = '\u001b[?2026h'
const COMMIT = '\u001b[?2026l'
/** Lines must not wrap, or the way back up would be miscounted. */
const NO_WRAP = '\u001b[?7l'
const WRAP = '\u001b[?7h'

export function createLiveScreen(stream: { write(text: string): unknown }): LiveScreen {
  let drawn = 0
  let last = ''
  let cleared = false
  let hidden = false
  return {
    draw(lines) {
      const frame = lines.map((line) => `\u001b[2K${line}`).join('\n')
      if (frame === last && !cleared) return
      const start = cleared ? '\u001b[H\u001b[2J' : drawn > 0 ? `\u001b[${drawn}A\r` : ''
      stream.write(
        `${hidden ? '' : HIDE_CURSOR}${BEGIN}${NO_WRAP}${start}${frame}\n\u001b[J${WRAP}${COMMIT}`,
      )
      hidden = true
      drawn = lines.length
      last = frame
      cleared = false
    },
    reset() {
      cleared = true
    },
    erase() {
      if (cleared) stream.write('\u001b[H\u001b[2J')
      else if (drawn > 0) stream.write(`\u001b[${drawn}A\r\u001b[J`)
      drawn = 0
      last = ''
      cleared = false
    },
    end() {
      if (hidden) stream.write(SHOW_CURSOR)
    },
  }
}
