import { describe, expect, it } from 'vitest'
import { EVENTS } from '../../../../src/events/event.ts'
import { eventLine } from '../../../../src/surfaces/text/event-line.ts'
import { createPalette } from '../../../../src/surfaces/text/palette.ts'
import type { WireEvent } from '../../../../src/surfaces/client.ts'
import { displayWidth } from '../../../../src/surfaces/text/width.ts'

const palette = createPalette(false)
const event = (type: string, payload: Record<string, unknown>): WireEvent => ({
  seq: 1,
  type,
  at: 0,
  agentId: null,
  actor: 'daemon',
  why: null,
  payload,
})

describe('events as lines', () => {
  it.each(Object.keys(EVENTS))('has words for %s', (type) => {
    const line = eventLine(event(type, {}), 'auth', { palette })
    expect(line).toMatch(/^\d\d:\d\d:\d\d auth {13}\S /)
    expect(line).not.toContain(`${type} {`)
  })
  it('says who, what and why on one line, whatever agents wrote', () => {
    const line = eventLine(
      { ...event('note', { message: 'first\n\u001b[2Jsecond' }), why: 'asked' },
      'auth',
      { palette },
    )
    expect(line.slice(9)).toBe('auth             ✎ note: first second (asked)')
  })
  it('fits the width it is given', () => {
    expect(
      displayWidth(
        eventLine(event('note', { message: '日本'.repeat(80) }), 'auth', { palette, width: 60 }),
      ),
    ).toBeLessThanOrEqual(60)
  })
  it('shows types that it doesn’t know with their facts', () => {
    expect(eventLine(event('new.kind', { a: 1 }), null, { palette })).toContain('new.kind {"a":1}')
  })
})
