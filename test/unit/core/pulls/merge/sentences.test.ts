import { describe, expect, it } from 'vitest'
import type { Check } from '../../../../../src/adapters/forge/check.ts'
import { mergeBlockers } from '../../../../../src/core/pulls/merge/rules.ts'
import {
  mergeRefusal,
  redRefusal,
  type RefusedMerge,
} from '../../../../../src/core/pulls/merge/refusal.ts'
import { nextStep, stillLanding } from '../../../../../src/core/pulls/merge/words.ts'
import { asBranchName } from '../../../../../src/domain/ids.ts'
import { pull, sha } from '../../../pull-watch/pull.ts'
import { makeAgent } from '../../make-agent.ts'

/**
 * Every reason there is against a merge and every outcome of one, in the words that agents and
 * people read.
 */

const check = (name: string, more: Partial<Check> = {}): Check => ({
  name,
  status: 'failed',
  required: false,
  run: null,
  url: null,
  logTail: null,
  ...more,
})

describe('why a pull request must not be merged', () => {
  it.each([
    ['nothing', {}, []],
    ['it is over', { state: 'merged' as const }, ['PR_NOT_MERGEABLE: it is merged']],
    [
      'a conflict',
      { mergeable: 'conflicting' as const, conflictFiles: ['a.ts', 'b.ts'] },
      ['PR_NOT_MERGEABLE: it conflicts with main in a.ts, b.ts'],
    ],
    [
      'a conflict whose files nobody knows',
      { mergeable: 'conflicting' as const },
      ['PR_NOT_MERGEABLE: it conflicts with main in some files'],
    ],
    [
      'a draft',
      { draft: true },
      ['PR_NOT_MERGEABLE: it is a draft: its agent files it again with draft=false'],
    ],
    [
      'a change request',
      { reviewDecision: 'changes_requested' as const },
      ['PR_NOT_MERGEABLE: changes were requested and no push answered them'],
    ],
    ['an approval', { reviewDecision: 'approved' as const }, []],
    [
      'red checks',
      {
        checksState: 'failed' as const,
        checks: [check('test'), check('lint', { status: 'passed' }), check('types')],
      },
      ['CHECKS_FAILED: checks failed: test, types (`exomonad pr checks 3` shows why)'],
    ],
    [
      'red checks without names',
      { checksState: 'failed' as const },
      ['CHECKS_FAILED: checks failed: see pr_checks (`exomonad pr checks 3` shows why)'],
    ],
    [
      'running checks',
      {
        checksState: 'pending' as const,
        checks: [check('test', { status: 'running' }), check('lint', { status: 'queued' })],
      },
      ['CHECKS_FAILED: checks are still running: test, lint'],
    ],
    [
      'running checks without names',
      { checksState: 'pending' as const },
      ['CHECKS_FAILED: checks are still running: see pr_checks'],
    ],
    [
      'checks that are held',
      {
        checksState: 'pending' as const,
        checks: [
          check('test', { status: 'queued', logTail: 'not trusted' }),
          check('lint', { status: 'running', logTail: 'x' }),
        ],
      },
      ['CHECKS_FAILED: test: not trusted'],
    ],
    [
      'several that are held',
      {
        checksState: 'pending' as const,
        checks: [
          check('a', { status: 'queued', logTail: 'one' }),
          check('b', { status: 'queued', logTail: 'two' }),
        ],
      },
      ['CHECKS_FAILED: a: one; b: two'],
    ],
    [
      'checks that never ran',
      { checksState: 'none' as const, checksRequired: true },
      ['CHECKS_FAILED: the required checks have not run'],
    ],
    ['no checks', { checksState: 'none' as const }, []],
    [
      'checks nobody could read',
      { checksState: 'unknown' as const, checksRequired: true },
      ['CHECKS_FAILED: the state of the checks could not be read'],
    ],
    [
      'green checks',
      {
        checksState: 'passed' as const,
        checksRequired: true,
        checks: [check('test', { status: 'passed' })],
      },
      [],
    ],
  ])('%s', (_, facts, expected) => {
    expect(
      mergeBlockers(pull(facts), false).map(({ code, reason }) => `${code}: ${reason}`),
    ).toEqual(expected)
  })

  it('several at once, worst first', () => {
    const all = pull({
      state: 'closed',
      mergeable: 'conflicting',
      draft: true,
      reviewDecision: 'changes_requested',
      checksState: 'failed',
    })
    expect(
      mergeBlockers(all, false).map(({ reason }) => reason.split(' ').slice(0, 2).join(' ')),
    ).toEqual(['it is', 'it conflicts', 'it is', 'changes were', 'checks failed:'])
    expect(mergeBlockers(all, true)).toHaveLength(3)
  })
})

