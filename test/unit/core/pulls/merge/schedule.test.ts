import { describe, expect, it } from 'vitest'
import type { PullRequestSnapshot } from '../../../../../src/adapters/forge/forge.ts'
import {
  createMergeSchedule,
  nothingToWaitFor,
} from '../../../../../src/core/pulls/merge/schedule.ts'
import { ExomonadError } from '../../../../../src/domain/errors.ts'
import { pull } from '../../../pull-watch/pull.ts'

/** What is left to the forge, and what is said of it (20.18). */

function schedule(kind: 'github' | 'gitea' | 'local' = 'github') {
  const polled: number[] = []
  const forge = { kind, scheduled: kind === 'github' ? {} : null }
  const made = createMergeSchedule({
    forge,
    polling: { poll: async (numbers: readonly number[]) => void polled.push(...numbers) },
  } as unknown as Parameters<typeof createMergeSchedule>[0])
  return { ...made, polled }
}
const running = pull({
  checksState: 'pending',
  checks: [
    { name: 'build', status: 'running', required: true, run: null, url: null, logTail: null },
  ],
})
const auto = (more: Partial<PullRequestSnapshot> = {}) =>
  pull({ scheduled: { kind: 'auto', by: 'forge:ann', since: 1 }, ...more })

describe('how a pull request is merged (20.18)', () => {
  it('at once or by the queue where nothing stands against it, and once that is so where it may pass', async () => {
    const { wayOf } = schedule()
    expect(await wayOf(pull(), { force: false }, {})).toBe('now')
    expect(await wayOf(pull(), { force: false, whenReady: true }, { queue: true })).toBe('queue')
    for (const one of [
      running,
      pull({ checksRequired: true }),
      pull({ checksState: 'unknown', checksRequired: true }),
      pull({ blockers: [{ kind: 'review', needs: 'x', person: true }] }),
    ]) {
      expect(await wayOf(one, { force: false, whenReady: true }, { queue: true })).toBe('auto')
      await expect(wayOf(one, { force: false }, {})).rejects.toMatchObject({
        message: expect.not.stringContaining('now or later'),
      })
    }
    expect(await wayOf(running, { force: true }, {})).toBe('now')
  })

  it('not where time does not cure it, which is said', async () => {
    const { wayOf, polled } = schedule()
    const failed = pull({ checksState: 'failed' })
    for (const one of [
      failed,
      pull({ draft: true }),
      pull({ mergeable: 'conflicting' }),
      pull({ reviewDecision: 'changes_requested' }),
      { ...running, draft: true },
    ]) {
      await expect(wayOf(one, { force: false, whenReady: true }, {})).rejects.toMatchObject({
        message: expect.stringContaining('can’t be merged, now or later: '),
      })
    }
    expect(polled).toEqual([3, 3, 3, 3, 3])
  })

  it('not by a forge that leaves nothing to itself, which says what works', async () => {
    await expect(
      schedule('local').wayOf(running, { force: false, whenReady: true }, {}),
    ).rejects.toMatchObject({
      code: 'CHECKS_FAILED',
      message: expect.stringMatching(
        /^#3 can’t be merged: checks are still running: build\. The local forge has no auto-merge .*: merge it when a message says that it is ready\.$/,
      ),
    })
    await expect(
      schedule('gitea').wayOf(running, { force: false, whenReady: true }, {}),
    ).rejects.toMatchObject({
      message: expect.stringContaining('exomonad leaves no merges to this forge: merge it'),
    })
  })
})

describe('what is said of one that the forge merges by itself already (20.18)', () => {
  it('its place in the queue, whatever is asked', () => {
    const queued = pull({
      scheduled: {
        kind: 'queue',
        by: 'forge:ann',
        since: 1,
        position: 4,
        state: 'checking',
        checks: null,
        checksState: 'unknown',
      },
    })
    for (const asked of [{ force: false }, { force: true, whenReady: true }]) {
      expect(schedule().standing(queued, asked)).toMatchObject({
        merged: false,
        state: 'queued',
        position: 4,
        next: expect.stringContaining('#3 is already in the merge queue of main, at position 4.'),
      })
    }
    expect(schedule().standing({ ...queued, state: 'merged' }, { force: false })).toBeNull()
  })

  it('what auto-merge waits for; where that is nothing it is merged now instead, unless it is to be left', () => {
    const { standing } = schedule()
    const waits = auto({ checksState: 'pending', checks: running.checks })
    expect(standing(waits, { force: false })).toMatchObject({
      state: 'auto_merge',
      next: expect.stringContaining('(now: checks are still running: build)'),
    })
    expect(standing(auto(), { force: false })).toBeNull()
    expect(standing(waits, { force: true })).toBeNull()
    expect(standing(auto(), { force: false, whenReady: true })).toMatchObject({
      state: 'auto_merge',
    })
    expect(standing(pull(), { force: false, whenReady: true })).toBeNull()
  })

  it('that GitHub has nothing to wait for, of what it does not require', () => {
    const refused = new ExomonadError('CHECKS_FAILED', '#3 can’t be merged: x.', { reasons: ['x'] })
    expect(nothingToWaitFor({ kind: 'github' }, refused)).toMatchObject({
      code: 'CHECKS_FAILED',
      message: expect.stringContaining('x. GitHub would merge it now'),
      facts: { reasons: ['x'] },
    })
    const other = new ExomonadError('FORGE_UNAVAILABLE', 'away')
    expect(nothingToWaitFor({ kind: 'github' }, other)).toBe(other)
  })
})
