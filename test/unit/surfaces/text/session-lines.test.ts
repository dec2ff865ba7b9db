import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AgentId } from '../../../../src/domain/ids.ts'
import { createPalette } from '../../../../src/surfaces/text/palette.ts'
import { headlessTops, sessionLines } from '../../../../src/surfaces/text/session-lines.ts'
import { noteCall } from '../../../../src/surfaces/cli/sessions/session-watch.ts'
import { NO_SUBAGENTS } from '../../../../packages/subagents/src/terminal/subagent-tree.ts'
import { displayWidth } from '../../../../src/surfaces/text/width.ts'
import { verifies } from '../../../requirements.ts'
import { node } from './sample-tree.ts'

const options = { width: 80, palette: createPalette(false), now: 5000, readAt: 3000, frame: 0 }
const session = (name: string, facts: object = {}) =>
  node('main', {
    id: name as AgentId,
    name,
    kind: 'llm',
    runtime: 'acp',
    age_seconds: 12,
    state_age_seconds: 0,
    ...facts,
  })

const tool = (agentId: string, at: number, phase: string, detail: string, more: object = {}) => ({
  ...{ seq: 1, type: 'agent.tool', at, agentId, actor: agentId, why: null },
  payload: { name: agentId, tool: 'read', detail, phase, ...more },
})

describe('sessions and processes as they work', () => {
  it(
    verifies(
      'R002-09',
      'shows each with its tool calls and elapsed time, and set in below it those that it made',
    ),
    () => {
      const known = [
        tool('auth', 1000, 'started', 'Read src/auth.ts'),
        tool('auth', 1400, 'ended', 'Read src/auth.ts', { status: 'completed' }),
        tool('auth', 2000, 'started', 'Search token'),
        tool('callers', 2500, 'started', 'Search login'),
        tool('callers', 2600, 'ended', 'Search login(', { status: 'failed' }),
      ].reduce(noteCall, NO_SUBAGENTS)
      const root = session('auth', {
        tool_calls: 2,
        tokens: 3100,
        children: [
          session('callers', {
            kind: 'spawn',
            age_seconds: 4,
            tool_calls: 1,
            state: 'waiting',
            state_reason: 'permission Search',
          }),
          session('make', {
            kind: 'process',
            runtime: 'headless',
            command: 'make all',
            state: 'failed',
            exit_code: 2,
            age_seconds: 9,
            state_age_seconds: 2,
          }),
        ],
      })
      expect(sessionLines([root], { ...options, known })).toEqual([
        '◐ running auth · 14s · 2 calls · 3.1k tokens',
        '  ⎿ read Read src/auth.ts',
        '  ⎿ read Search token',
        '  ◇ waiting: your permission Search callers · 6s · 1 call',
        '    ✗ read Search login',
        '  ✗ failed exit 2: make all make · 7s',
      ])
    },
  )

  it('keeps what a person has no window for, wherever it stands', () => {
    const root = node('main', {
      kind: 'root',
      children: [
        node('main.a', { children: [session('x')] }),
        session('y', { children: [session('z')] }),
      ],
    })
    expect(headlessTops(root).map(({ name }) => name)).toEqual(['x', 'y'])
  })

  it('fits the terminal, whatever they are called and do', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 30, max: 120 }),
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        (width, name, detail) => {
          const known = noteCall(NO_SUBAGENTS, tool('a', 0, 'started', detail))
          const lines = sessionLines(
            [
              session('a', {
                name,
                children: [
                  session('b', { name: detail, command: detail, tool_calls: 200, tokens: 1e6 }),
                ],
              }),
            ],
            {
              ...options,
              width,
              known,
            },
          )
          expect(lines).toHaveLength(3)
          for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width)
        },
      ),
    )
  })
})
