import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Agent } from '../../../../src/domain/records.ts'
import {
  addressOf,
  ancestorsOf,
  countsAsLive,
  descendantsOf,
  resolveAddress,
} from '../../../../src/core/agents/tree.ts'
import type { AgentId } from '../../../../src/domain/ids.ts'
import { makeAgent } from '../make-agent.ts'

/** A tree in which each agent’s parent is one before it; the first is the root. */
const trees = fc.array(fc.nat(), { minLength: 0, maxLength: 25 }).map((choices) => {
  const agents: Agent[] = [makeAgent({ name: 'root', kind: 'root', depth: 0 })]
  for (const [index, choice] of choices.entries()) {
    const parent = agents[choice % agents.length]!
    agents.push(makeAgent({ name: `agent-${index}`, parentId: parent.id, depth: parent.depth + 1 }))
  }
  return agents
})

describe('the tree of agents', () => {
  it('lists every descendant once, children before their parents', () => {
    fc.assert(
      fc.property(trees, (agents) => {
        const below = descendantsOf(agents, agents[0]!.id)
        expect(below.map((agent) => agent.id).sort()).toEqual(
          agents
            .slice(1)
            .map((agent) => agent.id)
            .sort(),
        )
        const place = new Map(below.map((agent, index) => [agent.id, index]))
        for (const agent of below) {
          const parent = place.get(agent.parentId as AgentId)
          if (parent !== undefined) expect(place.get(agent.id)).toBeLessThan(parent)
        }
      }),
    )
  })

  it('finds as many ancestors as an agent is deep, the root last', () => {
    fc.assert(
      fc.property(trees, (agents) => {
        for (const agent of agents) {
          const above = ancestorsOf(agents, agent.id)
          expect(above).toHaveLength(agent.depth)
          if (agent.depth > 0) expect(above.at(-1)?.kind).toBe('root')
        }
      }),
    )
  })

  it('ends on records that point at each other', () => {
    const one = makeAgent()
    const two = makeAgent({ parentId: one.id })
    expect(ancestorsOf([{ ...one, parentId: two.id }, two], one.id).length).toBeLessThanOrEqual(2)
  })
})

describe('addressing', () => {
  const root = makeAgent({ name: 'root', kind: 'root', depth: 0 })
  const auth = makeAgent({ name: 'auth', parentId: root.id })
  const old = makeAgent({ name: 'auth', state: 'killed', parentId: root.id })
  const other = makeAgent({ name: 'store', parentId: root.id })
  const agents = [root, old, auth, other]

  it('takes the id, a prefix of four characters or more, the branch or the name', () => {
    expect(resolveAddress(agents, other.id).id).toBe(other.id)
    expect(resolveAddress([other], other.id.slice(0, 4)).id).toBe(other.id)
    expect(resolveAddress(agents, 'main.store').id).toBe(other.id)
    expect(resolveAddress(agents, ' store ').id).toBe(other.id)
  })

  it('takes the end of a branch behind a dot, where it is one agent’s', () => {
    const deep = makeAgent({ name: 'api', parentId: other.id, branch: 'main.store.api' as never })
    const twin = makeAgent({ name: 'api', parentId: auth.id, branch: 'main.auth.api' as never })
    expect(resolveAddress([...agents, deep, twin], 'store.api').id).toBe(deep.id)
    expect(() => resolveAddress([...agents, deep], 'ore.api')).toThrow(
      expect.objectContaining({ code: 'AGENT_NOT_FOUND' }),
    )
    expect(() => resolveAddress([...agents, deep, twin], 'api')).toThrow(
      expect.objectContaining({ code: 'AMBIGUOUS_ID' }),
    )
  })

  it('prefers the living one of several with a name', () => {
    expect(resolveAddress(agents, 'auth').id).toBe(auth.id)
  })

  it('finds forks by id and name, and never by the branch they work on', () => {
    const fork = makeAgent({
      kind: 'fork',
      name: 'scout',
      parentId: other.id,
      branch: other.branch,
      ownsWorktree: false,
    })
    const twin = { ...fork, id: makeAgent().id }
    expect(resolveAddress([...agents, fork], 'main.store').id).toBe(other.id)
    expect(resolveAddress([...agents, fork], 'scout').id).toBe(fork.id)
    expect(resolveAddress([...agents, fork], addressOf(fork)).id).toBe(fork.id)
    expect(() => resolveAddress([...agents, fork, twin], 'scout')).toThrow(
      expect.objectContaining({ message: expect.stringContaining(twin.id) }),
    )
  })

  it('says so where several are meant, and where nobody is', () => {
    const twin = makeAgent({ name: 'auth', parentId: other.id, branch: 'main.store.auth' as never })
    expect(() => resolveAddress([...agents, twin], 'auth')).toThrow(
      expect.objectContaining({ code: 'AMBIGUOUS_ID' }),
    )
    expect(() => resolveAddress(agents, 'nobody')).toThrow(
      expect.objectContaining({
        code: 'AGENT_NOT_FOUND',
        message: expect.stringMatching(/^Agent not found/),
      }),
    )
    expect(() => resolveAddress(agents, other.id.slice(0, 3))).toThrow(
      expect.objectContaining({ code: 'AGENT_NOT_FOUND' }),
    )
  })
})

describe('what counts against limits.max_live_agents', () => {
  it('is alive and not done: neither reported complete nor merged', () => {
    const agent = makeAgent()
    expect(countsAsLive(agent, new Set())).toBe(true)
    expect(countsAsLive({ ...agent, outcome: { success: true, summary: 'done' } }, new Set())).toBe(
      false,
    )
    expect(countsAsLive(agent, new Set([agent.branch]))).toBe(false)
    expect(countsAsLive({ ...agent, state: 'failed' }, new Set())).toBe(false)
    expect(countsAsLive({ ...agent, kind: 'root' }, new Set())).toBe(false)
  })

  it('is a fork until it reports, whatever was merged of the branch it shares', () => {
    const fork = makeAgent({ kind: 'fork', ownsWorktree: false })
    expect(countsAsLive(fork, new Set([fork.branch]))).toBe(true)
    expect(countsAsLive({ ...fork, outcome: { success: true } }, new Set())).toBe(false)
  })
})
