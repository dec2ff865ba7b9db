import { describe, expect, it } from 'vitest'
import type { WireEvent } from '../../../../src/surfaces/client.ts'
import { visitAt } from '../../../../web/src/live/visits.ts'
import { KINDS, typesOf } from '../../../../web/src/views/timeline/kinds.ts'
import { beginOf, lanesOf } from '../../../../web/src/views/timeline/lanes.ts'
import { linksOf } from '../../../../web/src/views/timeline/links.ts'
import {
  fieldText,
  presetRange,
  rangeOf,
  ticksOf,
} from '../../../../web/src/views/timeline/ranges.ts'
import { fits } from '../../../../web/src/views/timeline/fits.ts'
import { ALL_EVENTS } from '../../../../src/events/all.ts'
import { node } from '../../surfaces/text/sample-tree.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

let seq = 0
const event = (
  type: string,
  at: number,
  agentId: string | null = 'a',
  payload: Readonly<Record<string, unknown>> = {},
): WireEvent => ({ seq: ++seq, type, at, agentId, actor: 'daemon', why: null, payload })

const local = (text: string): number => new Date(text).getTime()

describe('a stretch of time', () => {
  it('is last night from evening to morning, and goes on while it is night', () => {
    const night = { since: local('2026-11-26T18:00'), until: local('2026-11-27T08:00') }
    expect(presetRange('night', local('2026-11-27T09:30'), null)).toEqual(night)
    expect(presetRange('night', local('2026-11-27T23:00'), null)).toEqual(night)
    expect(presetRange('night', local('2026-11-27T02:00'), null)).toEqual({ ...night, until: null })
  })

  it('is what the address says', () => {
    const now = local('2026-11-27T09:30')
    const read = (text: string) => rangeOf(new URLSearchParams(text), now, now - 3 * HOUR)
    expect(read('range=here')).toEqual({
      preset: 'here',
      range: { since: now - 3 * HOUR, until: null },
    })
    expect(read('from=2026-11-26T22:00&to=2026-11-27T06:00').range).toEqual({
      since: local('2026-11-26T22:00'),
      until: local('2026-11-27T06:00'),
    })
    // What ends before it begins has no end; what is no time is none.
    expect(read('from=2026-11-26T22:00&to=2026-11-26T21:00').range.until).toBe(null)
    expect(read('from=x&range=nothing').preset).toBe('day')
    expect(fieldText(local('2026-01-02T03:04'))).toBe('2026-01-02T03:04')
  })

  it('has few and round ticks', () => {
    const since = local('2026-11-27T09:07')
    for (const hours of [0.2, 1, 5, 24, 24 * 7, 24 * 90]) {
      const ticks = ticksOf(since, since + hours * HOUR)
      expect(ticks.length).toBeGreaterThan(0)
      expect(ticks.length).toBeLessThanOrEqual(9)
    }
    expect(ticksOf(since, since + HOUR).map((tick) => new Date(tick).getMinutes() % 5)).toEqual(
      Array.from({ length: ticksOf(since, since + HOUR).length }, () => 0),
    )
  })
})

describe('when somebody was here', () => {
  it('is the end of the visit before, however often they come back within this one', () => {
    const evening = local('2026-11-26T22:00')
    expect(visitAt(null, evening)).toEqual({ seen: evening, before: null })
    const morning = evening + 9 * HOUR
    expect(visitAt(`${evening} 0`, morning)).toEqual({ seen: morning, before: evening })
    expect(visitAt(`${morning} ${evening}`, morning + MINUTE)).toEqual({
      seen: morning + MINUTE,
      before: evening,
    })
    expect(visitAt('nonsense', evening).before).toBe(null)
  })
})

describe('kinds of events', () => {
  it('leave out no type but by what is wanted', () => {
    const found = new Set(KINDS.flatMap(({ types }) => types))
    expect(
      ALL_EVENTS.filter(({ type, minor }) => minor !== true && !found.has(type)).map(
        ({ type }) => type,
      ),
    ).toEqual([])
    expect(typesOf([], true)).toBe(null)
    expect(typesOf([], false)).not.toContain('agent.state')
    expect(typesOf(['agents'], true)).toContain('agent.state')
    // One of the three matters little.
    expect(typesOf(['merged'], false)?.toSorted()).toEqual(['landing.done', 'pr.merged'])
  })
})

