import xterm from '@xterm/headless'

/** What a terminal of this size shows after this text: its lines, without empty ones. */
export async function renderTerminal(
  text: string,
  columns: number,
  rows: number,
): Promise<string[]> {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    convertEol: true,
    allowProposedApi: true,
  })
  await new Promise<void>((resolve) => terminal.write(text, resolve))
  const { buffer } = terminal
  const lines = Array.from(
    { length: buffer.active.length },
    (_line, index) => buffer.active.getLine(index)?.translateToString(true) ?? '',
  )
  terminal.dispose()
  return lines.filter((line) => line !== '')
}
