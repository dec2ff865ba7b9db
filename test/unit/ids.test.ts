import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asBranchName, childBranch, parentBranch, slugify } from '../../src/ids.ts'

describe('slugs', () => {
  it('are lower-cased, dashed, trimmed and at most 50 characters', () => {
    expect(slugify('Auth & Login!')).toBe('auth-login')
    expect(slugify('--a__b--')).toBe('a-b')
    expect(slugify('x'.repeat(80))).toHaveLength(50)
    expect(slugify(`${'x'.repeat(49)} y`)).toBe('x'.repeat(49))
  })
  it('of nothing usable are refused with what to do', () => {
    for (const name of ['', '---', 'ß', '日本']) expect(() => slugify(name)).toThrow(expect.objectContaining({ code: 'INVALID_ARG' }))
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
