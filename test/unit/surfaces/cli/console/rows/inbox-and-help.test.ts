import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../../../../../src/surfaces/cli/console/input/commands.ts'
import { helpRows } from '../../../../../../src/surfaces/cli/console/rows/help-rows.ts'
import {
  inboxRows,
  itemCalled,
  itemsOf,
} from '../../../../../../src/surfaces/cli/console/rows/inbox-rows.ts'
import { inboxOf, item } from '../../../text/sample-inbox.ts'
import { createPalette } from '../../../../../../src/surfaces/text/palette.ts'
import { displayWidth } from '../../../../../../src/surfaces/text/width.ts'

const palette = createPalette(false)
const now = 1_000_000
const inbox = inboxOf({
  questions: [
    {
      question_id: 'q-11111111',
      agent: 'auth',
      message: 'Which database?\n- SQLite\n- PostgreSQL',
      asked_at: now - 180_000,
    },
  ],
  approvals: [
    {
      approval_id: 'a-22222222',
      agent: 'bil\u001b[2Jling',
      what: 'git push --force',
      requested_at: now - 60_000,
    },
  ],
  news: [
    {
      agent: 'docs',
      agent_id: 'id-docs',
      count: 2,
      kinds: ['note'],
      newest: { kind: 'note', text: '[NOTE] halfway', at: now - 5000 },
      messages: ['m-1', 'm-2'],
    },
  ],
})
const rows = (selected: number, height = 40, width = 60): string[] =>
  inboxRows(itemsOf(inbox), { selected, width, height, now, palette })

describe('the inbox in the console', () => {
  it('has what is to be decided first, numbered, and nothing twice', () => {
    expect(rows(0)).toEqual([
      '› 1 ? question from auth · 3m ago',
      '    Which database?',
      '    - SQLite',
      '    - PostgreSQL',
      '  2 ! approval asked by billing · 1m ago',
      '    git push --force',
      '  3 ● docs · 5s ago',
      '    2 notes, newest: halfway',
      '',
      expect.stringContaining('Enter: answer it here'),
    ])
  })

  it('says for the selected one what to press', () => {
    expect(rows(1).at(-1)).toContain('approve')
    expect(rows(1).at(-1)).toContain('deny')
    expect(rows(2).at(-1)).toContain('read')
    expect(rows(2).filter((row) => row.startsWith('›'))).toEqual(['› 3 ● docs · 5s ago'])
  })

  it('shows what is settled elsewhere with the commands for it', () => {
    const waits = item({
      type: 'terminal',
      id: 'terminal:id-auth',
      title: 'auth waits in its terminal: Trust this folder?',
      settle: ['exomonad attach auth'],
    })
    const shown = inboxRows(itemsOf({ ...inboxOf(), items: [waits] }), {
      selected: 0,
      width: 60,
      height: 9,
      now,
      palette,
    })
    expect(shown.slice(0, 2)).toEqual(
      [
        '› 1 ! auth waits in its terminal: Trust this folder? · 16m a',
        '    exomonad attach auth',
      ].map((row, index) => (index === 0 ? expect.stringContaining(row.slice(0, 50)) : row)),
    )
    expect(shown.at(-1)).toContain('settled by the commands')
  })

  it('moves so that the selected one is seen where there is little room, and keeps to the width', () => {
    for (const selected of [0, 1, 2]) {
      const shown = rows(selected, 5, 24)
      expect(shown.length).toBeLessThanOrEqual(5)
      expect(shown.some((row) => row.startsWith(`› ${selected + 1}`))).toBe(true)
      for (const row of shown) expect(displayWidth(row)).toBeLessThanOrEqual(24)
    }
  })

  it('says so where nothing waits', () => {
    expect(inboxRows([], { selected: 0, width: 60, height: 10, now, palette })).toEqual([
      'Nothing waits for you. Escape goes back.',
    ])
  })

  it('finds an item by its number or its id', () => {
    const items = itemsOf(inbox)
    expect(itemCalled(items, '2')?.id).toBe('a-22222222')
    expect(itemCalled(items, 'q-1111')?.kind).toBe('question')
    expect(itemCalled(items, '9')).toBe(undefined)
    expect(itemCalled(items, 'zz')).toBe(undefined)
  })
})

describe('the help of the console', () => {
  it.each([40, 80, 200])('shows every command in %i columns', (width) => {
    const help = helpRows({ width, palette, place: 'conversation' })
    for (const { name } of COMMANDS)
      expect(help.some((row) => row.startsWith(`/${name}`))).toBe(true)
    for (const row of help) expect(displayWidth(row)).toBeLessThanOrEqual(width)
  })

  it('says the keys, and how to send text that begins with a slash', () => {
    const help = helpRows({ width: 100, palette, place: 'conversation' }).join('\n')
    for (const words of ['Alt-←', 'PgUp', 'Tab', 'Escape', 'Ctrl-C', '//'])
      expect(help).toContain(words)
  })
})
