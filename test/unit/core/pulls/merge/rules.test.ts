import { describe, expect, it } from 'vitest'
import type { Check } from '../../../../../src/adapters/forge/check.ts'
import { mergeBlockers } from '../../../../../src/core/pulls/merge/rules.ts'
import { pull } from '../../../pull-watch/pull.ts'

const check = (name: string, status: Check['status'], required: boolean): Check => ({
  name,
  status,
  required,
  run: null,
  url: null,
  logTail: null,
})

describe('what stands against a merge', () => {
  it('names the required checks where the forge requires some, and all where it requires none', () => {
    const required = pull({
      checksState: 'failed',
      checksRequired: true,
      checks: [check('test', 'failed', true), check('nightly', 'failed', false)],
    })
    expect(mergeBlockers(required, false)[0]?.reason).toContain('checks failed: test (')
    const none = pull({
      checksState: 'failed',
      checks: [check('test', 'failed', false), check('lint', 'passed', false)],
    })
    expect(mergeBlockers(none, false)[0]?.reason).toContain('checks failed: test (')
    // What is not required fails for information only: the forge’s own summary says passed.
    expect(
      mergeBlockers(
        pull({
          checksState: 'passed',
          checksRequired: true,
          checks: [check('nightly', 'failed', false)],
        }),
        false,
      ),
    ).toEqual([])
  })

  it('takes unread checks for a reason only where they are required', () => {
    expect(mergeBlockers(pull({ checksState: 'unknown' }), false)).toEqual([])
    expect(
      mergeBlockers(pull({ checksState: 'unknown', checksRequired: true }), false),
    ).toMatchObject([{ code: 'CHECKS_FAILED' }])
  })

  it('is never a check or a review where it is forced, and always a conflict or a draft', () => {
    const everything = pull({
      checksState: 'failed',
      reviewDecision: 'changes_requested',
      mergeable: 'conflicting',
      draft: true,
    })
    expect(mergeBlockers(everything, true).map(({ code }) => code)).toEqual([
      'PR_NOT_MERGEABLE',
      'PR_NOT_MERGEABLE',
    ])
    expect(mergeBlockers(everything, false)).toHaveLength(4)
  })
})
