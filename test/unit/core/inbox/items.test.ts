import { describe, expect, it } from 'vitest'
import type { InboxFacts } from '../../../../src/core/inbox/inbox-facts.ts'
import { itemsOf } from '../../../../src/core/inbox/items.ts'
import type { Item } from '../../../../src/core/inbox/item.ts'
import {
  asBranchName,
  asPaneId,
  newAgentId,
  newDeliveryId,
  type QuestionId,
} from '../../../../src/domain/ids.ts'
import { STOPPED } from '../../../../src/domain/lifecycle.ts'
import type {
  Agent,
  Approval,
  Delivery,
  JournalEntry,
  Question,
} from '../../../../src/domain/records.ts'
import { pull } from '../../pull-watch/pull.ts'
import { makeAgent } from '../make-agent.ts'

/** A root without a program has the person do what its children need. */
const root = makeAgent({
  name: 'main',
  kind: 'root',
  role: 'tl',
  branch: asBranchName('main'),
  baseBranch: null,
  state: 'idle',
  stateReason: STOPPED,
  depth: 0,
})
const manned: Agent = { ...root, paneId: asPaneId('%0'), state: 'idle', stateReason: null }
const child = (facts: Partial<Agent> = {}): Agent =>
  makeAgent({ parentId: root.id, name: 'auth', ...facts })

const factsOf = (facts: Partial<InboxFacts>): InboxFacts => ({
  agents: [root],
  pulls: [],
  questions: [],
  approvals: [],
  journal: [],
  undecided: [],
  givenMore: new Set(),
  ...facts,
})
const items = (facts: Partial<InboxFacts>): Item[] => itemsOf(factsOf(facts))
const ids = (facts: Partial<InboxFacts>): string[] => items(facts).map(({ id }) => id)

const question = (agent: Agent, facts: Partial<Question> = {}): Question => ({
  id: 'q-11111111' as QuestionId,
  agentId: agent.id,
  message: '\nWhich database?\n- SQLite',
  askedAt: 5,
  answer: null,
  answeredBy: null,
  answeredAt: null,
  claimedBy: null,
  ...facts,
})
const approval = (agent: Agent, id: string): Approval => ({
  id,
  agentId: agent.id,
  what: 'Bash: rm -rf build',
  requestedAt: 7,
  decision: null,
  decidedAt: null,
  reason: null,
})

describe('a question', () => {
  it('is an item where the person stands in for the root, with the command that answers it', () => {
    const asker = child()
    expect(items({ agents: [root, asker], questions: [question(asker)] })).toEqual([
      {
        number: 1,
        id: 'question:q-11111111',
        type: 'question',
        agent: 'auth',
        agent_id: asker.id,
        since: 5,
        title: 'auth asks: Which database?',
        text: '\nWhich database?\n- SQLite',
        settle: ['exomonad answer auth "…" --question q-11111111'],
      },
    ])
  })

  it('is the root’s own, the one of whoever is below an agent that is over, or none of yours', () => {
    const lead = child({ name: 'lead' })
    const below = makeAgent({ name: 'below', parentId: lead.id })
    const asked = (agents: Agent[], asker: Agent) => ids({ agents, questions: [question(asker)] })
    expect(asked([manned], manned)).toHaveLength(1)
    expect(asked([manned, child()], child())).toHaveLength(0)
    expect(asked([root, lead, below], below)).toHaveLength(0)
    expect(asked([root, { ...lead, state: 'killed' }, below], below)).toHaveLength(1)
    expect(asked([manned, { ...lead, state: 'killed' }, below], below)).toHaveLength(0)
    const dead = child({ state: 'failed', reapedAt: 1 })
    expect(asked([root, dead], dead)).toHaveLength(0)
  })

  it('names its agent so that a shell and the command take it', () => {
    const [odd, twin, other] = [
      child({ name: 'it’s; rm', branch: asBranchName('main.its-rm') }),
      child({ name: 'twin', branch: asBranchName('main.twin') }),
      child({ name: 'twin', kind: 'fork', branch: asBranchName('main.auth') }),
    ]
    const command = (asker: Agent): string =>
      items({ agents: [root, odd, twin, other], questions: [question(asker)] })[0]?.settle[0] ?? ''
    expect(command(odd)).toContain('answer main.its-rm "…"')
    expect(command(twin)).toContain('answer main.twin "…"')
    expect(command(other)).toContain(`answer ${other.id} "…"`)
    const oddRoot = { ...root, name: 'it’s', branch: asBranchName('it’s') }
    const [asked] = items({ agents: [oddRoot], questions: [question(oddRoot)] })
    expect(asked?.settle[0]).toContain(`answer ${root.id} "…"`)
  })
})

