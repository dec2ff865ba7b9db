import { describe, expect, it } from 'vitest'
import type { PullDetails } from '../../../../../src/core/pulls/pull-documents.ts'
import { createPalette } from '../../../../../src/surfaces/text/palette.ts'
import { describePull } from '../../../../../src/surfaces/cli/pulls/pr-show.ts'

const review = (more: Partial<PullDetails['reviews'][number]>): PullDetails['reviews'][number] => ({
  ...{
    id: 'r1',
    author: 'jane',
    state: 'approved',
    body: '',
    stale: false,
    comments: [],
    trusted: true,
    withheld: false,
  },
  ...more,
})
const pull = (reviews: PullDetails['reviews']): PullDetails => ({
  ...{
    number: 3,
    url: 'https://github.com/o/r/pull/3',
    title: 'Add login',
    state: 'open',
    draft: false,
    head_branch: 'main.auth',
    base_branch: 'main',
  },
  ...{
    agent: 'auth',
    checks: 'none',
    review: 'none',
    mergeable: 'mergeable',
    head_sha: 'a'.repeat(40),
    landing: null,
    scheduled: null,
  },
  ...{
    body: '',
    conflict_files: [],
    reviews,
    asked_reviewers: [],
    check_runs: [],
    queue_checks: [],
    merge_sha: null,
  },
})
const shown = (...reviews: PullDetails['reviews']): string[] =>
  describePull(pull(reviews), createPalette(false)).filter((line) => line.includes(' by '))

describe('the reviews of `exomonad pr show`', () => {
  it('are verdicts of those who may write to the repository', () => {
    expect(shown(review({}), review({ state: 'changes_requested', stale: true }))).toEqual([
      '✓ approved by jane',
      '✎ changes requested by jane (of an older head)',
    ])
  })

  it('20.8: of anybody else are none, and said to be that', () => {
    expect(
      shown(
        review({ author: 'mallory', trusted: false }),
        review({ author: 'mallory', trusted: false, state: 'changes_requested' }),
      ),
    ).toEqual([
      '– approved, without write access, by mallory',
      '– changes requested, without write access, by mallory',
    ])
  })
})

describe('what else `exomonad pr show` says of reviews', () => {
  const lines = (details: PullDetails): string[] =>
    describePull(details, createPalette(false)).map((line) => line.trim())

  it('(20.19) whom the forge asked for one, code owners as such', () => {
    const asked = [
      { name: 'octo/core', code_owner: true },
      { name: 'ann', code_owner: false },
    ]
    expect(
      lines({ ...pull([]), asked_reviewers: asked }).find((line) => line.startsWith('asked')),
    ).toMatch(/^asked +octo\/core \(code owner\), ann$/)
    expect(lines(pull([])).some((line) => line.startsWith('asked'))).toBe(false)
  })

  it('(20.19) the state of each conversation on a line, where that is known, and the id to answer it by', () => {
    const comment = { path: 'a.ts', line: 3, body: 'Why?' }
    const comments = (['open', 'resolved', null] as const).map((conversation, index) => ({
      ...comment,
      id: `${index}`,
      conversation,
    }))
    expect(lines(pull([review({ comments })])).filter((line) => line.startsWith('a.ts'))).toEqual([
      'a.ts:3  ● open  comment 0',
      'a.ts:3  ✓ resolved  comment 1',
      'a.ts:3  comment 2',
    ])
  })
})
