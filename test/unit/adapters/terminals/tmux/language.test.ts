import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createControlParser,
  type ControlEvent,
} from '../../../../../src/adapters/terminals/tmux/control-protocol.ts'
import { signalName } from '../../../../../src/adapters/terminals/tmux/panes.ts'
import { command, literal, quote } from '../../../../../src/adapters/terminals/tmux/quote.ts'

describe('quoting for tmux', () => {
  it('keeps any text on one line and inside its quotes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const text = value.replaceAll('\0', '')
        const quoted = quote(text)
        expect(quoted).not.toMatch(/[\n\r]/)
        // Read as tmux reads it: escapes taken out, neither a quote nor a $ is left inside.
        const inside = quoted.slice(1, -1).replace(/\\(?:[0-7]{3}|.)/gsu, '')
        expect(inside).not.toMatch(/["$\\~]/)
      }),
    )
  })

  it('escapes what tmux would read', () => {
    expect(command('set-buffer', '-b', 'x', 'a "b" $c ~ \\ \n')).toBe(
      String.raw`"set-buffer" "-b" "x" "a \"b\" \$c \~ \\ \012"`,
    )
  })

  it('refuses NUL', () => {
    expect(() => quote('a\0b')).toThrow(expect.objectContaining({ code: 'INVALID_ARG' }) as Error)
  })

  it.each([
    ['plain', 'plain'],
    ['#', '##'],
    ['a#b', 'a##b'],
    ['#{pid}', '##{pid}'],
    ['#[x]', '#[x]'],
    ['##[x] ##y', '##[x] ####y'],
  ])('keeps a format literal: %s', (text, expected) => {
    expect(literal(text)).toBe(expected)
  })
})

describe('the parser of control mode', () => {
  const transcript = [
    '%begin 1700000000 1 0',
    '%end 1700000000 1 0',
    '%session-changed $0 keeper',
    '%begin 1700000000 5 1',
    '%end 1700000000 4 1',
    '%begin 1 1 1',
    '%error 1700000000 5 0',
    'é line',
    '%end 1700000000 5 1',
    'stray text',
    '%window-renamed @0 x',
    '%begin 1700000001 6 1',
    'no such pane',
    '%error 1700000001 6 1',
    '%exit',
    '',
  ].join('\n')
  const expected: ControlEvent[] = [
    { kind: 'block', block: { ok: true, flags: '0', lines: [] } },
    { kind: 'notification', line: '%session-changed $0 keeper' },
    {
      kind: 'block',
      block: {
        ok: true,
        flags: '1',
        lines: ['%end 1700000000 4 1', '%begin 1 1 1', '%error 1700000000 5 0', 'é line'],
      },
    },
    { kind: 'notification', line: '%window-renamed @0 x' },
    { kind: 'block', block: { ok: false, flags: '1', lines: ['no such pane'] } },
    { kind: 'notification', line: '%exit' },
  ]

  it('finds the same blocks and notifications wherever the text is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: transcript.length })), (cuts) => {
        const parse = createControlParser()
        const borders = [0, ...cuts.toSorted((a, b) => a - b), transcript.length]
        const events = borders
          .slice(1)
          .flatMap((end, index) => parse(transcript.slice(borders[index], end)))
        expect(events).toEqual(expected)
      }),
    )
  })
})

it.each([
  ['', null],
  ['0', null],
  ['9', 'SIGKILL'],
  ['15', 'SIGTERM'],
  ['HUP', 'SIGHUP'],
  ['SIGTERM', 'SIGTERM'],
  ['63', 'signal 63'],
])('names the signal %j', (text, expected) => {
  expect(signalName(text)).toBe(expected)
})
