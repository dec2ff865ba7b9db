import type { Screen } from './hosted-terminal.ts'
import { renderRow } from './render-row.ts'

interface Viewer {
  /** Something changed: the next frame comes soon. */
  refresh(): void
  resize(columns: number, rows: number): void
  close(): void
}

/** At most so many milliseconds old is what a person sees. */
const FRAME = 25

/**
 * Shows a screen in a terminal of any size: frames hold the rows that changed, as bytes to print. Output is never passed through,
 * so that questions a program asks its terminal are answered once, by the screen, and a smaller terminal shows the part around the cursor.
 */
export function createViewer(options: { screen: Screen; columns: number; rows: number; onFrame: (bytes: string) => void }): Viewer {
  const { screen, onFrame } = options
  let { columns, rows } = options
  let shown: string[] = []
  let modes = ''
  let timer: NodeJS.Timeout | undefined

  const draw = () => {
    timer = undefined
    const { active } = screen.buffer
    const top = Math.max(0, active.cursorY - rows + 1)
    const left = Math.max(0, active.cursorX - columns + 1)
    let frame = ''
    for (let row = 0; row < rows; row += 1) {
      const line = top + row < screen.rows ? active.getLine(active.baseY + top + row) : undefined
      const content = renderRow(line, left, Math.min(columns, screen.cols - left))
      if (shown[row] === content) continue
      shown[row] = content
      frame += `\u001B[${String(row + 1)};1H${content}\u001B[0m\u001B[K`
    }
    const { bracketedPasteMode, applicationCursorKeysMode } = screen.modes
    const wanted = `\u001B[?2004${bracketedPasteMode ? 'h' : 'l'}\u001B[?1${applicationCursorKeysMode ? 'h' : 'l'}`
    if (wanted !== modes) frame += wanted
    modes = wanted
    onFrame(`\u001B[?25l${frame}\u001B[${String(active.cursorY - top + 1)};${String(active.cursorX - left + 1)}H\u001B[?25h`)
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