describe('lanes', () => {
  const now = 10 * HOUR
  const range = { since: 0, until: null }
  const nodes = [
    node('main.a', { id: 'a' as never, age_seconds: 5 * 3600 }),
    node('main.b', { id: 'b' as never, age_seconds: 5 * 3600 }),
  ]

  it('stand in the order of the tree, with what happened and how long a person was waited for', () => {
    const lanes = lanesOf(
      [
        event('agent.spawned', 5 * HOUR, 'b'),
        event('agent.waiting', 6 * HOUR, 'b'),
        event('agent.state', 7 * HOUR, 'b', { from: 'waiting', to: 'running' }),
        event('agent.failed', 8 * HOUR, 'b', { name: 'b' }),
        event('pr.merged', 9 * HOUR, 'a', { number: 1 }),
        event('daemon.started', 9 * HOUR, null),
        event('note', 9 * HOUR, 'c'),
      ],
      nodes,
      range,
      now,
    )
    expect(lanes.map(({ agentId }) => agentId)).toEqual(['a', 'b'])
    expect(lanes[0]).toMatchObject({ from: 5 * HOUR, to: now, waits: [] })
    expect(lanes[1]).toMatchObject({ from: 5 * HOUR, to: 8 * HOUR })
    expect(lanes[1]?.marks.map(({ word }) => word)).toEqual(['spawned', 'asked', 'failed'])
    expect(lanes[1]?.waits.map(({ from, to }) => [from, to])).toEqual([[6 * HOUR, 7 * HOUR]])
  })

  it('draw as one what lies too close together', () => {
    const [lane] = lanesOf(
      [1, 2, 3].map((minute) => event('ci.passed', 9 * HOUR + minute * MINUTE)),
      nodes,
      range,
      now,
    )
    expect(lane?.marks.map(({ word, count }) => [word, count])).toEqual([['checks green', 3]])
  })

  it('begin where something happens first', () => {
    expect(beginOf([], range, now)).toBe(0)
    const begin = beginOf([event('pr.opened', 9 * HOUR)], range, now)
    expect(begin).toBeLessThan(9 * HOUR)
    expect(begin).toBeGreaterThan(8.9 * HOUR)
  })
})

describe('what comes in', () => {
  it('is shown where the daemon would have sent it', () => {
    const byId = new Map([
      ['root', { parent_id: null }],
      ['lead', { parent_id: 'root' as never }],
      ['worker', { parent_id: 'lead' as never }],
    ])
    const wish = { since: 100, until: 200, types: ['note'], under: 'lead' }
    expect(fits(event('note', 150, 'worker'), wish, byId)).toBe(true)
    expect(fits(event('note', 150, 'lead'), wish, byId)).toBe(true)
    expect(fits(event('note', 150, 'root'), wish, byId)).toBe(false)
    expect(fits(event('note', 150, null), wish, byId)).toBe(false)
    expect(fits(event('mail', 150, 'lead'), wish, byId)).toBe(false)
    expect(fits(event('note', 200, 'lead'), wish, byId)).toBe(false)
    expect(fits(event('note', 99, 'lead'), wish, byId)).toBe(false)
    expect(fits(event('note', 150, null), { ...wish, under: null, types: null }, byId)).toBe(true)
  })

  it('leads to its pull request, its question, and whoever else it is about', () => {
    expect(linksOf(event('pr.merged', 0, 'a', { number: 4 }))).toEqual([
      { href: '/pulls/4', words: '#4' },
    ])
    expect(linksOf(event('question.asked', 0, 'a', { question_id: 'q-1' }))).toEqual([
      { href: '/inbox?item=question%3Aq-1', words: 'question' },
    ])
    expect(linksOf(event('conflict.foretold', 0, 'a', { partner_id: 'b/?' }))).toEqual([
      { href: '/agents/b%2F%3F', words: 'the other' },
    ])
    expect(linksOf(event('delivery.acked', 0, 'a', { delivery_id: 'm-1' }))).toEqual([])
    expect(linksOf(event('delivery.undecided', 0, 'a', { delivery_id: 'm-1' }))).toEqual([
      { href: '/inbox?item=delivery%3Am-1', words: 'delivery' },
    ])
    expect(linksOf(event('issue.refused', 0, null, { number: 4 }))).toEqual([])
  })
})
