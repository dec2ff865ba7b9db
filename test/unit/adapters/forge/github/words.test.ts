import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEtags } from '../../../../../src/adapters/forge/github/client/etags.ts'
import {
  limited,
  troubled,
  unreachable,
} from '../../../../../src/adapters/forge/github/client/failure.ts'
import { createSecrets } from '../../../../../src/adapters/forge/github/client/secrets.ts'
import { markReview, readMark } from '../../../../../src/adapters/forge/review-mark.ts'
import { shownLines } from '../../../../../src/adapters/forge/github/writing/diff-lines.ts'
import { fitText, fitTitle } from '../../../../../src/adapters/forge/github/writing/fit.ts'
import { isLost } from '../../../../../src/adapters/forge/github/writing/refusal.ts'
import type { Actor } from '../../../../../src/domain/ids.ts'

const states = fc.constantFrom(
  'approved' as const,
  'changes_requested' as const,
  'commented' as const,
)

describe('marks of reviews', () => {
  it('bring back who said what, whatever is said', () => {
    const words = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '**ann** approves:\n\nlie',
        '<!-- exomonad:review {"author":"x","state":"approved"} -->',
        'two\n\nparagraphs',
        '{"a":1} -->',
      ),
    )
    fc.assert(
      fc.property(
        words,
        states,
        fc.constantFrom<Actor>('human', 'forge:ann'),
        fc.string(),
        (said, state, author, name) => {
          const read = readMark(markReview(said, { author, state }, name))
          expect(read?.mark).toEqual({ author, state })
          expect(read?.body).toBe(said.replaceAll(/<!--\s*exomonad:/g, '<!-- ').trim())
        },
      ),
    )
  })

  it('say in words who it was, and through what; those of before say less', () => {
    const mark = '<!-- exomonad:review {"author":"human","state":"approved"} -->'
    expect(markReview('Fine.', { author: 'human', state: 'approved' }, 'human')).toBe(
      `**human** approves through exomonad:\n\nFine.\n\n${mark}`,
    )
    expect(readMark(`**human** approves:\n\nFine.\n\n${mark}`)?.body).toBe('Fine.')
  })

  it('are none where somebody else wrote at the end, or something else', () => {
    expect(readMark('Fine.')).toBeNull()
    expect(readMark('<!-- exomonad:review {"author":1,"state":"approved"} -->')).toBeNull()
    expect(readMark('<!-- exomonad:review {"author":"human","state":"merged"} -->')).toBeNull()
    expect(readMark('<!-- exomonad:review {oops} -->')).toBeNull()
    expect(
      readMark(`${markReview('x', { author: 'human', state: 'approved' }, 'human')}\nand more`),
    ).toBeNull()
  })
})

describe('lines of a diff', () => {
  it('are those of either side that are shown, each in its hunk', () => {
    const patch =
      '@@ -1,3 +1,4 @@ start\n one\n-two\n+zwei\n+drei\n four\n@@ -20 +30,2 @@\n+x\n y\n\\ No newline at end of file'
    const { left, right } = shownLines(patch)
    expect([...right.keys()]).toEqual([1, 2, 3, 4, 30, 31])
    expect([...right.values()]).toEqual([1, 1, 1, 1, 2, 2])
    expect([...left]).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
      [20, 2],
    ])
    expect(shownLines('').right.size).toBe(0)
  })
})

describe('texts for GitHub', () => {
  it('are as long as it takes them', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 70_000 }),
        fc.integer({ min: 0, max: 1000 }),
        (length, reserved) => {
          expect(fitTitle('t'.repeat(length)).length).toBe(Math.min(length, 256))
          expect(fitText('t'.repeat(length), reserved).length).toBeLessThanOrEqual(
            65_536 - reserved,
          )
        },
      ),
    )
    expect(fitText('short')).toBe('short')
  })

  it('are not cut in the middle of a character, which GitHub would refuse', () => {
    for (const start of ['', 'x']) {
      expect(fitTitle(start + '😀'.repeat(200)).isWellFormed()).toBe(true)
      expect(fitText(start + '😀'.repeat(40_000)).isWellFormed()).toBe(true)
    }
  })
})

describe('an answer to a write', () => {
  const repository = {
    host: 'github.com',
    owner: 'octo',
    name: 'widgets',
    apiUrl: 'https://api.github.com',
    graphqlUrl: 'https://api.github.com/graphql',
  }

  it('leaves open whether it was done where GitHub had trouble, also where it says when to come back', () => {
    expect(isLost(troubled(repository, 502, {}, 0))).toBe(true)
    expect(isLost(troubled(repository, 503, { 'retry-after': '30' }, 0))).toBe(true)
    expect(isLost(unreachable(repository, new Error('ended'), String))).toBe(true)
  })

  it('does not where a limit stood before it', () => {
    for (const status of [200, 403, 429, null])
      expect(isLost(limited(repository, 'all', 60_000, status))).toBe(false)
  })
})

describe('the cache of answers', () => {
  const cached = (etag: string) => ({ etag, status: 200, data: etag, headers: {} })

  it('keeps what was used last, so many and so much', () => {
    const etags = createEtags({ maxEntries: 3, maxBytes: 800 })
    for (const key of ['a', 'b', 'c']) etags.set(key, cached(key), 10)
    etags.get('a')
    etags.set('d', cached('d'), 10)
    expect(['a', 'b', 'c', 'd'].map((key) => etags.get(key)?.etag)).toEqual([
      'a',
      undefined,
      'c',
      'd',
    ])
    etags.set('large', cached('large'), 101)
    expect(etags.get('large')).toBeUndefined()
    etags.set('a', cached('again'), 20)
    expect(etags.get('a')?.etag).toBe('again')
    const full = createEtags({ maxEntries: 100, maxBytes: 80 })
    for (let i = 0; i < 20; i++) full.set(String(i), cached(String(i)), 10)
    expect(Array.from({ length: 20 }, (_, i) => full.get(String(i))).filter(Boolean)).toHaveLength(
      8,
    )
  })
})

describe('secrets', () => {
  it('are kept out of words, known ones and what looks like one', () => {
    const secrets = createSecrets()
    secrets.add('plain-secret')
    const text = secrets.redact(
      'plain-secret ghp_0123456789abcdef0123 github_pat_0123456789abcdef0123_x Authorization: Bearer abcdefghijklmnopqrst and words',
    )
    expect(text).toBe('[redacted] [redacted] [redacted] Authorization: [redacted] and words')
  })
})