describe('what is said of a merge that was not made', () => {
  const refusal = (result: RefusedMerge, kind: 'local' | 'github' = 'local') => {
    const { code, message, facts } = mergeRefusal({ kind }, pull(), result)
    return { code, message, facts }
  }
  it.each([
    [
      { kind: 'head_changed' as const, head: sha('c') },
      'HEAD_CHANGED',
      '#3 got new commits (cccccccc) since it was looked at. Look at them (pr_diff), then merge again.',
      { head: sha('c') },
    ],
    [
      { kind: 'conflict' as const, files: ['a.ts', 'b.ts'] },
      'PR_NOT_MERGEABLE',
      '#3 conflicts with main in a.ts, b.ts. Its agent has to rebase; it is notified of that at its next stop.',
      { reasons: ['conflict'], files: ['a.ts', 'b.ts'] },
    ],
    [
      { kind: 'conflict' as const, files: [] },
      'PR_NOT_MERGEABLE',
      '#3 conflicts with main. Its agent has to rebase; it is notified of that at its next stop.',
      { reasons: ['conflict'], files: [] },
    ],
    [
      { kind: 'refused' as const, reason: 'no.' },
      'PR_NOT_MERGEABLE',
      'The local forge refuses to merge #3: no.',
      { reasons: ['no.'] },
    ],
    [
      { kind: 'not_open' as const, state: 'closed' as const },
      'PR_NOT_MERGEABLE',
      '#3 is closed already.',
      { reasons: ['closed'] },
    ],
  ])('%j', (result, code, message, facts) => {
    expect(refusal(result)).toEqual({ code, message, facts })
  })

  it('names GitHub where that refuses', () => {
    expect(refusal({ kind: 'refused', reason: 'a rule' }, 'github').message).toBe(
      'GitHub refuses to merge #3: a rule',
    )
  })

  it.each([
    [{ baseRed: true, between: [] }, 'main is red without it'],
    [{ baseRed: false, between: [] }, 'its own checks were green on an older main'],
    [
      {
        baseRed: false,
        between: [
          { number: 4, title: 'B' },
          { number: 5, title: 'C' },
        ],
      },
      'its own checks were green before #4 (B), #5 (C) landed',
    ],
  ])('of a red result, with what explains it: %j', (red, why) => {
    const { code, message, facts } = redRefusal(pull(), {
      ...red,
      log: 'boom',
      logUrl: 'file:///log',
    } as never)
    expect(message).toBe(
      `#3 was not merged: the result with main was checked and is red; ${why}. Its agent was notified. The end of the log:\nboom`,
    )
    expect({ code, facts }).toEqual({
      code: 'CHECKS_FAILED',
      facts: { number: 3, between: red.between, base_red: red.baseRed, log_url: 'file:///log' },
    })
  })
})

describe('what is next after a merge', () => {
  const MAIN = makeAgent({ name: 'main', branch: asBranchName('main') })
  const D2 = makeAgent({ name: 'd2', branch: asBranchName('main.d2') })
  const facts = {
    base: asBranchName('main'),
    remote: 'origin',
    pullError: undefined,
    siblings: 0,
    child: undefined,
    agents: [],
    followed: null,
  }
  it.each([
    [{}, 'Nothing else to do for this pull request.'],
    [
      { followed: sha('c') },
      'exomonad had rebased the head that you looked at (cccccccc); its changes are the same.',
    ],
    [
      { pullError: 'it is dirty' },
      'Your worktree does not have the merge (it is dirty): fix that, then `git merge --ff-only origin/main`.',
    ],
    [{ siblings: 1 }, '1 sibling will be rebased at the next stop.'],
    [{ siblings: 2 }, '2 siblings will be rebased at the next stop.'],
    [
      { child: makeAgent({ name: 'auth', state: 'idle' }) },
      'auth idles: send it more work, or kill it.',
    ],
    [
      { child: makeAgent({ name: 'wy', state: 'killed', parentId: D2.id }), agents: [D2] },
      'It skipped a level: wy is a child of d2 (main.d2), whose branch does not have it.',
    ],
    [
      { child: makeAgent({ name: 'auth', state: 'killed' }) },
      'Nothing else to do for this pull request.',
    ],
    // Its parent is another than the first of all, and its branch is where it went.
    [
      {
        base: D2.branch,
        child: makeAgent({ name: 'wy', state: 'killed', parentId: D2.id }),
        agents: [MAIN, D2],
      },
      'Nothing else to do for this pull request.',
    ],
    [{ agents: [D2] }, 'Nothing else to do for this pull request.'],
    [
      { siblings: 2, child: makeAgent({ name: 'auth', state: 'idle' }) },
      '2 siblings will be rebased at the next stop. auth idles: send it more work, or kill it.',
    ],
  ])('%#', (more, words) => {
    expect(nextStep({ ...facts, ...more })).toBe(words)
  })

  it('while its result is being checked', () => {
    const landing = {
      merged: false,
      state: 'landing',
      sha: null,
      local_synced: false,
      retargeted: [],
      siblings_behind: [],
      next: 'Checking what #3 comes to on main, which nothing has checked yet. It lands by itself when that is green, and you get a message when it is not, or when all that you asked for has landed: nothing to do until then.',
    }
    expect(stillLanding(pull(), null)).toEqual(landing)
    expect(stillLanding(pull(), sha('c'))).toEqual({ ...landing, rebased_from: sha('c') })
  })
})
