import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { forkName, unusedName } from '../../../src/domain/fork-name.ts'
import { slugify } from '../../../src/domain/formats/slug.ts'

const nobody = new Set<string>()

describe('the name of a fork that nobody named', () => {
  it('is the first words of its prompt', () => {
    expect(forkName('Research approach A for the auth system', nobody)).toBe(
      'research-approach-a-for',
    )
    expect(forkName('  # Count\nthe *.md files, please', nobody)).toBe('count-the-md-files')
    expect(forkName('Donaudampfschifffahrtselektrizitätenhauptbetriebswerk', nobody)).toBe(
      'donaudampfschifffahrtselektriz',
    )
    expect(forkName('Read', new Set(['read', 'read-2']))).toBe('read-3')
  })

  it('is a number where there are none', () => {
    expect(forkName(undefined, nobody)).toBe('fork-1')
    expect(forkName('…', new Set(['fork-1', 'fork-3']))).toBe('fork-2')
  })

  it('is always a short slug that nobody has', () => {
    fc.assert(
      fc.property(
        fc.option(fc.string({ unit: 'grapheme' }), { nil: undefined }),
        fc.nat(5),
        (prompt, others) => {
          const taken = new Set<string>()
          for (let other = 0; other <= others; other++) {
            const name = forkName(prompt, taken)
            expect(taken.has(name)).toBe(false)
            expect(slugify(name)).toBe(name)
            expect(name.length).toBeLessThanOrEqual(35)
            taken.add(name)
          }
        },
      ),
    )
  })
})

describe('a name that was given', () => {
  it('is made a slug, and distinguished from others', () => {
    expect(unusedName('File Reader!', nobody)).toBe('file-reader')
    expect(unusedName('main', new Set(['main']))).toBe('main-2')
    expect(() => unusedName('***', nobody)).toThrow(/at least one letter/)
  })
})
