import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseSlashLine } from '../../../../../src/surfaces/cli/agents/slash-line.ts'

describe('the slash form', () => {
  it.each([
    ['/slash fork', { kind: 'fork', prompt: null }],
    ['/slash fork "Research approach A"', { kind: 'fork', prompt: 'Research approach A' }],
    ['/slash fork Research approach A', { kind: 'fork', prompt: 'Research approach A' }],
    ["/fork 'Read the tests'", { kind: 'fork', prompt: 'Read the tests' }],
    ['fork Say "yes" or "no"', { kind: 'fork', prompt: 'Say "yes" or "no"' }],
    ['/fork "yes" or "no"', { kind: 'fork', prompt: '"yes" or "no"' }],
    [
      String.raw`/fork "Say \"yes\", not \\n"`,
      { kind: 'fork', prompt: String.raw`Say "yes", not \n` },
    ],
    ["/fork Don't stop, it's 'fine'", { kind: 'fork', prompt: "Don't stop, it's 'fine'" }],
    ['  /slash   fork \n one\ntwo ', { kind: 'fork', prompt: 'one\ntwo' }],
    ['/slash send 1234-5678 "do more"', { kind: 'send', to: '1234-5678', message: 'do more' }],
    [
      'slash /send main.a  {"status":"idle","success":true}',
      { kind: 'send', to: 'main.a', message: '{"status":"idle","success":true}' },
    ],
    ['/slash check-mail', { kind: 'check-mail' }],
    ['check_mail', { kind: 'check-mail' }],
    ['/slash kill "1234"', { kind: 'kill', agent: '1234' }],
  ])('reads %j', (line, understood) => {
    expect(parseSlashLine(line)).toEqual(understood)
  })

  it.each([
    ['', 'There is no command.'],
    ['/slash', 'There is no command.'],
    ['/slash dance', 'There is no command dance.'],
    ['/slashfork x', 'There is no command /slashfork.'],
    ['/fork ""', 'The prompt is empty.'],
    ['/send', 'To whom?'],
    ['/send abcd', 'The message is empty.'],
    ['/send abcd "  "', 'The message is empty.'],
    ['/check-mail now', 'check-mail takes no arguments.'],
    ['/kill', 'Which agent?'],
    ['/kill one two', 'kill takes one agent.'],
  ])('says what is wrong with %j, and which forms there are', (line, words) => {
    const understood = parseSlashLine(line)
    expect(understood).toMatchObject({ kind: 'error', message: expect.stringContaining(words) })
    expect(understood).toMatchObject({ message: expect.stringContaining('/slash send ID MESSAGE') })
  })

  it('gives any message that is quoted as JSON or plain back as it was', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        fc.pre(text.trim() !== '')
        const quoted = `"${text.replace(/["\\]/g, String.raw`\$&`)}"`
        expect(parseSlashLine(`/slash send abcd ${quoted}`)).toEqual({
          kind: 'send',
          to: 'abcd',
          message: text,
        })
        fc.pre(!/^["']/.test(text.trim()))
        expect(parseSlashLine(`/slash send abcd ${text}`)).toEqual({
          kind: 'send',
          to: 'abcd',
          message: text.trim(),
        })
      }),
    )
  })
})
