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
} from '../../../src/domain/ids.ts'
import { requireFreeWord, slugify } from '../../../src/domain/formats/slug.ts'

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
  it.each([
    ['ŠKODA Žižkov ÇAĞRI İstanbul ığdır', 'skoda-zizkov-cagri-istanbul-igdir'],
    ['GROẞ Þór ÐÞÆŒ ŁØĐ', 'gross-thor-dthaeoe-lod'],
    ['Nguyễn Đình Tiếng Việt', 'nguyen-dinh-tieng-viet'],
    ['Поиск по каталогу', 'poisk-po-katalogu'],
    ['Объект ёжик Щука Юля', 'obekt-ezhik-shchuka-yulya'],
    ['Їжак Ґрунт Єва', 'izhak-grunt-yeva'],
    ['Љубав Џез Ћирилица', 'ljubav-dzez-cirilitsa'],
    ['Αναζήτηση Ελληνικών', 'anazitisi-ellinikon'],
    ['Ψάρι Ξένος ΆΘΗΝΑΣ', 'psari-xenos-athinas'],
    ['Ｆｕｌｌ ｗｉｄｔｈ ①②', 'full-width-12'],
    ['検索 v2', 'v2'],
  ])('%s is %s: letters that have a reading in a–z keep it', (name, slug) => {
    expect(slugify(name)).toBe(slug)
  })
  it('lose no letter of the Latin, Greek and Cyrillic alphabets of today', () => {
    const letters = (from: number, to: number): string[] =>
      Array.from({ length: to - from + 1 }, (_, index) =>
        String.fromCodePoint(from + index),
      ).filter((letter) => /\p{L}/u.test(letter))
    // Latin-1 and Latin Extended-A; Greek, Russian, Ukrainian, Serbian, Macedonian and Bulgarian
    // letters.
    for (const letter of [
      ...letters(0xc0, 0x17f),
      ...letters(0x386, 0x3ce),
      ...letters(0x400, 0x45f),
      'ґ',
      'Ґ',
      'ə',
      'ẞ',
    ]) {
      if ('ъьЪЬ'.includes(letter)) expect(slugify(`a${letter}b`), letter).toBe('ab')
      else expect(slugify(`1${letter}2`), letter).toMatch(/^1[a-z]+2$/)
    }
  })
  it('are no words that address somebody else', () => {
    for (const name of ['root', 'Human', 'DAEMON']) {
      const message = `"${name}" can’t be an agent’s name: root, human, daemon mean others. Choose another.`
      expect(() => requireFreeWord(slugify(name), name)).toThrow(
        expect.objectContaining({ code: 'INVALID_ARG', message, facts: { found: name } }),
      )
    }
    expect(requireFreeWord(slugify('roots'), 'roots')).toBe('roots')
  })
  it('of nothing usable are refused with what to do', () => {
    for (const name of ['', '---', '日本'])
      expect(() => slugify(name)).toThrow(expect.objectContaining({ code: 'INVALID_ARG' }))
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
    for (const parent of ['main', 'feature/x.y', 'release-1.2'].map(asBranchName))
      expect(parentBranch(childBranch(parent, slugify('Auth')))).toBe(parent)
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
      expect(() => parseAgentId(wrong)).toThrow(
        expect.objectContaining({
          code: 'INVALID_ARG',
          message: `"${wrong}" is not an agent id (a UUID).`,
          facts: { found: wrong },
        }),
      )
    }
  })

  it('of commits are 40 or 64 hex digits, and nothing around them but blanks', () => {
    for (const length of [40, 64])
      expect(parseSha(` ${'a1'.repeat(length / 2)}\n`)).toBe('a1'.repeat(length / 2))
    for (const wrong of [
      '',
      'a'.repeat(39),
      'a'.repeat(41),
      'a'.repeat(63),
      'g'.repeat(40),
      `${'a'.repeat(40)} b`,
    ]) {
      expect(() => parseSha(wrong)).toThrow(
        expect.objectContaining({
          code: 'INVALID_ARG',
          message: `"${wrong}" is not a full commit id.`,
          facts: { found: wrong },
        }),
      )
    }
  })

  it('of branches have no parent where the dot is their first letter, and the nearest one else', () => {
    expect([
      parentBranch(asBranchName('.x')),
      parentBranch(asBranchName('a.b.c')),
      parentBranch(asBranchName('a.b')),
    ]).toEqual([null, 'a.b', 'a'])
    expect(() => slugify('¿')).toThrow(
      expect.objectContaining({
        message:
          '"¿" leaves nothing to name a branch with: use at least one letter of the Latin, Greek or Cyrillic alphabet, or a digit.',
        facts: { found: '¿' },
      }),
    )
  })
})
