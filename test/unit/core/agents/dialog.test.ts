import { describe, expect, it } from 'vitest'
import {
  isAtDialog,
  lastLinesOf,
  restsAtDialog,
  shownReason,
} from '../../../../src/core/agents/dialog.ts'

describe('what a dialog is known by', () => {
  it.each([
    ['', ''],
    ['\n\n   \n', ''],
    ['────────\n  Go on?\n\n  ❯ 1. Yes\n    2. No\n', 'Go on?\n❯ 1. Yes\n2. No'],
    ['╭─────╮\n│ a  b │\n╰─────╯', 'a b'],
    ['▄▄▄▄\n█ x █', 'x'],
    [
      Array.from({ length: 40 }, (_, row) => `row ${row}`).join('\n'),
      Array.from({ length: 12 }, (_, row) => `row ${row + 28}`).join('\n'),
    ],
    ['w'.repeat(500), `${'w'.repeat(120)}…`],
  ])('are its last lines that say something: %j', (screen, lines) => {
    expect(lastLinesOf(screen)).toBe(lines)
  })

  it('stands in the reason of the wait, and is distinguished from all other waits', () => {
    for (const state of ['idle', 'running'] as const) {
      const stateReason = shownReason({ state, stateReason: null }, 'Go on?\nYes')
      expect(stateReason).toContain('Go on? · Yes')
      expect(isAtDialog({ state: 'waiting', stateReason })).toBe(true)
      expect(restsAtDialog({ state: 'waiting', stateReason })).toBe(state === 'idle')
      expect(isAtDialog({ state: 'idle', stateReason })).toBe(false)
    }
    for (const stateReason of [
      null,
      'wait',
      'question q-1',
      'permission to use Bash',
      'asks in its terminal',
    ]) {
      expect(isAtDialog({ state: 'waiting', stateReason })).toBe(false)
    }
  })
})
