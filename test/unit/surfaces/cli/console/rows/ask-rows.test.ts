import { describe, expect, it } from 'vitest'
import { EMPTY } from '../../../../../../src/surfaces/cli/console/input/line-editor.ts'
import { askRows } from '../../../../../../src/surfaces/cli/console/rows/ask-rows.ts'
import { initialState, type Ask } from '../../../../../../src/surfaces/cli/console/state.ts'
import { createPalette } from '../../../../../../src/surfaces/text/palette.ts'
import { displayWidth } from '../../../../../../src/surfaces/text/width.ts'

const label = (ask: Ask, columns: number): string =>
  askRows(initialState(), ask, {
    ...{ columns, rows: 30, now: 0, spin: 0 },
    palette: createPalette(false),
  }).rows[0] ?? ''

describe('the label of what is written', () => {
  const approve: Ask = {
    ...{ kind: 'approve', agent: 'auth', approvalId: 'p-1', line: EMPTY },
    what: 'rm -rf build\nand all that is in it',
  }

  it('says what it answers, as far as there is room beside the keys', () => {
    expect(label(approve, 120)).toContain(
      'approve what auth asks: rm -rf build and all that is in it · a reason, or just Enter · Escape goes back',
    )
    const narrow = label(approve, 90)
    expect(narrow).toMatch(
      /auth asks: rm -rf build.*… · a reason, or just Enter · Escape goes back/,
    )
    expect(displayWidth(narrow)).toBe(90)
    const question: Ask = {
      ...{ kind: 'answer', agent: 'auth', questionId: 'q-1', line: EMPTY },
      what: 'Which database?',
    }
    expect(label(question, 60)).toContain('answer to auth: Which database? · Escape goes back')
  })

  it('says of it what fits where there is hardly any', () =>
    expect(label(approve, 50)).toContain('asks: rm -rf build'))
})
