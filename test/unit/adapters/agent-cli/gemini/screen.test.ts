import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inputLineOf, stateOf } from '../../../../../src/adapters/agent-cli/gemini/screen.ts'

/** Recorded of 0.61.0 with `tmux capture-pane -p -e`. */
const screen = (name: string): string =>
  readFileSync(
    join(
      import.meta.dirname,
      '..',
      '..',
      '..',
      '..',
      'fixtures',
      'gemini',
      'screens',
      `${name}.txt`,
    ),
    'utf8',
  )

describe('the input line of Gemini CLI', () => {
  it.each(['empty', 'yolo', 'empty-256-colors'])(
    'is empty where only its hint stands there (%s)',
    (name) => {
      expect(inputLineOf(screen(name))).toBe('empty')
    },
  )

  it.each(['text', 'multi', 'text-256-colors'])('has text (%s)', (name) => {
    expect(inputLineOf(screen(name))).toBe('text')
  })

  it.each(['theme', 'login', 'permission', 'shell-mode'])(
    'can’t be determined where something else takes keys (%s)',
    (name) => {
      expect(inputLineOf(screen(name))).toBe('unknown')
    },
  )

  it('can’t be determined on a screen that is not Gemini CLI’s', () => {
    expect(inputLineOf('')).toBe('unknown')
    expect(inputLineOf('$ gemini\n> ')).toBe('unknown')
    expect(inputLineOf('\u001b[38;5;7m > \u001b[0m Type your message or @path/to/file')).toBe(
      'unknown',
    )
  })

  it('has text where the cursor was moved to its beginning, and reads rows of the headless terminal', () => {
    expect(inputLineOf(' > \u001b[0;7mh\u001b[0malf a line')).toBe('text')
    expect(
      inputLineOf(' > \u001b[0;7;38;2;1;2;3m \u001b[0m Type your message or @path/to/file'),
    ).toBe('empty')
  })
})

describe('the terminal’s title of Gemini CLI', () => {
  it.each([
    ['◇  Ready (auth)', 'idle'],
    ['✦  Working… (auth)', 'running'],
    ['✦  Reading files (auth)', 'running'],
    ['⏲  Working… (auth)', 'running'],
    ['✋  Action Required (auth)', 'waiting'],
    ['Gemini CLI (auth)', 'unknown'],
    ['host', 'unknown'],
    ['', 'unknown'],
    [null, 'unknown'],
  ] as const)('%s: %s', (title, state) => {
    expect(stateOf(title)).toMatchObject({ state, source: 'screen' })
  })
})
