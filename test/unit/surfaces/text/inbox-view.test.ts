import { describe, expect, it } from 'vitest'
import { inboxLines, itemLines } from '../../../../src/surfaces/text/inbox/inbox-view.ts'
import type { Inbox } from '../../../../src/surfaces/text/inbox/inbox-answer.ts'
import { createPalette } from '../../../../src/surfaces/text/palette.ts'
import { displayWidth } from '../../../../src/surfaces/text/width.ts'
import { item } from './sample-inbox.ts'

const now = 1_000_000
const options = { width: 80, palette: createPalette(false), now }
const whole = { ...options, all: false, clear: false }

const items: Inbox['items'] = [
  item({ since: now - 3 * 60_000 }),
  item({
    number: 2,
    id: 'pull:12',
    type: 'pull',
    since: now - 60_000,
    title: '#12 “Keep the sessions in a table of their own” of auth can be merged into main',
    text: 'Keep the sessions\nmain.auth → main at 1234567890',
    settle: ['exomonad pr diff 12', 'exomonad pr merge 12'],
  }),
  item({
    number: 3,
    type: 'failed',
    since: now - 5000,
    title: 'docs\u001b[2J failed: exit code 1',
  }),
]
const news: Inbox['news'] = [
  {
    ...{ agent: 'index', agent_id: 'i', count: 3, kinds: ['note'], messages: ['m-1', 'm-2'] },
    newest: { kind: 'note', text: '[NOTE] index:\ncommitted, filing now', at: now - 60_000 },
  },
  {
    ...{ agent: null, agent_id: null, count: 1, kinds: ['forge.trouble'], messages: ['m-3'] },
    newest: { kind: 'forge.trouble', text: '[FORGE] no connection', at: now - 90_000 },
  },
]
const message = (id: string, text: string) => ({
  id,
  kind: 'note',
  text,
  at: now,
  question_id: null,
})

describe('the inbox in 80 columns', () => {
  it('has what needs the person, numbered, then a line of news for each agent', () => {
    expect(inboxLines({ items, news, messages: [] }, whole)).toEqual([
      '#  TYPE      NEEDS YOU                                                    SINCE',
      '1  question  auth asks: Which database?                                   3m ago',
      '2  pull      #12 “Keep the sessions in a table of their own” of auth…     1m ago',
      '3  failed    docs failed: exit code 1                                     5s ago',
      '',
      'FROM      NEWS                                    NEWEST',
      'index     3 notes, newest: committed, filing now  1m ago',
      'exomonad  1 message, newest: no connection        1m ago',
      '',
      'exomonad next shows the first whole, exomonad inbox NUMBER another',
      'exomonad inbox --clear marks the news as read, --all shows it whole',
    ])
  })

  it('says so where nothing needs anybody, or nothing of what was asked for', () => {
    const nothing = { items: [], news: [], messages: [] }
    expect(inboxLines(nothing, whole)).toEqual(['Nothing needs you'])
    expect(inboxLines(nothing, { ...whole, agent: 'auth' })).toEqual(['Nothing of that needs you'])
    expect(inboxLines({ ...nothing, news }, whole).slice(0, 2)).toEqual(['Nothing needs you', ''])
  })

  it('shows every message of the news where all are wanted', () => {
    const messages = [message('m-1', '[NOTE] first\nsecond line'), message('m-2', 'later')]
    expect(inboxLines({ items: [], news, messages }, { ...whole, all: true })).toEqual([
      'Nothing needs you',
      '',
      '● index note just now',
      '  [NOTE] first',
      '  second line',
      '',
      '● index note just now',
      '  later',
      '',
      'exomonad inbox --clear marks the news as read, --all shows it whole',
    ])
  })

  it.each([20, 40, 80, 200])('is not wider than %i columns', (width) => {
    // What is never cut (number, type, age) and the least of a title need some room.
    for (const line of inboxLines({ items, news, messages: [] }, { ...whole, width }))
      expect(displayWidth(line)).toBeLessThanOrEqual(Math.max(width, 39))
  })
})

describe('one item', () => {
  it('is whole, with what settles it', () => {
    expect(itemLines(items[1] ?? item(), options)).toEqual([
      '2 pull 1m ago · pull:12',
      '#12 “Keep the sessions in a table of their own” of auth can be merged into main',
      '',
      '  Keep the sessions',
      '  main.auth → main at 1234567890',
      '',
      'What settles it:',
      '  exomonad pr diff 12',
      '  exomonad pr merge 12',
      'By its number: exomonad inbox 2 --merge',
    ])
  })

  it('says nothing twice, and leaves commands whole where they are wider than the terminal', () => {
    const settle = [`exomonad answer ${'a'.repeat(90)} "…"`]
    const lines = itemLines(item({ since: now, settle }), options)
    expect(lines).toEqual([
      '1 question just now · question:q-11111111',
      'auth asks: Which database?',
      '',
      'What settles it:',
      `  ${settle[0]}`,
      'By its number: exomonad inbox 1 --answer "…"',
    ])
  })

  it('folds long words of others, without their control characters', () => {
    const text = `Which \u001b[31mdatabase?\n${'word '.repeat(40)}`
    const lines = itemLines(item({ text, title: 'auth asks: Which database?' }), options)
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(80)
    expect(lines.join('\n')).not.toContain('\u001b')
    expect(lines.join(' ').match(/word/g)).toHaveLength(40)
  })
})
