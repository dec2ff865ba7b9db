import { describe, expect, it } from 'vitest'
import { createSameWork, judgeReviews } from '../../../../src/adapters/forge/review-decision.ts'
import type { Review } from '../../../../src/adapters/forge/forge.ts'
import type { Git } from '../../../../src/adapters/git/git.ts'
import type { Sha } from '../../../../src/domain/ids.ts'
import { memorySnapshots } from '../../../fixtures/memory-snapshots.ts'
import { sha } from '../../pull-watch/pull.ts'

const said = (author: string, state: Review['state'], commit = 'a') => ({
  author: author as Review['author'],
  state,
  commit: sha(commit),
  trusted: true,
})
const judge = (
  reviews: readonly ReturnType<typeof said>[],
  more: Partial<Parameters<typeof judgeReviews>[1]> = {},
) => judgeReviews(reviews, { head: sha('a'), sameWork: () => Promise.resolve(false), ...more })
const decisionOf = async (...given: Parameters<typeof judge>) =>
  (await judge(...given)).reviewDecision

describe('what the reviews come to', () => {
  it.each([
    ['nothing said', [], 'none'],
    ['a comment', [said('human', 'commented')], 'none'],
    ['an approval', [said('human', 'approved')], 'approved'],
    ['a change request', [said('human', 'changes_requested')], 'changes_requested'],
    [
      'the latest word of an author',
      [said('human', 'changes_requested'), said('human', 'approved')],
      'approved',
    ],
    [
      'a comment after a change request changes nothing',
      [said('human', 'changes_requested'), said('human', 'commented')],
      'changes_requested',
    ],
    [
      'one change request beside approvals',
      [
        said('forge:a', 'approved'),
        said('forge:b', 'changes_requested'),
        said('forge:c', 'approved'),
      ],
      'changes_requested',
    ],
    ['of an older head', [said('human', 'changes_requested', 'b')], 'none'],
    [
      'of an older head beside one of this',
      [said('forge:a', 'changes_requested', 'b'), said('forge:b', 'approved')],
      'approved',
    ],
  ] as const)('%s', async (_, reviews, expected) => {
    expect(await decisionOf(reviews)).toBe(expected)
  })

  it('stands where the head is only a rebase of what was reviewed', async () => {
    const sameWork = (reviewed: string) => Promise.resolve(reviewed === sha('b'))
    const of = (commit: string) => judge([said('human', 'changes_requested', commit)], { sameWork })
    expect(await of('b')).toMatchObject({
      reviewDecision: 'changes_requested',
      reviews: [expect.not.objectContaining({ notCounted: expect.anything() })],
    })
    expect(await of('c')).toMatchObject({
      reviewDecision: 'none',
      reviews: [{ notCounted: 'older_head' }],
    })
  })

  it('says of each verdict why it does not count, and of comments nothing', async () => {
    const reviews = [
      said('forge:ann', 'changes_requested'),
      said('forge:ann', 'approved'),
      said('forge:bob', 'changes_requested', 'b'),
      said('forge:bob', 'commented', 'b'),
      said('agent', 'changes_requested'),
      { ...said('forge:eve', 'changes_requested'), trusted: false },
      { ...said('forge:eve', 'commented'), trusted: false },
      said('forge:dan', 'changes_requested'),
    ]
    const judged = await judge(reviews, {
      author: 'agent' as Review['author'],
      takenBack: new Set(['forge:dan' as Review['author']]),
    })
    expect(judged.reviewDecision).toBe('approved')
    expect(
      judged.reviews.map((review) => [review.author, Reflect.get(review, 'notCounted')]),
    ).toEqual([
      ['forge:ann', 'superseded'],
      ['forge:ann', undefined],
      ['forge:bob', 'older_head'],
      ['forge:bob', undefined],
      ['agent', 'own'],
      ['forge:eve', 'no_write_access'],
      ['forge:eve', 'no_write_access'],
      ['forge:dan', 'dismissed'],
    ])
  })

  it('takes no word of somebody without write access for a later one of theirs', async () => {
    const reviews = [
      said('forge:ann', 'approved'),
      { ...said('forge:ann', 'changes_requested'), trusted: false },
    ]
    expect(await decisionOf(reviews)).toBe('approved')
  })
})

