import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Pane } from '../../../../src/adapters/terminals/holder.ts'
import { type Shown, shownKey } from '../../../../src/domain/shown-key.ts'
import type { Agent, AgentState, StoredEvent } from '../../../../src/domain/records.ts'
import { createPaneNames, paneName, placeOf } from '../../../../src/core/panes/names.ts'
import { createOwnPanes } from '../../../../src/core/panes/panes.ts'
import { asBranchName, asPaneId } from '../../../../src/domain/ids.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import { agentState } from '../../../../src/surfaces/text/tree/tree-cells.ts'
import { createPalette } from '../../../../src/surfaces/text/palette.ts'
import { makeAgent } from '../make-agent.ts'

describe('the name of a pane', () => {
  it.each([
    ['main', 'main'],
    ['main.feature.auth', 'main.feature.auth'],
    [`main.${'x'.repeat(55)}`, `main.${'x'.repeat(55)}`],
    [
      'main.the-very-first-subtree-of-all.second-subtree-below-it.worker',
      '….second-subtree-below-it.worker',
    ],
    [`main.${'y'.repeat(60)}`, `…${'y'.repeat(59)}`],
  ])(
    'shortens the place from the left, at a dot where that leaves enough: %s',
    (branch, expected) => {
      expect(placeOf({ kind: 'worker', branch: asBranchName(branch), name: 'worker' })).toBe(
        expected,
      )
    },
  )

  it('names who works on another’s branch beside it, and stays short', () => {
    expect(placeOf({ kind: 'fork', branch: asBranchName('main.lead'), name: 'scout' })).toBe(
      'main.lead (scout)',
    )
    const long = placeOf({
      kind: 'fork',
      branch: asBranchName(`main.${'b'.repeat(50)}`),
      name: 'n'.repeat(50),
    })
    expect(long).toMatch(/^…b+ \(…n+\)$/)
    expect(long.length).toBeLessThanOrEqual(60)
  })

  it.each<[Partial<Agent>, boolean, string]>([
    [{ state: 'spawning' }, false, 'main.worker ◌ spawning'],
    [{ state: 'running' }, false, 'main.worker ◐ running'],
    [{ state: 'waiting', stateReason: 'wait' }, false, 'main.worker ◇ waiting'],
    [{ state: 'unknown' }, false, 'main.worker ? unknown'],
    [{ state: 'idle' }, false, 'main.worker ○ idle'],
    [{ state: 'idle', outcome: { success: true } }, false, 'main.worker ✓ done'],
    [{ state: 'idle', outcome: { success: true } }, true, 'main.worker ✓ merged'],
    [
      { state: 'idle', outcome: { success: false, error: 'no way' } },
      true,
      'main.worker ✗ gave up',
    ],
    [{ state: 'failed' }, false, 'main.worker ✗ failed'],
    [{ state: 'killed' }, false, 'main.worker ✗ killed'],
    [{ state: 'completed' }, false, 'main.worker ✓ completed'],
  ])('says of %j what the tree says', (facts, merged, expected) => {
    const agent = makeAgent(facts)
    expect(paneName(agent, merged)).toBe(expected)
    const node = {
      ...agent,
      state_reason: agent.stateReason,
      pr: merged ? { state: 'merged' } : null,
      command: null,
      waiting_for: null,
      waits: [],
      tool_calls: 0,
    }
    expect(
      `main.worker ${agentState(node as never, createPalette(false), { frame: 0, turn: null }).text}`.startsWith(
        expected,
      ),
    ).toBe(true)
  })
})

/** Agents and panes that are but lists. */
function world() {
  const agents: Agent[] = []
  const panes: Pane[] = []
  const renamed: string[] = []
  const shown: (Shown | undefined)[] = []
  const questions: { agentId: string }[] = []
  const asked = { list: 0, inspect: 0 }
  const listeners = new Set<(event: StoredEvent) => void>()
  const multiplexer = {
    list: async () => ((asked.list += 1), panes.map((pane) => ({ ...pane }))),
    inspect: async (paneId: string) => (
      (asked.inspect += 1),
      panes.find((pane) => pane.paneId === paneId)
    ),
    rename: async (paneId: string, name: string, more?: Shown) => {
      const index = panes.findIndex((pane) => pane.paneId === paneId)
      const pane = panes[index]
      if (pane === undefined) throw new Error('gone')
      panes[index] = { ...pane, name, ...(more !== undefined && { shown: shownKey(more) }) }
      renamed.push(`${paneId} ${name}`)
      shown.push(more)
    },
  }
  const names = createPaneNames({
    store: {
      agents: {
        get: async (id: string) => agents.find((agent) => agent.id === id),
        list: async () => agents,
      },
      snapshots: { list: async () => new Map() },
      questions: { open: async () => questions },
      approvals: { pending: async () => [] },
    } as never,
    multiplexer: multiplexer as never,
    publisher: {
      onEvent: (listener: (event: StoredEvent) => void) => (
        listeners.add(listener),
        () => void listeners.delete(listener)
      ),
    } as never,
    log: silentLog(),
    panes: createOwnPanes({ multiplexer: multiplexer as never }),
  })
  const settle = () => vi.advanceTimersByTimeAsync(1000)
  return {
    names,
    panes,
    renamed,
    shown,
    questions,
    asked,
    listeners,
    settle,
    /** An agent with a pane of its own that is called so. */
    add: (name: string, paneId: string, shown: string): Agent => {
      const agent = makeAgent({ name, paneId: asPaneId(paneId), pid: 100 })
      agents.push(agent)
      panes.push({ paneId: asPaneId(paneId), agentId: agent.id, name: shown } as Pane)
      return agent
    },
    /** Stored and reported. */
    becomes: (agent: Agent, state: AgentState, more: Partial<Agent> = {}): void => {
      const index = agents.findIndex(({ id }) => id === agent.id)
      agents[index] = { ...(agents[index] ?? agent), state, ...more }
      for (const listener of listeners)
        listener({ type: 'agent.state', agentId: agent.id, payload: {} } as never)
    },
  }
}

