import { cut } from '../../../../packages/subagents/src/terminal/width.ts'

/**
 * Draws the hint in the last row of a terminal and goes back to where the cursor was. One that is
 * wider than the terminal would scroll all of it.
 */
export function hintLine(
  title: string,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): string {
  const text = cut(` ${title}, Ctrl-] leaves, the agent goes on `, columns)
  return `\u001B7\u001B[${String(rows)};1H\u001B[0;7m${text}\u001B[0m\u001B[K\u001B8`
}
