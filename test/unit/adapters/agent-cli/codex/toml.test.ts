import fc from 'fast-check'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { toml, type TomlValue } from '../../../../../src/adapters/agent-cli/codex/toml.ts'

const read = (value: TomlValue): unknown =>
  (JSON.parse(JSON.stringify(parse(`key = ${toml(value)}`))) as { key: unknown }).key

describe('values for codex -c', () => {
  it('are one line of TOML that reads as what was meant, whatever stands in them', () => {
    const text = fc.string({ unit: 'binary', maxLength: 12 })
    const { value } = fc.letrec<{ value: TomlValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 2 },
        text,
        fc.integer(),
        fc.boolean(),
        fc.array(tie('value'), { maxLength: 2 }),
        fc.dictionary(
          text.filter((key) => key !== '__proto__'),
          tie('value'),
          { maxKeys: 2, noNullPrototype: true },
        ),
      ),
    }))
    fc.assert(
      fc.property(value, (meant) => {
        expect(toml(meant)).not.toMatch(/[\n\r]/)
        expect(read(meant)).toEqual(meant)
      }),
    )
  })

  it.each([
    ['/home/ü/with space', '"/home/ü/with space"'],
    ['a "quoted" \\ path', String.raw`"a \"quoted\" \\ path"`],
    ['del \u007f, line\nend', String.raw`"del \u007F, line\nend"`],
    ['half a pair \ud83d', '"half a pair \ufffd"'],
  ])('quote %j', (text, quoted) => {
    expect(toml(text)).toBe(quoted)
    expect(read(text)).toBe(text.replace('\ud83d', '\ufffd'))
  })
})