describe('names of panes', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('follow the states, the last one of many that come at once', async () => {
    const { add, becomes, renamed, settle } = world()
    const auth = add('auth', '%1', 'main.auth ◌ spawning')
    becomes(auth, 'running')
    await settle()
    expect(renamed).toEqual(['%1 main.auth ◐ running'])
    for (let round = 0; round < 20; round += 1)
      for (const state of ['idle', 'running', 'waiting'] as const) becomes(auth, state)
    becomes(auth, 'idle')
    await settle()
    expect(renamed.length).toBeLessThanOrEqual(3)
    expect(renamed.at(-1)).toBe('%1 main.auth ○ idle')
  })

  it('are left alone where they are right: nothing is asked twice, and one look at all panes is enough after a start', async () => {
    const { names, add, becomes, renamed, asked, settle } = world()
    const agents = ['a', 'b', 'c'].map((name, index) =>
      add(name, `%${index}`, `main.${name} ◐ running`),
    )
    const old = add('old', '%7', 'old')
    await names.look()
    await settle()
    expect(renamed).toEqual(['%7 main.old ◐ running'])
    expect(asked).toEqual({ list: 1, inspect: 1 })
    for (const agent of [...agents, old])
      becomes(agent, 'running', { stateReason: 'another reason' })
    await names.look()
    await settle()
    expect(renamed).toHaveLength(1)
    expect(asked).toEqual({ list: 1, inspect: 1 })
  })

  it('come with a label of their own, what a person has to do, and the place in the tree', async () => {
    const { add, becomes, shown, questions, listeners, settle } = world()
    const auth = add('auth', '%1', 'main.auth ◐ running')
    const publish = (type: string) =>
      [...listeners].forEach((listener) =>
        listener({ type, agentId: auth.id, payload: {} } as never),
      )
    publish('agent.spawned')
    await settle()
    becomes(auth, 'waiting', { stateReason: 'permission: Bash' })
    await settle()
    expect(shown).toEqual([
      { label: 'auth', state: '◇ waiting', needs: 'waits', depth: auth.depth },
    ])
    becomes(auth, 'idle', { kind: 'root' })
    await settle()
    questions.push({ agentId: auth.id })
    publish('question.asked')
    await settle()
    expect(shown.at(-1)).toEqual({
      label: 'auth',
      state: '○ idle',
      needs: 'asks',
      depth: auth.depth,
    })
  })

  it('follow who else is there: two of the same name are distinguished', async () => {
    const { names, add, panes, shown, listeners, settle } = world()
    add('auth', '%1', 'main.auth ◐ running')
    panes[0] = { ...panes[0]!, shown: 'auth|◐ running||1' }
    await names.look()
    await settle()
    expect(shown).toEqual([])
    const other = add('auth', '%2', 'x')
    Object.assign(other, { branch: asBranchName('main.web.auth') })
    for (const listener of listeners)
      listener({ type: 'agent.spawned', agentId: other.id, payload: {} } as never)
    await settle()
    await settle()
    expect(shown.map((one) => one?.label).toSorted()).toEqual(['main.auth', 'web.auth'])
  })

  it('are set again for another program in a pane of the same id, and never for a pane that is another agent’s by now', async () => {
    const { names, add, becomes, panes, renamed, settle } = world()
    const auth = add('auth', '%1', 'main.auth ◐ running')
    await names.look()
    panes[0] = { ...panes[0]!, name: 'main.auth ◌ spawning' }
    becomes(auth, 'running', { pid: 200 })
    await settle()
    expect(renamed).toEqual(['%1 main.auth ◐ running'])
    panes[0] = { ...panes[0]!, agentId: makeAgent().id }
    becomes(auth, 'idle')
    await settle()
    expect(renamed).toHaveLength(1)
  })

  it('fail nobody where a pane has gone, have nothing to do with what has no terminal, and end', async () => {
    const { names, add, becomes, panes, renamed, asked, listeners, settle } = world()
    const [gone, hosted, last] = [
      add('gone', '%1', 'x'),
      add('hosted', 'r-1', 'hosted'),
      add('last', '%2', 'x'),
    ]
    panes.shift()
    becomes(gone, 'idle')
    becomes(hosted, 'idle')
    await settle()
    expect(renamed).toEqual([])
    expect(asked).toEqual({ list: 0, inspect: 1 })
    becomes(last, 'idle')
    await names.stop()
    expect(renamed).toEqual(['%2 main.last ○ idle'])
    expect(listeners.size).toBe(0)
  })
})
