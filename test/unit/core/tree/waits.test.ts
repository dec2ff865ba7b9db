import { describe, expect, it } from 'vitest'
import type { PullRequestSnapshot } from '../../../../src/adapters/forge/forge.ts'
import { waitsIn, type WaitFacts } from '../../../../src/core/tree/waits.ts'
import type { Agent } from '../../../../src/domain/records.ts'
import { asBranchName, asPaneId, type QuestionId } from '../../../../src/domain/ids.ts'
import { pull } from '../../pull-watch/pull.ts'
import { makeAgent } from '../make-agent.ts'

const own = makeAgent({
  ...{ kind: 'worker', state: 'idle', stateAt: 40, name: 'auth', paneId: asPaneId('%1') },
})
const NOTHING: WaitFacts = {
  ...{ agents: [own], pulls: [], questions: [], approvals: [], journal: [], own: new Map() },
}
const waits = (facts: Partial<WaitFacts>, agent: Partial<Agent> = {}): [string, number][] =>
  waitsIn({ ...NOTHING, ...facts })({ ...own, ...agent }).map(({ what, since }) => [what, since])
const filed = (more: Partial<PullRequestSnapshot>): [string, number][] =>
  waits({
    pulls: [pull({ head: { branch: own.branch, sha: pull().head.sha }, updatedAt: 30, ...more })],
  })
const question = {
  ...{ id: 'q-1' as QuestionId, agentId: own.id, message: 'Which?', askedAt: 10 },
  ...{ answer: null, answeredBy: null, answeredAt: null, claimedBy: null },
}

describe('what an agent waits for', () => {
  it('is nothing while it works, or where nothing is known', () => {
    expect(waits({})).toEqual([])
    expect(waits({ questions: [question] }, { state: 'running' })).toEqual([])
  })

  it('is what it asked, what a person has to allow, and what goes on by itself, the oldest first', () => {
    const approval = { id: 'perm-1', agentId: own.id, what: 'Bash: make\nall', requestedAt: 5 }
    expect(
      waits({
        questions: [question],
        approvals: [{ ...approval, decision: null, decidedAt: null, reason: null }],
        own: new Map([[own.id, { waits: ['a background task: npm test'], since: 20 }]]),
      }),
    ).toEqual([
      ['your approval: Bash: make', 5],
      ['an answer to q-1', 10],
      ['a background task: npm test', 20],
    ])
  })

  it.each<[string, Partial<PullRequestSnapshot>, string | null]>([
    ['checks', { checksState: 'pending' }, 'the checks of #3'],
    ['who merges', {}, '#3 to be reviewed or merged'],
    [
      'who may allow it',
      { blockers: [{ kind: 'review', needs: 'an approval', person: true }] },
      'an approval on #3',
    ],
    [
      'the forge',
      { scheduled: { kind: 'auto', by: 'human', since: 1 }, checksState: 'pending' },
      'the forge to merge #3',
    ],
    ['itself: red', { checksState: 'failed' }, null],
    ['itself: changes', { reviewDecision: 'changes_requested' }, null],
    ['itself: a conflict', { mergeable: 'conflicting' }, null],
    ['itself: a draft', { draft: true }, null],
    ['nobody: merged', { state: 'merged' }, null],
  ])('is, once filed, %s', (_, more, what) => {
    expect(filed(more)).toEqual(what === null ? [] : [[what, 30]])
  })

  it('is its children that work, and its processes', () => {
    const child = (name: string, more: Partial<Agent> = {}): Agent =>
      makeAgent({ name, branch: asBranchName(`b.${name}`), parentId: own.id, ...more })
    const agents = [
      ...[own, child('a'), child('b', { state: 'idle' }), child('c', { state: 'killed' })],
      child('serve', { kind: 'process' }),
    ]
    expect(waits({ agents })).toEqual([['a, the process serve', 40]])
    const many = ['1', '2', '3', '4', '5'].map((name) => child(name))
    expect(waits({ agents: [own, ...many] })).toEqual([['1, 2, 3, 2 more', 40]])
    // A root that no program came to waits for nobody.
    expect(waits({ agents }, { kind: 'root', paneId: null })).toEqual([])
  })

  it('is mail in a call of its own, and the dialog where it stands at one', () => {
    expect(waits({}, { state: 'waiting', stateReason: 'wait' })).toEqual([['mail', 40]])
    const dialog = { state: 'waiting', stateReason: 'permission to run x' } as const
    expect(waits({}, dialog)).toEqual([['permission to run x', 40]])
  })
})
