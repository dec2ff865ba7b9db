import { describe, expect, it } from 'vitest'
import { applicable, nextBlock, objectionText } from '../../../src/core/stop-check.ts'

const facts = { ownsBranch: true, hasOpenQuestion: false, hasExcuse: false, hasLiveChildren: false, hasOpenChildPulls: false, merged: false }

describe('which links of the stop check apply', () => {
  it('all, for an agent with a branch of its own', () => {
    expect(applicable(facts)).toEqual({ commit: true, rebase: true, pullRequest: true, review: true })
  })
  it('none of the first four for the root, for forks, and for an agent whose own question is open', () => {
    const none = { commit: false, rebase: false, pullRequest: false, review: false }
    expect(applicable({ ...facts, ownsBranch: false })).toEqual(none)
    expect(applicable({ ...facts, hasOpenQuestion: true })).toEqual(none)
  })
  it('a reason given with a note skips commit and rebase', () => {
    expect(applicable({ ...facts, hasExcuse: true })).toEqual({ commit: false, rebase: false, pullRequest: true, review: true })
  })
  it('live children or their open pull requests skip the own pull request', () => {
    expect(applicable({ ...facts, hasLiveChildren: true }).pullRequest).toBe(false)
    expect(applicable({ ...facts, hasOpenChildPulls: true }).pullRequest).toBe(false)
  })
})

describe('how often an agent is held', () => {
  it('is let go after the maximum for one objection in a row', () => {
    let previous: { objection: string | null; times: number } = { objection: null, times: 0 }
    const releases: boolean[] = []
    for (let turn = 0; turn < 4; turn++) {
      const { release, times } = nextBlock(previous, 'uncommitted', 3)
      releases.push(release)
      previous = { objection: 'uncommitted', times }
    }
    expect(releases).toEqual([false, false, false, true])
  })
  it('starts to count anew for another objection', () => {
    expect(nextBlock({ objection: 'uncommitted', times: 3 }, 'no_pull_request', 3)).toEqual({ release: false, times: 1 })
  })
  it('is always told its messages', () => {
    expect(nextBlock({ objection: 'messages', times: 99 }, 'messages', 3).release).toBe(false)
  })
})

describe('what an agent reads', () => {
  it('names what to do next', () => {
    expect(objectionText({ kind: 'uncommitted', files: ['a.ts', 'b.ts'] })).toMatch(/a\.ts, b\.ts.*Commit them.*note --stop-reason/s)
    expect(objectionText({ kind: 'rebase_conflict', files: ['a.ts'], base: 'main', tries: 2 })).toMatch(/a\.ts.*rebase --continue/s)
    expect(objectionText({ kind: 'no_pull_request', commits: 1, base: 'main' })).toMatch(/1 commit that main lacks.*file_pr/s)
  })
})
