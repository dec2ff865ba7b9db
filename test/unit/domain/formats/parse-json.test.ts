import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_DEPTH, parseJson } from '../../../../src/domain/formats/parse-json.ts'
import { parseToml } from '../../../../src/domain/formats/parse-toml.ts'

/** Text of depth `depth`, by lists, objects or both, closed or not. */
const NESTED: Readonly<Record<string, (depth: number) => string>> = {
  'lists that are never closed': (depth) => '['.repeat(depth),
  lists: (depth) => '['.repeat(depth) + ']'.repeat(depth),
  objects: (depth) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth),
  'lists and objects in turn': (depth) =>
    '[{"a":'.repeat(depth / 2) + '"]"' + '}]'.repeat(depth / 2),
  'what strings hide': (depth) => `{"\\\\\\"]}]}":${'["]",'.repeat(depth)}1${']'.repeat(depth)}}`,
  'far behind others': (depth) => `[${'[[]],'.repeat(1000)}${'['.repeat(depth)}`,
}

describe('JSON from outside', () => {
  it('is what JSON.parse makes of it, whatever its strings hold', () => {
    const same = (value: unknown): void => {
      expect(parseJson(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 20 }), same))
  })

  it.each(Object.entries(NESTED))(
    'is refused before it is parsed where it is nested too deeply: %s',
    (_what, nested) => {
      for (const depth of [2 * MAX_DEPTH, 5000, 400_000])
        expect(() => parseJson(nested(depth))).toThrow(/^nested deeper than 100 levels$/)
    },
  )

  it('may be as deep as data may be, with what carries it', () => {
    const value = JSON.parse(NESTED['objects']!(MAX_DEPTH))
    const message = JSON.stringify({ jsonrpc: '2.0', params: { arguments: value } })
    expect(JSON.stringify(parseJson(message))).toBe(message)
    expect(parseJson(`"${'['.repeat(1000)}"`)).toBe('['.repeat(1000))
  })
})

describe('TOML from outside', () => {
  it.each([
    ['lists', (depth: number) => `a = ${'['.repeat(depth)}${']'.repeat(depth)}`],
    ['lists that are never closed', (depth: number) => `a = ${'['.repeat(depth)}`],
    ['tables in a line', (depth: number) => `a = ${'{ a = '.repeat(depth)}1${' }'.repeat(depth)}`],
    ['dots in a key', (depth: number) => `a${'.a'.repeat(depth)} = 1`],
    ['dots in the name of a table', (depth: number) => `[a${'.a'.repeat(depth)}]\nb = 1`],
  ])('is refused where it is nested too deeply: %s', (_what, nested) => {
    for (const depth of [2 * MAX_DEPTH, 50_000])
      expect(() => parseToml(nested(depth))).toThrow(/nested/)
    expect(parseToml(nested(MAX_DEPTH / 2).replace(/\[+$/, '1'))).toHaveProperty('a')
  })
})
