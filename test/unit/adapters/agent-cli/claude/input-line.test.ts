import { describe, expect, it } from 'vitest'
import { claudeInputLine } from '../../../../../src/adapters/agent-cli/claude/input-line.ts'

const ESC = '\u001B'
const RULE = `${ESC}[38;5;244m${'─'.repeat(60)}`
const screen = (...box: string[]) =>
  [
    '● Understood.',
    '',
    RULE,
    ...box,
    RULE,
    `${ESC}[39m  ${ESC}[38;5;246m⏸ manual mode on · ? for shortcuts${ESC}[39m`,
    '',
  ].join('\n')

/** As tmux 3.3a captured Claude Code 2.1.330, with `capture-pane -e`. */
describe('the box of Claude Code', () => {
  it.each([
    ['empty', screen(`${ESC}[39m❯\u00A0${ESC}[7m ${ESC}[0m${ESC}[39m${ESC}[49m`)],
    ['text', screen(`${ESC}[39m❯\u00A0half a line${ESC}[7m ${ESC}[0m${ESC}[39m${ESC}[49m`)],
    ['text', screen(`${ESC}[39m❯\u00A0half ${ESC}[7ma${ESC}[0m line${ESC}[39m`)],
    ['text', screen(`${ESC}[39m❯\u00A0`, `  second line${ESC}[7m ${ESC}[0m`)],
    ['text', screen(`${ESC}[39m❯\u00A0[Pasted text #1 +30 lines]${ESC}[7m ${ESC}[0m`)],
    // What is dim stands in an empty box.
    [
      'empty',
      screen(
        `${ESC}[38;5;246m❯\u00A0${ESC}[7m${ESC}[39mP${ESC}[0;2m${ESC}[39m${ESC}[49mress up to edit queued messages${ESC}[0m`,
      ),
    ],
    ['text', screen(`!\u00A0${ESC}[39mls${ESC}[7m ${ESC}[0m`)],
  ])('%s', (found, shown) => {
    expect(claudeInputLine(shown)).toBe(found)
  })

  it('can’t be seen behind a dialog or a menu, nor in what is no Claude Code', () => {
    expect(claudeInputLine(screen(' ☐ Q', '', 'Which?', '', '❯ 1. A', '  2. B'))).toBe('unknown')
    expect(
      claudeInputLine(`${RULE}\n Bash command\n\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n`),
    ).toBe('unknown')
    expect(claudeInputLine('$ ls\nfile\n$ ')).toBe('unknown')
    expect(claudeInputLine('')).toBe('unknown')
  })
})
