import type { HostedTerminal } from './hosted-terminal.ts'
import { renderRow } from './render-row.ts'

interface Viewer {
  /** Something changed: the next frame comes soon. */
  refresh(): void
  resize(columns: number, rows: number): void
  close(): void
}

/** At most so many milliseconds old is what a person sees. */
const FRAME = 25

/** Nothing about the mouse is reported any more. */
export const NO_MOUSE = '\u001B[?9;1000;1002;1003;1006l'
const TRACKING = {
  none: '',
  x10: '\u001B[?9;1006h',
  vt200: '\u001B[?1000;1006h',
  drag: '\u001B[?1002;1006h',
  any: '\u001B[?1003;1006h',
} as const

/**
 * Shows a screen in a terminal of any size: frames hold the rows that changed, as bytes to print.
 * Output is never passed through, so that questions a program asks its terminal are answered once,
 * by the screen, and a smaller terminal shows the part around the cursor.
 */
export function createViewer(options: {
  terminal: Pick<HostedTerminal, 'screen' | 'sgrMouse'>
  columns: number
  rows: number
  /** What the mouse does is sent to the program. */
  mouse: boolean
  /** In place of `columns` and `rows` those of the screen, whenever they change. */
  whole?: boolean
  onFrame: (bytes: string) => void
  /** Who looks has not taken what there was: the next frame waits, and has it all. */
  isBehind: () => boolean
}): Viewer {
  const { terminal, onFrame, isBehind } = options
  const { screen } = terminal
  let { columns, rows } = options
  let shown: string[] = []
  let modes = ''
  let timer: NodeJS.Timeout | undefined

  const draw = () => {
    timer = undefined
    if (isBehind()) return refresh()
    const { active } = screen.buffer
    let frame = ''
    if (options.whole === true && (columns !== screen.cols || rows !== screen.rows)) {
      ;[columns, rows, shown] = [screen.cols, screen.rows, []]
      frame = '\u001B[2J'
    }
    const top = Math.max(0, active.cursorY - rows + 1)
    const left = Math.max(0, active.cursorX - columns + 1)
    for (let row = 0; row < rows; row += 1) {
      const line = top + row < screen.rows ? active.getLine(active.baseY + top + row) : undefined
      const content = renderRow(line, left, Math.min(columns, screen.cols - left))
      if (shown[row] === content) continue
      shown[row] = content
      frame += `\u001B[${String(row + 1)};1H${content}\u001B[0m\u001B[K`
    }
    const { bracketedPasteMode, applicationCursorKeysMode, mouseTrackingMode } = screen.modes
    // Where a part is shown, places in it are others than those on the screen.
    const tracking =
      options.mouse && terminal.sgrMouse && top === 0 && left === 0
        ? TRACKING[mouseTrackingMode]
        : ''
    const wanted = `\u001B[?2004${bracketedPasteMode ? 'h' : 'l'}\u001B[?1${applicationCursorKeysMode ? 'h' : 'l'}${NO_MOUSE}${tracking}`
    if (wanted !== modes) frame += wanted
    modes = wanted
    onFrame(
      `\u001B[?25l${frame}\u001B[${String(active.cursorY - top + 1)};${String(active.cursorX - left + 1)}H\u001B[?25h`,
    )
  }
  const refresh = () => {
    timer ??= setTimeout(draw, FRAME)
  }
  refresh()

  return {
    refresh,
    resize: (newColumns, newRows) => {
      columns = newColumns
      rows = newRows
      shown = []
      refresh()
    },
    close: () => clearTimeout(timer),
  }
}
