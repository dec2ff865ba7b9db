import { describe, expect, it } from 'vitest'
import type { PullDetails } from '../../../../../src/core/pulls/pull-documents.ts'
import { createPalette } from '../../../../../src/surfaces/text/palette.ts'
import { describePull } from '../../../../../src/surfaces/cli/pulls/pr-show.ts'

const review = (more: Partial<PullDetails['reviews'][number]>): PullDetails['reviews'][number] => ({
  ...{
    id: 'r1',
    author: 'jane',
    ...{ agent_id: null, commit: 'a'.repeat(40), submitted_at: 0 },
    state: 'approved',
    body: '',
    stale: false,
    comments: [],
    trusted: true,
    withheld: false,
    not_counted: null,
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
    ...{ created_at: 0, updated_at: 0, comments: [] },
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
      '✎ changes requested by jane (of an older head with the same changes)',
    ])
  })

  it.each([
    ['own', 'it is their own pull request'],
    ['dismissed', 'it was dismissed'],
    ['superseded', 'they decided anew since'],
    ['older_head', 'of an older head'],
    ['no_write_access', 'without write access'],
  ] as const)('that do not count are marked, with why: %s', (why, words) => {
    const state = 'changes_requested'
    expect(shown(review({ state, not_counted: why, stale: true }))).toEqual([
      `– changes requested by jane (does not count: ${words})`,
    ])
  })

  it('20.8: a comment of somebody who may not write here is said to be that', () => {
    const state = 'commented'
    expect(
      shown(review({ author: 'mallory', state, trusted: false, not_counted: 'no_write_access' })),
    ).toEqual(['– commented by mallory (without write access)'])
    expect(shown(review({ state, stale: true }))).toEqual([
      '✎ commented by jane (of an older head)',
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
    const comment = {
      ...{ author: 'jane', thread: null, side: 'right' as const },
      ...{ path: 'a.ts', line: 3, start_line: null, body: 'Why?' },
    }
    const comments = (['open', 'resolved', null] as const).map((conversation, index) => ({
      ...comment,
      id: `${index}`,
      conversation,
    }))
    const range = { ...comment, start_line: 1, id: '3', conversation: null }
    const old = { ...comment, side: 'left' as const, id: '4', conversation: null }
    expect(
      lines(pull([review({ comments: [...comments, range, old] })])).filter((line) =>
        line.startsWith('a.ts'),
      ),
    ).toEqual([
      'a.ts:3  ● open  comment 0',
      'a.ts:3  ✓ resolved  comment 1',
      'a.ts:3  comment 2',
      'a.ts:1-3  comment 3',
      'a.ts:3 (old version)  comment 4',
    ])
  })
})