describe('what a program asks for', () => {
  it('is a permission, or an approval, whoever its parent is; a terminal with the same question is no second item', () => {
    const asker = child({ state: 'waiting', stateSource: 'hook', stateReason: 'permission to rm' })
    const found = items({
      agents: [manned, asker],
      approvals: [approval(asker, 'perm-abc'), approval(asker, '12345678')],
    })
    expect(found.map(({ id, type }) => [id, type])).toEqual([
      ['approval:12345678', 'approval'],
      ['approval:perm-abc', 'permission'],
    ])
    expect(found[1]).toMatchObject({
      title: 'auth asks for permission: Bash: rm -rf build',
      settle: ['exomonad approve perm-abc', 'exomonad deny perm-abc --reason "…"'],
    })
  })

  it('is a wait in a terminal where only that has it, and none where its own call waits', () => {
    const at = (stateReason: string | null) =>
      child({ state: 'waiting', stateReason, stateAt: 9, stateSource: 'screen' })
    const waits = at('its terminal shows: Trust this folder?')
    expect(items({ agents: [manned, waits] })).toMatchObject([
      {
        id: `terminal:${waits.id}`,
        type: 'terminal',
        since: 9,
        title: 'auth waits in its terminal: its terminal shows: Trust this folder?',
        settle: ['exomonad attach auth', 'exomonad logs auth'],
      },
    ])
    for (const reason of ['question q-1', 'wait', 'subagent x'])
      expect(ids({ agents: [manned, at(reason)] })).toEqual([])
    expect(ids({ agents: [manned, { ...waits, state: 'running' }] })).toEqual([])
  })
})

describe('a pull request', () => {
  const ready = { checksState: 'passed', checks: [], mergeable: 'mergeable' } as const
  const of = (author: Agent, facts: Parameters<typeof pull>[0] = {}) =>
    pull({
      ...ready,
      agentId: author.id,
      head: { branch: author.branch, sha: pull().head.sha },
      base: { branch: asBranchName('main'), sha: null },
      ...facts,
    })
  const author = child()

  it('is yours once it can be merged into a branch that no agent looks after, until it is merged', () => {
    const [found] = itemsOf(
      factsOf({ agents: [root, author], pulls: [of(author)] }),
      new Map([[of(author).number, 42]]),
    )
    const { number } = of(author)
    expect(found).toMatchObject({ id: `pull:${number}`, type: 'pull', agent: 'auth', since: 42 })
    expect(found?.title).toContain('of auth can be merged into main')
    expect(found?.settle).toContain(`exomonad pr merge ${number}`)
    for (const facts of [
      { state: 'merged' },
      { state: 'closed' },
      { mergeable: 'conflicting' },
      { checksState: 'failed' },
      { checksState: 'pending' },
      { reviewDecision: 'changes_requested' },
      { draft: true },
    ] as const)
      expect(ids({ agents: [root, author], pulls: [of(author, facts)] })).toEqual([])
  })

  it('is its lead’s where there is one, and nobody’s item while it lands', () => {
    const pulls = [of(author)]
    expect(ids({ agents: [manned, author], pulls })).toEqual([])
    const landing: JournalEntry = {
      ...{ id: 'j', kind: 'merge', step: 'queued', state: 'open', startedAt: 0 },
      data: { number: pulls[0]?.number, queuedAt: 1 },
    }
    expect(ids({ agents: [root, author], pulls, journal: [landing] })).toEqual([])
    const lead = child({ name: 'lead' })
    const below = makeAgent({
      name: 'below',
      parentId: lead.id,
      branch: asBranchName('main.lead.below'),
      baseBranch: lead.branch,
    })
    const theirs = of(below, { base: { branch: lead.branch, sha: null } })
    expect(ids({ agents: [root, lead, below], pulls: [theirs] })).toEqual([])
    expect(
      ids({ agents: [root, { ...lead, state: 'failed', reapedAt: 1 }, below], pulls: [theirs] }),
    ).toHaveLength(1)
  })

  it('is the root’s own, which nobody in the tree may merge', () => {
    const own = of(
      { ...manned, baseBranch: asBranchName('trunk') },
      { base: { branch: asBranchName('trunk'), sha: null } },
    )
    expect(ids({ agents: [manned], pulls: [own] })).toHaveLength(1)
  })

  it('needs you wherever it goes, where only a person can give what it lacks', () => {
    const blocked = (person: boolean) =>
      of(author, { blockers: [{ kind: 'review', needs: 'an approval by a code owner', person }] })
    const [found] = items({ agents: [manned, author], pulls: [blocked(true)] })
    expect(found?.title).toContain('needs an approval by a code owner')
    expect(found?.settle.join()).not.toContain('merge')
    expect(ids({ agents: [manned, author], pulls: [blocked(false)] })).toEqual([])
    expect(ids({ agents: [root, author], pulls: [blocked(false)] })).toHaveLength(1)
  })
})

