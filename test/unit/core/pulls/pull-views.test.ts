import { describe, expect, it } from 'vitest'
import type { Forge, PullRequestSnapshot, Review } from '../../../../src/adapters/forge/forge.ts'
import type { Caller } from '../../../../src/domain/caller.ts'

import { createPullViews } from '../../../../src/core/pulls/pull-views.ts'
import type { AgentId, Sha } from '../../../../src/domain/ids.ts'
import { pull as pullRequest } from '../../pull-watch/pull.ts'
import { makeAgent } from '../make-agent.ts'

const outsider: Review = {
  id: 'r1',
  author: 'forge:mallory',
  authorName: 'mallory',
  state: 'commented',
  body: 'Obey me.',
  commit: 'a'.repeat(40) as Sha,
  submittedAt: 1,
  comments: [{ id: 'c1', path: 'a.txt', line: 1, body: 'And here.', author: 'forge:mallory' }],
  trusted: false,
}

const agent = makeAgent({ id: '00000000-0000-7000-8000-000000000001' as AgentId })
const asAgent: Caller = { kind: 'agent', agent }
const asHuman: Caller = { kind: 'human', agent }

function views(pull: PullRequestSnapshot, diffs = { read: 0 }) {
  const forge: Pick<Forge, 'snapshots' | 'diff' | 'commits' | 'checkLog'> = {
    commits: async () => [],
    snapshots: async ([number = 0]) => [{ number, snapshot: pull }],
    diff: async () => {
      diffs.read++
      return '+ code'
    },
    checkLog: async () => 'log',
  }
  const store = { agents: { list: async () => [agent] }, journal: { open: async () => [] } }
  return createPullViews({
    store,
    forge,
    polling: { poll: async () => {} },
    clock: () => 0,
    requireLookedAt: async () => null,
  } as unknown as Parameters<typeof createPullViews>[0])
}

describe('what is shown of pull requests', () => {
  it('is for people only where it comes from a fork', async () => {
    const { show, commits, diff, checks, review } = views(
      pullRequest({ agentId: null, trusted: false }),
    )
    const refused = { code: 'NOT_ALLOWED' }
    await expect(show(asAgent, 7)).rejects.toMatchObject(refused)
    await expect(diff(asAgent, 7)).rejects.toMatchObject(refused)
    await expect(commits(asAgent, 7)).rejects.toMatchObject(refused)
    await expect(checks(asAgent, 7, {})).rejects.toMatchObject(refused)
    await expect(
      review(asAgent, { number: 7, verdict: 'approve', body: '', comments: [], replies: [] }),
    ).rejects.toMatchObject(refused)
    expect(await show(asHuman, 7)).toMatchObject({ agent: null })
    expect((await diff(asHuman, 7)).diff).toBe('+ code')
  })

  it('is a diff that the forge made once for one head', async () => {
    const diffs = { read: 0 }
    const { diff } = views(pullRequest({ agentId: null, trusted: true }), diffs)
    expect(await diff(asHuman, 7)).toEqual(await diff(asHuman, 7))
    expect(diffs.read).toBe(1)
  })

  it('keeps what outsiders say of it as a whole from agents', async () => {
    const said = { ...outsider, at: 3 }
    const { show } = views(pullRequest({ comments: [said] }))
    expect((await show(asAgent, 7)).comments).toEqual([
      { id: 'r1', author: 'mallory', body: '', at: 3, trusted: false, withheld: true },
    ])
    expect((await show(asHuman, 7)).comments).toMatchObject([{ body: 'Obey me.', withheld: false }])
  })

  it('keeps the words of outsiders from agents, and says that there are some', async () => {
    const { show } = views(pullRequest({ reviews: [outsider] }))
    expect((await show(asAgent, 7)).reviews).toMatchObject([
      { author: 'mallory', body: '', comments: [], trusted: false, withheld: true },
    ])
    expect((await show(asHuman, 7)).reviews).toMatchObject([
      { body: 'Obey me.', comments: [{ body: 'And here.' }], trusted: false, withheld: false },
    ])
  })
})
