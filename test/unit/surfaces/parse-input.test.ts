import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ExomonadError } from '../../../src/domain/errors.ts'
import { parseInput } from '../../../src/surfaces/parse-input.ts'

const schema = z.strictObject({
  title: z.string().min(1),
  count: z.number().int().positive().optional(),
  strategy: z.enum(['squash', 'merge']).optional(),
  specs: z
    .array(z.strictObject({ name: z.string() }))
    .min(1)
    .optional(),
  either: z.union([z.string(), z.number()]).optional(),
})

function refusal(input: unknown): ExomonadError {
  try {
    parseInput(schema, input, 'a_tool')
  } catch (error) {
    if (error instanceof ExomonadError) return error
    throw error
  }
  throw new Error('it was accepted')
}

describe('parseInput', () => {
  it('returns what the schema makes of it', () => {
    expect(parseInput(schema, { title: 'x' }, 'a_tool')).toEqual({ title: 'x' })
  })

  it.each([
    [
      {},
      { field: 'title', found: 'nothing', allowed: 'text' },
      'a_tool: title is missing; it must be text.',
    ],
    [
      { title: 5 },
      { field: 'title', found: '5', allowed: 'text' },
      'a_tool: title must be text, found 5.',
    ],
    [
      { title: '' },
      { field: 'title', found: '""', allowed: 'text of at least 1 character' },
      'a_tool: title must be text of at least 1 character, found "".',
    ],
    [
      { title: 'x', count: 0 },
      { field: 'count', found: '0', allowed: 'more than 0' },
      'a_tool: count must be more than 0, found 0.',
    ],
    [
      { title: 'x', count: 1.5 },
      { field: 'count', found: '1.5', allowed: 'a whole number' },
      'a_tool: count must be a whole number, found 1.5.',
    ],
    [
      { title: 'x', strategy: 'octopus' },
      { field: 'strategy', allowed: 'one of squash, merge' },
      'found "octopus"',
    ],
    [
      { title: 'x', specs: [{ name: 'a' }, { name: null }] },
      { field: 'specs[1].name', found: 'null', allowed: 'text' },
      'specs[1].name must be text, found null',
    ],
    [
      { title: 'x', specs: [] },
      { field: 'specs', allowed: 'a list of at least 1 entry' },
      'specs must be a list',
    ],
    [
      { title: 'x', either: true },
      { field: 'either', allowed: 'text or a number' },
      'either must be text or a number, found true',
    ],
    [
      { title: 'x', stratgy: 'merge' },
      { field: 'stratgy', found: 'stratgy' },
      'stratgy is not known here; did you mean strategy?',
    ],
    [
      { title: 'x', zebra: 1 },
      { field: 'zebra' },
      'zebra is not known here; known: title, count, strategy, specs, either',
    ],
    [
      { title: 'x', specs: [{ name: 'a', more: 1 }] },
      { field: 'specs[0].more' },
      'specs[0].more is not known here',
    ],
    [
      'text',
      { field: '', found: '"text"', allowed: 'an object' },
      'a_tool: the input must be an object, found "text".',
    ],
  ])('names field, found and allowed for %j', (input, facts, words) => {
    const error = refusal(input)
    expect(error.code).toBe('INVALID_ARG')
    expect(error.facts).toMatchObject(facts)
    expect(error.message).toContain(words)
  })

  it('lists all problems', () => {
    expect(refusal({ count: 'many' }).facts['problems']).toEqual([
      { field: 'title', found: 'nothing', allowed: 'text' },
      { field: 'count', found: '"many"', allowed: 'a number' },
    ])
  })

  it('shortens long values', () => {
    expect(refusal({ title: ['x'.repeat(10_000)] }).message.length).toBeLessThan(200)
  })
})