describe('whether two heads bring the same changes', () => {
  function opened(diffs: Record<string, string>, snapshots = memorySnapshots()) {
    const asked: string[] = []
    const git = {
      diff: (base: string, head: string) => {
        asked.push(`${base[0]}${head[0]}`)
        return Promise.resolve(diffs[`${base[0]}${head[0]}`] ?? '')
      },
      resolve: (commit: string) => Promise.resolve(commit === sha('f') ? null : commit),
    } as unknown as Git
    const work = createSameWork({ git, snapshots })
    const same = (base: Sha, reviewed: Sha, head: Sha, number = 1): Promise<boolean> =>
      work.is(number, { base, reviewed, head })
    return { same, forget: work.forget, asked, snapshots }
  }
  const diff = (line: string, at: number) =>
    `diff --git a/x b/x\n@@ -${at} +${at} @@\n context\n-old\n+${line}\n`

  it('follows from their changed lines, wherever these stand by now', async () => {
    const { same } = opened({ ea: diff('new', 1), eb: diff('new', 90), ec: diff('other', 1) })
    expect(await same(sha('e'), sha('a'), sha('b'))).toBe(true)
    expect(await same(sha('e'), sha('a'), sha('c'))).toBe(false)
    // A line of context alone makes no difference, another file does.
    const files = opened({ ea: 'diff --git a/x b/x\n+1\n', eb: 'diff --git a/y b/y\n+1\n' })
    expect(await files.same(sha('e'), sha('a'), sha('b'))).toBe(false)
    // And so does where a line ends and the next begins.
    const lines = opened({ ea: 'diff --git a/x b/x\n+1\n+2\n', eb: 'diff --git a/x b/x\n+1+2\n' })
    expect(await lines.same(sha('e'), sha('a'), sha('b'))).toBe(false)
  })

  const DIFFS = {
    ea: diff('new', 1),
    eb: diff('new', 1),
    ec: diff('other', 1),
    da: diff('x', 1),
    db: diff('y', 1),
    dc: diff('x', 1),
  }

  it('is not compared again; where they are the same, on no other base either', async () => {
    const { same, asked } = opened(DIFFS)
    await same(sha('e'), sha('a'), sha('b'))
    const before = asked.length
    expect(await same(sha('e'), sha('a'), sha('b'))).toBe(true)
    expect(await same(sha('d'), sha('a'), sha('b'))).toBe(true)
    expect(asked.length).toBe(before)
    expect(await same(sha('e'), sha('a'), sha('c'))).toBe(false)
    // On another base they may come to the same.
    expect(await same(sha('d'), sha('a'), sha('c'))).toBe(true)
  })

  it('(20.17) is known after a restart where they were the same, for that pull request, until it has ended', async () => {
    const first = opened(DIFFS)
    expect(await first.same(sha('e'), sha('a'), sha('b'))).toBe(true)
    const second = opened(DIFFS, first.snapshots)
    expect(await second.same(sha('d'), sha('a'), sha('b'))).toBe(true)
    expect(second.asked).toEqual([])
    expect(await second.same(sha('d'), sha('a'), sha('b'), 2)).toBe(false)
    await second.forget(1)
    expect(await second.same(sha('d'), sha('a'), sha('b'))).toBe(false)
    expect(await second.snapshots.keys('same-work:')).toEqual([])
  })

  it('is stored of the last twenty pairs of a pull request', async () => {
    const first = opened({})
    const pair = (number: number) =>
      [sha('e'), String(number).padStart(40, '0') as Sha, sha('a')] as const
    for (let number = 0; number < 21; number++) expect(await first.same(...pair(number))).toBe(true)
    const { same, asked } = opened({}, first.snapshots)
    for (let number = 1; number < 21; number++) await same(...pair(number))
    expect(asked).toEqual([])
    await same(...pair(0))
    expect(asked).not.toEqual([])
  })

  it('is remembered of a thousand pairs that differ, and not of more and more', async () => {
    const { same, asked } = opened({ ea: diff('new', 1) })
    const compare = (number: number) =>
      same(sha('e'), String(number).padStart(40, '0') as Sha, sha('a'))
    for (let number = 0; number < 1001; number++) await compare(number)
    const before = asked.length
    await compare(0)
    expect(asked.length).toBe(before)
    await compare(1001)
    await compare(0)
    expect(asked.length).toBe(before + 4)
  })

  it('is no where the reviewed commit is not here any more', async () => {
    const { same, asked } = opened({})
    expect(await same(sha('e'), sha('f'), sha('a'))).toBe(false)
    expect(asked).toEqual([])
  })
})
