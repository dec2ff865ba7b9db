import { describe, expect, it } from 'vitest'
import type { Agent } from '../../../../src/domain/records.ts'
import { inboxNeeds, labelsOf, needOf } from '../../../../src/core/panes/labels.ts'
import { asBranchName } from '../../../../src/domain/ids.ts'
import { makeAgent } from '../make-agent.ts'

const labelled = (...branches: string[]): string[] => [
  ...labelsOf(branches.map((branch) => makeAgent({ branch: asBranchName(branch) }))).values(),
]

describe('the label of an agent', () => {
  it.each([
    [
      ['main', 'main.api', 'main.web'],
      ['main', 'api', 'web'],
    ],
    [
      ['main.api', 'main.web', 'main.api.auth', 'main.web.auth'],
      ['api', 'web', 'api.auth', 'web.auth'],
    ],
    // A branch that another's ends with.
    [
      ['auth', 'main.auth'],
      ['auth', 'main.auth'],
    ],
    [
      ['main.a-name-that-is-too-long', 'main.b'],
      ['…hat-is-too-long', 'b'],
    ],
    // Both would be cut to the same.
    [
      ['main.one-name-that-is-too-long', 'main.two-name-that-is-too-long'],
      ['one-name-that-is-too-long', 'two-name-that-is-too-long'],
    ],
  ])('is as much of the end of its branch as no other has, and short: %j', (branches, expected) => {
    expect(labelled(...branches)).toEqual(expected)
  })

  it('is its name where it works on another’s branch', () => {
    const branch = asBranchName('main.lead')
    const agents = [makeAgent({ branch }), makeAgent({ branch, kind: 'fork', name: 'scout' })]
    expect([...labelsOf(agents).values()]).toEqual(['lead', 'scout'])
  })
})

describe('what a person has to do for an agent', () => {
  const none = { approvals: new Set<never>(), questions: new Set<never>() }

  it.each<[Partial<Agent>, string]>([
    [{ state: 'running' }, ''],
    [{ state: 'idle' }, ''],
    [{ state: 'idle', outcome: { success: true } }, ''],
    [{ state: 'waiting', stateReason: 'wait' }, ''],
    [{ state: 'waiting', stateReason: 'question q-1' }, ''],
    [{ state: 'waiting', stateReason: 'permission: Bash' }, 'waits'],
    [{ state: 'unknown' }, 'look'],
    [{ state: 'idle', outcome: { success: false, error: 'no way' } }, 'gave up'],
  ])('follows from its state: %j', (facts, expected) => {
    expect(needOf(makeAgent(facts), none)).toBe(expected)
  })

  it('follows from the inbox: approvals, and questions that come to a person', async () => {
    const root = makeAgent({ kind: 'root', parentId: null, state: 'idle', paneId: null })
    const child = makeAgent({ parentId: root.id })
    const grandchild = makeAgent({ parentId: child.id })
    const asker = makeAgent({ parentId: child.id })
    const agents = [root, child, grandchild, asker]
    const needs = async () =>
      await inboxNeeds({
        agents: { get: async (id: string) => agents.find((agent) => agent.id === id) },
        questions: { open: async () => [{ agentId: child.id }, { agentId: grandchild.id }] },
        approvals: { pending: async () => [{ agentId: asker.id }] },
      } as never)
    const known = await needs()
    expect(agents.map((agent) => needOf(agent, known))).toEqual(['', 'asks', '', 'approve'])
    // Its program answers its children itself.
    agents[0] = { ...root, paneId: '%1' as never }
    expect(needOf(child, await needs())).toBe('')
  })
})
