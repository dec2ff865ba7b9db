import { describe, expect, it } from 'vitest'
import type { AgentState, StateSource } from '../../../../src/domain/records.ts'
import { concluded, type Seen } from '../../../../src/core/agents/observing.ts'
import { asPaneId } from '../../../../src/domain/ids.ts'
import { makeAgent } from '../make-agent.ts'

const STARTED = 0
const recorded = (
  state: AgentState,
  at: number,
  more: { stateSource?: StateSource; lastSeenAt?: number; stateReason?: string } = {},
) =>
  makeAgent({
    state,
    stateAt: at,
    lastSeenAt: at,
    paneId: asPaneId('%1'),
    stateSource: 'hook',
    ...more,
  })
const seen = (state: Seen['state'], at: number): Seen => ({ state, at })
const shown = (at: number): Seen => ({ state: 'waiting', at, tentative: true })

describe('what looks at a program lead to', () => {
  it.each<[string, ReturnType<typeof recorded>, Seen, Seen | undefined, Seen['state'] | undefined]>(
    [
      [
        'agrees with the record',
        recorded('running', 1000),
        seen('running', 9000),
        seen('running', 8000),
        undefined,
      ],
      ['idle, seen once', recorded('running', 1000), seen('idle', 9000), undefined, undefined],
      [
        'idle, seen twice',
        recorded('running', 1000),
        seen('idle', 9000),
        seen('idle', 8000),
        'idle',
      ],
      [
        'idle, seen twice at the same moment',
        recorded('running', 1000),
        seen('idle', 9000),
        seen('idle', 8900),
        undefined,
      ],
      [
        'idle, the look before being from another time',
        recorded('running', 1000),
        seen('idle', 200_000),
        seen('idle', 8000),
        undefined,
      ],
      [
        'idle, and something else in between',
        recorded('running', 1000),
        seen('idle', 9000),
        seen('running', 8000),
        undefined,
      ],
      [
        'idle, and a hook in between',
        recorded('running', 1000, { lastSeenAt: 8500 }),
        seen('idle', 9600),
        seen('idle', 8000),
        undefined,
      ],
      [
        'idle, a moment after the prompt’s hook',
        recorded('running', 8500),
        seen('idle', 9000),
        seen('idle', 8000),
        undefined,
      ],
      [
        'running, seen twice',
        recorded('idle', 1000),
        seen('running', 9000),
        seen('running', 8000),
        'running',
      ],
      [
        'a wait for a person, once is enough',
        recorded('running', 1000),
        seen('waiting', 9000),
        undefined,
        'waiting',
      ],
      [
        'a wait for a person that a hook just ended',
        recorded('running', 8900),
        seen('waiting', 9000),
        undefined,
        undefined,
      ],
      ['no prompt on its screen, once', recorded('idle', 1000), shown(9000), undefined, undefined],
      [
        'no prompt on its screen, for a moment',
        recorded('idle', 1000),
        shown(9000),
        shown(8000),
        undefined,
      ],
      [
        'no prompt on its screen, for longer',
        recorded('idle', 1000),
        shown(9000),
        shown(6000),
        'waiting',
      ],
      [
        'no prompt on its screen, and it went on in between',
        recorded('idle', 7000),
        shown(9000),
        shown(6000),
        undefined,
      ],
      [
        'work, while it waits in a call',
        recorded('waiting', 1000, { stateSource: 'tool' }),
        seen('running', 9000),
        seen('running', 8000),
        undefined,
      ],
      [
        'idle, while it waits in a call',
        recorded('waiting', 1000, { stateSource: 'tool' }),
        seen('idle', 9000),
        seen('idle', 8000),
        'idle',
      ],
      [
        'unknown, and a hook said running',
        recorded('running', 1000),
        seen('unknown', 9000),
        seen('unknown', 8000),
        undefined,
      ],
      [
        'unknown, and the record is of before the start',
        recorded('running', -1),
        seen('unknown', 9000),
        seen('unknown', 8000),
        'unknown',
      ],
      [
        'unknown, while recorded as idle',
        recorded('idle', 1000),
        seen('unknown', 9000),
        seen('unknown', 8000),
        'unknown',
      ],
      [
        'idle out of the unknown',
        recorded('unknown', 1000),
        seen('idle', 9000),
        seen('idle', 8000),
        'idle',
      ],
      [
        'anything, while it is started',
        recorded('spawning', 1000),
        seen('idle', 9000),
        seen('idle', 8000),
        undefined,
      ],
      [
        'anything, after its end',
        recorded('failed', 1000),
        seen('idle', 9000),
        seen('idle', 8000),
        undefined,
      ],
    ],
  )('%s', (_, agent, now, before, expected) => {
    expect(concluded(agent, now, before, STARTED)).toBe(expected)
  })
})