describe('a failure', () => {
  it('stands until its agent is resumed, reaped or cleaned away', () => {
    const failed = child({ state: 'failed', stateReason: 'exit code 3', exitCode: 3, endedAt: 8 })
    expect(items({ agents: [manned, failed] })).toMatchObject([
      {
        id: `failed:${failed.id}`,
        since: 8,
        title: 'auth failed: exit code 3',
        settle: ['exomonad logs auth', 'exomonad resume auth', 'exomonad reap'],
      },
    ])
    for (const after of [
      { state: 'spawning' },
      { state: 'running' },
      { reapedAt: 9 },
      { cleanedAt: 9 },
    ] as const)
      expect(ids({ agents: [manned, { ...failed, ...after }] })).toEqual([])
  })

  it('is one that reported failure, until it is sent something or its work is merged', () => {
    const gaveUp = child({
      state: 'idle',
      outcome: { success: false, error: 'No credentials.\nSee the log.', at: 6 },
    })
    const agents = [manned, gaveUp]
    const [found] = items({ agents })
    expect(found).toMatchObject({ since: 6, title: 'auth gave up: No credentials.' })
    expect(found?.settle).toContain('exomonad send auth "…"')
    expect(ids({ agents, givenMore: new Set([gaveUp.id]) })).toEqual([])
    expect(ids({ agents: [manned, { ...gaveUp, state: 'running' }] })).toEqual([])
    const merged = pull({ state: 'merged', head: { branch: gaveUp.branch, sha: pull().head.sha } })
    expect(ids({ agents, pulls: [merged] })).toEqual([])
  })

  it('of a session or process is its parent’s, where there is one; of what a call waits for that call’s', () => {
    const failed = (kind: Agent['kind']) => child({ kind, state: 'failed' })
    for (const kind of ['process', 'llm'] as const) {
      expect(ids({ agents: [manned, failed(kind)] })).toEqual([])
      expect(items({ agents: [root, failed(kind)] })[0]?.settle[0]).toBe('exomonad result auth')
    }
    for (const kind of ['spawn', 'delegate'] as const)
      expect(ids({ agents: [root, failed(kind)] })).toEqual([])
  })
})

describe('a message that may not have arrived', () => {
  const undecided = (agent: Agent): Delivery => ({
    ...{ id: newDeliveryId(), recipient: agent.id, eventSeq: 1, kind: 'message', subject: null },
    reach: 'wake',
    ...{ text: 'Also the logout', state: 'undecided', lane: 'pane', batch: 'b', attempts: 1 },
    ...{ createdAt: 1, nextAttemptAt: 1, claimedAt: 1, handedAt: 1, settledAt: 4 },
    why: 'it never answered',
  })

  it('is an item until it is confirmed, or its agent is over on purpose', () => {
    const agent = child()
    const delivery = undecided(agent)
    const [found] = items({ agents: [manned, agent], undecided: [delivery] })
    expect(found).toMatchObject({
      id: `delivery:${delivery.id}`,
      since: 4,
      text: 'Also the logout\n(it never answered)',
    })
    expect(found?.settle).toContain(`exomonad --as auth ack ${delivery.id}`)
    for (const state of ['killed', 'completed'] as const)
      expect(ids({ agents: [manned, { ...agent, state }], undecided: [delivery] })).toEqual([])
    expect(ids({ agents: [manned], undecided: [undecided(child({ id: newAgentId() }))] })).toEqual(
      [],
    )
  })
})

it('items are numbered from the oldest on, whatever they are, and the same each time', () => {
  const asker = child({ name: 'asker' })
  const failed = child({ name: 'failed', state: 'failed', endedAt: 6 })
  const facts = {
    agents: [root, failed, asker],
    questions: [question(asker)],
    approvals: [approval(asker, 'perm-abc')],
  }
  expect(items(facts).map(({ number, type }) => [number, type])).toEqual([
    [1, 'question'],
    [2, 'failed'],
    [3, 'permission'],
  ])
  expect(items({ ...facts, agents: facts.agents.toReversed() })).toEqual(items(facts))
})
