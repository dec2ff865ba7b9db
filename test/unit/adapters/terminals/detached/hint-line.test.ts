import { Terminal } from '@xterm/headless'
import { expect, it } from 'vitest'
import { hintLine } from '../../../../../src/adapters/terminals/detached/hint-line.ts'

/** What a terminal shows after the hint was drawn below two lines. */
async function shown(title: string): Promise<string[]> {
  const size = { columns: 40, rows: 3 }
  const terminal = new Terminal({ cols: size.columns, rows: size.rows, allowProposedApi: true })
  await new Promise<void>((resolve) =>
    terminal.write(`one\r\ntwo\r\n${hintLine(title, size)}`, resolve),
  )
  const { active } = terminal.buffer
  const lines = Array.from({ length: active.length }, (_, row) =>
    active.getLine(row)!.translateToString(true),
  )
  terminal.dispose()
  return lines
}

it('is the last row, and nothing is scrolled for it', async () => {
  expect(await shown(`main.${'修正'.repeat(20)}`)).toEqual([
    'one',
    'two',
    expect.stringMatching(/^ main\.(修正)+/),
  ])
  expect(await shown(`main.${'fix-'.repeat(20)}`)).toEqual([
    'one',
    'two',
    expect.stringMatching(/^ main\.(fix-)+/),
  ])
  expect(await shown('main.fix')).toEqual(['one', 'two', ' main.fix, Ctrl-] leaves, the agent…'])
})
