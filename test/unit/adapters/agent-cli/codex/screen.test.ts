import { describe, expect, it } from 'vitest'
import { readInputLine, readTitle } from '../../../../../src/adapters/agent-cli/codex/screen.ts'

const ESC = '\u001b'
const sgr = (text: string): string => text.replaceAll('^', `${ESC}[`)

/** As tmux captured codex 0.169.0, colours and all. */
const PAST = sgr(`^38;5;255m^48;5;238m ^39m
^1;2m^38;5;255m› ^0m^38;5;255m^48;5;238msay hello^39m
^38;5;255m ^39m
^49m
^2m• ^0m^39m^49mdone
`)
const FOOTER = sgr(`
  ^38;5;223mGPT-6.1-Sol default^39m · ^38;5;151m/repository
^39m  ^1m←^0m^39m^49m for agents`)
const EMPTY = sgr('^1m›^0m^39m^49m ^2mAsk Codex to do anything\n^0m^39m^49m')
const DIALOG = sgr(`  ^1mWould you like to run the following command?
^0m^39m^49m
  $ ^38;2;137;180;250mtouch^38;2;205;214;244m probe.txt
^1;7m› 1. Yes, proceed (y)
^0m^39m^49m  2. Yes, and don't ask again (^1mp^0m^39m^49m)`)

describe('Codex’s box for prompts', () => {
  it.each([
    ['empty', 'a dim hint', PAST + EMPTY + FOOTER],
    ['text', 'a half line', PAST + sgr('^1m›^0m^39m^49m half a thought\n') + FOOTER],
    ['text', 'a first line that is empty', PAST + sgr('^1m›^0m^39m^49m\n  second line\n') + FOOTER],
    [
      'text',
      'a long paste',
      PAST + sgr('^1m›^0m^39m^49m ^38;5;6m[Pasted Content 1549 chars]^39m\n') + FOOTER,
    ],
    ['text', 'a shell command', PAST + sgr('^1m^38;5;9m!^0m^39m^49m ls\n') + FOOTER],
    [
      'text',
      'a slash command with its menu',
      PAST +
        sgr('^1;7m› /model         ^0;7m^39m^49mchoose\n^0m^39m^49m\n^1m›^0m^39m^49m /\n') +
        FOOTER,
    ],
    ['unknown', 'a dialog', PAST + DIALOG],
    ['unknown', 'nothing', ''],
    ['unknown', 'a prompt of the past only', PAST],
  ])('is %s: %s', (state, _what, screen) => {
    expect(readInputLine(screen)).toBe(state)
  })
})

describe('the title of Codex’s window', () => {
  it.each([
    ['Ready | wt1', 'idle'],
    ['⠹ Working | wt 2 "q" ü', 'running'],
    ['Working | wt1', 'running'],
    ['[ ! ] Action Required | wt1', 'waiting'],
    ['[ . ] Action Required | Ready | x', 'waiting'],
  ])('%s: %s', (title, state) => {
    expect(readTitle(title)).toMatchObject({ state, source: 'screen' })
  })

  it.each([null, '', 'vm', 'my Ready | wt1', 'bash', 'wt1'])('%s says nothing', (title) => {
    expect(readTitle(title)).toBeNull()
  })
})
