import { describe, expect, it } from 'vitest'
import type { WireEvent } from '../../../../../src/surfaces/client.ts'
import { createPalette } from '../../../../../src/surfaces/text/palette.ts'
import { happenedLines, summaryLines } from '../../../../../src/surfaces/text/log/log-lines.ts'
import { dayOf, spanWords } from '../../../../../src/surfaces/text/log/log-words.ts'
import { summarize } from '../../../../../src/surfaces/text/log/summary.ts'
import { displayWidth } from '../../../../../src/surfaces/text/width.ts'
import { node } from '../sample-tree.ts'

const palette = createPalette(false)
const SINCE = new Date(2026, 10, 25, 22, 0, 0).getTime()
const NOW = SINCE + 9 * 3_600_000
const event = (
  minutes: number,
  type: string,
  payload: WireEvent['payload'] = {},
  agentId: string | null = 'id-main.a',
): WireEvent => ({
  seq: minutes,
  type,
  at: SINCE + minutes * 60_000,
  agentId,
  actor: 'daemon',
  why: null,
  payload,
})

const nodes = [
  node('main', { kind: 'root', age_seconds: 400_000, state: 'idle', state_age_seconds: 1 }),
  node('main.a', { age_seconds: 7200, tokens: 400_000, cost_usd: 1.5 }),
  node('main.b', { age_seconds: 60, tokens: 100_000, unpriced_models: ['mystery'] }),
  node('main.old', { age_seconds: 90_000, tokens: 9_000_000, cost_usd: 30 }),
  node('main.rest', { age_seconds: 90_000, tokens: 5, state: 'idle', state_age_seconds: 80_000 }),
]

describe('the summary of a night', () => {
  const summary = summarize(
    [
      event(-5, 'pr.merged', { number: 1 }),
      event(-4, 'agent.failed', { name: 'early' }),
      event(5, 'pr.merged', { number: 3 }),
      event(6, 'pr.merged', { number: 3 }),
      event(7, 'pr.merged', { number: 7 }),
      event(8, 'agent.failed', { name: 'b' }, 'id-main.b'),
      event(9, 'agent.failed', { name: 'b' }, 'id-main.b'),
      event(10, 'spawn.failed', { name: 'c' }, null),
      event(20, 'agent.waiting', {}),
      event(92, 'agent.state', { from: 'waiting' }),
    ],
    nodes,
    { since: SINCE, now: NOW },
  )

  it('counts each merge and failure of the time once, and what its agents used', () => {
    expect(summary).toEqual({
      merged: [3, 7],
      failed: ['b', 'c'],
      waited_for_you: { seconds: 72 * 60, count: 1, open: 0 },
      spent: {
        agents: 2,
        tokens: 500_000,
        cost_usd: 1.5,
        unpriced_models: ['mystery'],
        others: 1,
      },
    })
  })

  it('says it in a few lines', () => {
    expect(summaryLines(summary, { since: SINCE, now: NOW }, { palette })).toEqual([
      'Since Wed 25 Nov 22:00 (9h)',
      'merged          2: #3, #7',
      'failed          2: b, c',
      'waited for you  1h 12m in 1 wait',
      'spent           500k tokens, $1.50 and mystery without a price by 2 agents started since; 1 agent from before worked too, how much is not known',
    ])
    for (const line of summaryLines(summary, { since: SINCE, now: NOW }, { palette, width: 60 }))
      expect(displayWidth(line)).toBeLessThanOrEqual(60)
  })

  it('says of a quiet night that there was nothing', () => {
    const quiet = summarize([], [], { since: SINCE, now: NOW })
    expect(summaryLines(quiet, { since: SINCE, now: NOW }, { palette }).slice(1)).toEqual([
      'merged          0',
      'failed          0',
      'waited for you  0',
      'spent           nothing',
    ])
  })

  it('says what still waits', () => {
    const waits = summarize([event(500, 'agent.waiting')], [], { since: SINCE, now: NOW })
    expect(summaryLines(waits, { since: SINCE, now: NOW }, { palette })[3]).toBe(
      'waited for you  40m in 1 wait, 1 of them still (exomonad inbox)',
    )
  })
})

describe('what happened', () => {
  it('stands in its own words, whole, below the day it happened on', () => {
    const message = 'The parser is done, and all of its tests are green as far as I can see.'
    const lines = happenedLines(
      [
        event(1, 'note', { name: 'a', message }),
        event(150, 'pr.merged', { number: 3, title: 'Parse\u001b[2J', base: 'main' }),
        event(151, 'agent.killed', { name: 'a', by: 'human' }),
      ],
      () => 'a',
      { palette, width: 64 },
    )
    expect(lines).toEqual([
      '── Wed 25 Nov ──',
      '22:01:00 a                ✎ note: The parser is done, and all of',
      '                            its tests are green as far as I can',
      '                            see.',
      '── Thu 26 Nov ──',
      '00:30:00 a                ⇐ merged #3 Parse into main',
      '00:31:00 a                ✗ killed by human',
    ])
    const again = happenedLines([event(151, 'agent.killed', { by: 'human' })], () => 'a', {
      palette,
      before: dayOf(NOW),
    })
    expect(again).toEqual(['00:31:00 a                ✗ killed by human'])
  })

  it.each([
    [0, '0s'],
    [59.9, '59s'],
    [60, '1m'],
    [3599, '59m'],
    [3600, '1h'],
    [4320, '1h 12m'],
    [90_000, '25h'],
  ])('%d seconds are %s', (seconds, words) => {
    expect(spanWords(seconds)).toBe(words)
  })
})
