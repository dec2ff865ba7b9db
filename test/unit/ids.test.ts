import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  asBranchName,
  childBranch,
  isAgentId,
  newAgentId,
  newDeliveryId,
  newQuestionId,
  parentBranch,
  parseAgentId,
  parseSha,
  requireFreeWord,
  slugify,
} from '../../src/ids.ts'

describe('slugs', () => {
  it('are lower-cased, dashed, trimmed and at most 50 characters', () => {
    expect(slugify('Auth & Login!')).toBe('auth-login')
    expect(slugify('--a__b--')).toBe('a-b')
    expect(slugify('x'.repeat(80))).toHaveLength(50)
    expect(slugify(`${'x'.repeat(49)} y`)).toBe('x'.repeat(49))
  })
  it('keep letters without their accents', () => {
    expect(slugify('Ünïcode näme')).toBe('unicode-name')
    expect(slugify('Straße Øre Łódź Æther ﬁn')).toBe('strasse-ore-lodz-aether-fin')
  })
  it('are no words that address somebody else', () => {
    for (const name of ['root', 'Human', 'DAEMON']) expect(() => requireFreeWord(slugify(name), name)).toThrow(expect.objectContaining({ code: 'INVALID_ARG' }))
    expect(requireFreeWord(slugify('roots'), 'roots')).toBe('roots')
  })
  it('of nothing usable are refused with what to do', () => {
    for (const name of ['', '---', '日本']) expect(() => slugify(name)).toThrow(expect.objectContaining({ code: 'INVALID_ARG' }))
  })
  it('have the form of a branch segment, whatever the name, and are stable', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 120 }), (name) => {
        let slug: string
        try {
          slug = slugify(name)
        } catch {
          return
        }
        expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
        expect(slug.length).toBeLessThanOrEqual(50)
        expect(slugify(slug)).toBe(slug)
      }),
    )
  })
})

describe('the dot rule', () => {
  it('finds the parent that a child branch was made from', () => {
    for (const parent of ['main', 'feature/x.y', 'release-1.2'].map(asBranchName)) expect(parentBranch(childBranch(parent, slugify('Auth')))).toBe(parent)
    expect(parentBranch(asBranchName('main'))).toBeNull()
  })
})

describe('ids', () => {
  it('have their form, and are never the same', () => {
    for (const [make, form] of [
      [newAgentId, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/],
      [newDeliveryId, /^m-[0-9a-f]{12}$/],
      [newQuestionId, /^q-[0-9a-f]{8}$/],
    ] as const) {
      expect(make()).toMatch(form)
      expect(new Set(Array.from({ length: 100 }, () => make())).size).toBe(100)
    }
  })

  it('of agents are whole UUIDs, and nothing around them', () => {
    const id = newAgentId()
    expect(parseAgentId(id)).toBe(id)
    for (const wrong of ['', 'auth', `${id}0`, `0${id}`, id.slice(1), id.toUpperCase(), ` ${id}`]) {
      expect([wrong, isAgentId(wrong)]).toEqual([wrong, false])
      expect(() => parseAgentId(wrong)).toThrow(expect.objectContaining({ code: 'INVALID_ARG', message: `"${wrong}" is not an agent id (a UUID).` }))
    }
  })

  it('of commits are 40 or 64 hex digits, and nothing around them but blanks', () => {
    for (const length of [40, 64]) expect(parseSha(` ${'a1'.repeat(length / 2)}\n`)).toBe('a1'.repeat(length / 2))
    for (const wrong of ['', 'a'.repeat(39), 'a'.repeat(41), 'a'.repeat(63), 'g'.repeat(40), `${'a'.repeat(40)} b`]) {
      expect(() => parseSha(wrong)).toThrow(
        expect.objectContaining({ code: 'INVALID_ARG', message: `"${wrong}" is not a full commit id.`, facts: { found: wrong } }),
      )
    }
  })

  it('of branches have no parent where the dot is their first letter, and the nearest one else', () => {
    expect([parentBranch(asBranchName('.x')), parentBranch(asBranchName('a.b.c')), parentBranch(asBranchName('a.b'))]).toEqual([null, 'a.b', 'a'])
    expect(() => slugify('¿')).toThrow(
      expect.objectContaining({ message: '"¿" leaves nothing to name a branch with: use at least one letter a–z or digit.', facts: { found: '¿' } }),
    )
  })
})
