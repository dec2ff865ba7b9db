import fc from 'fast-check'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { lineOfKey, linesOfKeys } from '../../../src/config/toml-lines.ts'

const lineIn = (text: string, ...path: PropertyKey[]): number | null =>
  lineOfKey(linesOfKeys(text), path)

describe('lines of keys', () => {
  const text = `# comment = 1
title = "x = y # no"
a.b = 1

[table]   # [not.this]
list = [
  1, # ]
  [2, "]"],
]
inline = { x = 1, y = [
  2 ] }
text = """
[fake]
key = 1
"""
after = 'it''s'

[[many]]
name = 1
[[many]]
name = 2
[many."dotted.key"]
deep = 3
`
  it.each([
    [['title'], 2],
    [['a', 'b'], 3],
    [['a'], 3],
    [['table'], 5],
    [['table', 'list'], 6],
    [['table', 'inline'], 10],
    [['table', 'inline', 'y'], 10],
    [['table', 'text'], 12],
    [['table', 'after'], 16],
    [['many', 0, 'name'], 19],
    [['many', 1, 'name'], 21],
    [['table', 'absent'], 5],
    [['absent'], null],
    [['fake'], null],
  ] as const)('%j stands on line %j', (path, line) => {
    expect(lineIn(text, ...path)).toBe(line)
  })

  it('finds every key of a plain document on its line', () => {
    const key = fc.stringMatching(/^[a-z]{1,6}$/)
    const value = fc.oneof(
      fc.integer().map(String),
      fc.string({ unit: 'grapheme-ascii' }).map((s) => JSON.stringify(s.replace(/[^ -~]/g, ''))),
      fc.constantFrom('[1,\n2]', '"""\nx = 1\n[y]\n"""', "'#'", '{ z = "}" }'),
    )
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(key, value), { selector: ([name]) => name, minLength: 1 }),
        (entries) => {
          let line = 1
          const expected = new Map<string, number>()
          const document = entries
            .map(([name, written]) => {
              expected.set(name, line)
              const text = `${name} = ${written}\n`
              line += text.split('\n').length - 1
              return text
            })
            .join('')
          parse(document)
          for (const [name, at] of expected) expect(lineIn(document, name)).toBe(at)
        },
      ),
    )
  })

  it('never fails or hangs on what is no TOML', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('a', '=', '"', "'", '[', ']', '{', '\n', '#', '.', '\\', ' '),
        }),
        (text) => void linesOfKeys(text),
      ),
    )
  })
})
