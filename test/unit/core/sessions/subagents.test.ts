import { describe, expect, it } from 'vitest'
import type { Agent, StoredEvent } from '../../../../src/domain/records.ts'
import { withPresets } from '../../../../src/config/presets.ts'
import { configSchema } from '../../../../src/config/schema.ts'
import type { SessionStart } from '../../../../src/core/sessions/agent-sessions.ts'
import type { Caller } from '../../../../src/domain/caller.ts'
import {
  createSubagentProgress,
  type SubagentEvent,
} from '../../../../src/core/sessions/subagent-progress.ts'
import { createSubagents } from '../../../../src/core/sessions/subagents.ts'
import type { AgentId } from '../../../../src/domain/ids.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import { verifies } from '../../../requirements.ts'
import { makeAgent } from '../make-agent.ts'
import { settingsOf } from '../../../helpers/settings.ts'

type Options = Parameters<SessionStart['start']>[1]
type Ended = Awaited<ReturnType<SessionStart['ended']>>

const ENDED: Omit<Ended, 'agent_id'> = {
  status: 'completed',
  summary: 'done',
  output: 'All is well.',
  files_modified: [],
  elapsed_secs: 1,
  turns: 2,
  reason: 'end_turn',
}

/** Sessions that end when and how a test says, in a tree that is but a list. */
function world(limits: { max_subagent_depth?: number } = {}) {
  const root = makeAgent({ name: 'root', kind: 'root', role: 'tl', depth: 0 })
  const agents: Agent[] = [root]
  const started: (Options & { id: AgentId; caller: Caller })[] = []
  const held: string[] = []
  const killed: { id: string; reason: string }[] = []
  const endings = new Map<AgentId, PromiseWithResolvers<Ended>>()
  const listeners: ((event: StoredEvent) => void)[] = []
  let now = 0
  /** Until then a program runs whose start is not on record yet. */
  let recorded = Promise.resolve()
  const sessions: SessionStart = {
    start: async (caller, options) => {
      const agent = makeAgent({
        name: options.name,
        kind: options.kind,
        role: 'tl',
        parentId: caller.agent.id,
        tools: options.tools,
      })
      agents.push(agent)
      started.push({ ...options, id: agent.id, caller })
      endings.set(agent.id, Promise.withResolvers())
      tool(agent.id, 'early')
      await recorded
      return agent
    },
    ended: async (id, signal) => {
      const gone = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('aborted'))),
      )
      return Promise.race([endings.get(id)!.promise, gone])
    },
  }
  const publish = (type: string, id: AgentId, payload: Record<string, unknown>): void =>
    listeners.forEach((listener) =>
      listener({
        seq: 1,
        type,
        at: now,
        agentId: id,
        actor: id,
        why: null,
        dedupeKey: null,
        payload,
      }),
    )
  const tool = (id: AgentId, name: string, detail = ''): void =>
    publish('agent.tool', id, { name: 'x', tool: name, detail, phase: 'started' })
  const state = (id: AgentId, to: string, source: string, reason: string | null): void =>
    publish('agent.state', id, { from: 'running', to, source, reason })
  const subagents = createSubagents({
    store: {
      agents: {
        list: async () => agents,
        get: async (id: string) => agents.find((agent) => agent.id === id),
      },
    } as never,
    settings: settingsOf(() =>
      configSchema.parse(
        withPresets({
          limits,
          headless: { acp: 'gemini' },
          acp: { other: { command: ['other'] } },
        }),
      ),
    ),
    log: silentLog(),
    clock: () => now,
    sessions,
    blockingCalls: {
      begin: async (agent, reason) => {
        held.push(`${agent.name}: ${reason}`)
        return async () => void held.push(`${agent.name} goes on`)
      },
    },
    progress: createSubagentProgress({
      publisher: {
        onEvent: (listener: (event: StoredEvent) => void) => listeners.push(listener),
      } as never,
      clock: () => now,
    }),
    toolsOf: (_config, { tools }) =>
      tools ?? ['note', 'spawn_workers', 'subagent_delegate', 'subagent_spawn'],
    kill: async (_caller, id, reason) => {
      killed.push({ id, reason })
      const at = agents.findIndex((agent) => agent.id === id)
      agents[at] = { ...agents[at]!, state: 'killed' }
    },
  })
  const by = (agent: Agent): Caller => ({ kind: 'agent', agent })
  const waiting = () => {
    const controller = new AbortController()
    const words: string[] = []
    const events: SubagentEvent[] = []
    const progress = (message: string, event?: SubagentEvent): void => {
      if (message !== '') words.push(message)
      if (event !== undefined) events.push(event)
    }
    return { controller, words, events, call: { signal: controller.signal, progress } }
  }
  const spawn = (
    caller: Caller,
    description: string,
    waits: ReturnType<typeof waiting> = waiting(),
    more: { maxTurns?: number; systemPrompt?: string } = {},
  ) =>
    subagents.spawn(
      caller,
      { task: `${description}, all of it`, description, maxTurns: 10, ...more },
      waits.call,
    )
  const until = async (count: number): Promise<void> => {
    while (started.length < count) await new Promise((go) => setImmediate(go))
    await new Promise((go) => setImmediate(go))
  }
  const end = (index: number, how: Partial<Ended> = {}): void =>
    endings.get(started[index]!.id)!.resolve({ agent_id: started[index]!.id, ...ENDED, ...how })
  return {
    root,
    agents,
    started,
    held,
    killed,
    subagents,
    spawn,
    delegate: subagents.delegate,
    by,
    waiting,
    until,
    end,
    tool,
    state,
    pass: (ms: number) => (now += ms),
    /** Returns what to call when the starts from now on may be on record. */
    hold: (): (() => void) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      recorded = promise
      return resolve
    },
  }
}

describe('subagent_spawn', () => {
  it(
    verifies(
      'R002-02',
      'starts a conversation of its own with the turns it may take, and returns its final output',
    ),
    async () => {
      const { spawn, by, root, until, end, started, pass, held } = world()
      const answer = spawn(by(root), 'Reading the parser', undefined, { systemPrompt: 'Be short.' })
      await until(1)
      pass(3000)
      end(0)
      expect(await answer).toEqual({ text: 'All is well.', turns: 2, durationMs: 3000 })
      expect(started[0]).toMatchObject({
        kind: 'spawn',
        name: 'reading-the-parser',
        task: 'Reading the parser, all of it',
        tools: null,
        maxTurns: 10,
        systemPrompt: 'Be short.',
      })
      expect(held).toEqual(['root: subagent reading-the-parser', 'root goes on'])
    },
  )

  it('leaves the program of an agent as it is where a person waits in its name', async () => {
    for (const caller of [{ kind: 'human' }, { kind: 'agent', actedBy: 'person' }] as const) {
      const { spawn, root, until, end, held } = world()
      const answer = spawn({ ...caller, agent: root }, 'Reading')
      await until(1)
      end(0)
      await answer
      expect(held).toEqual([])
    }
  })

  it('says in the answer that the limit of turns was reached, and is no failure', async () => {
    const { spawn, by, root, until, end } = world()
    const answer = spawn(by(root), 'Reading', undefined, { maxTurns: 3 })
    await until(1)
    end(0, { turns: 3, reason: 'max_turn_requests', output: 'So far' })
    expect((await answer).text).toBe(
      'So far\n\n[The subagent was stopped: its limit of 3 turns was reached before it had finished. Above is what it had said by then.]',
    )
  })

  it(
    verifies(
      'R002-07',
      'throws what ended the subagent, with what it had said by then, and reports it once',
    ),
    async () => {
      const { spawn, by, root, until, end, started, waiting } = world()
      const waits = waiting()
      const answer = spawn(by(root), 'Reading', waits)
      await until(1)
      end(0, { status: 'failed', summary: 'the model went away', output: 'So far' })
      await expect(answer).rejects.toMatchObject({
        code: 'SUBAGENT_FAILED',
        message: 'The subagent “Reading” failed: the model went away',
        facts: {
          partial: 'So far',
          reason: 'the model went away',
          turns: 2,
          agent_id: started[0]!.id,
        },
      })
      expect(waits.events.filter(({ kind }) => kind === 'ended')).toMatchObject([
        { success: false, reason: 'the model went away' },
      ])
    },
  )

  it('ends the subagent where its caller goes away', async () => {
    const { spawn, by, root, until, killed, started, waiting, held } = world()
    const waits = waiting()
    const answer = spawn(by(root), 'Reading', waits)
    await until(1)
    waits.controller.abort()
    await expect(answer).rejects.toMatchObject({ code: 'NOT_AVAILABLE' })
    expect(killed).toEqual([{ id: started[0]!.id, reason: 'its caller went away' }])
    expect(held.at(-1)).toBe('root goes on')
  })

  it('reports that it waits for a person, and not that it waits in a call of its own', async () => {
    const { spawn, by, root, until, end, waiting, state, started } = world()
    const waits = waiting()
    const answer = spawn(by(root), 'Reading', waits)
    await until(1)
    const { id } = started[0]!
    state(id, 'running', 'hook', null)
    state(id, 'waiting', 'tool', 'subagent inner')
    state(id, 'running', 'tool', null)
    state(id, 'waiting', 'hook', 'permission to rm')
    state(id, 'running', 'hook', null)
    end(0)
    await answer
    expect(waits.words.slice(2, -1)).toEqual(['  ◐ waits for a person: permission to rm'])
    expect(waits.events.filter(({ kind }) => kind === 'waiting')).toMatchObject([
      { reason: 'permission to rm' },
      { reason: null },
    ])
  })

  it('distinguishes those that are called for at the same time', async () => {
    const { spawn, by, root, until, end, waiting, tool, started } = world()
    const [one, two] = [waiting(), waiting()]
    const answers = [spawn(by(root), 'One', one), spawn(by(root), 'Two', two)]
    await until(2)
    tool(started[1]!.id, 'read', 'b.ts')
    end(1, { output: 'two' })
    end(0, { output: 'one' })
    expect((await Promise.all(answers)).map(({ text }) => text)).toEqual(['one', 'two'])
    expect(one.words).toEqual(['● One', '  ⎿ early', '✓ One: 2 turns, 1 tool call, 0 s'])
    expect(two.words).toEqual([
      '● Two',
      '  ⎿ early',
      '  ⎿ read b.ts',
      '✓ Two: 2 turns, 2 tool calls, 0 s',
    ])
    expect(new Set([...one.events, ...two.events].map(({ id }) => id)).size).toBe(2)
  })
})

describe('nested subagents', () => {
  it(verifies('R002-05', 'are refused past the limit, with the numbers'), async () => {
    const { spawn, delegate, by, root, until, agents, waiting, subagents } = world()
    void spawn(by(root), 'One').catch(() => {})
    await until(1)
    void spawn(by(agents[1]!), 'Two').catch(() => {})
    await until(2)
    const refused = { code: 'LIMIT_REACHED', facts: { depth: 2, limit: 2 } }
    await expect(spawn(by(agents[2]!), 'Three')).rejects.toMatchObject(refused)
    await expect(
      delegate(by(agents[2]!), { task: 'x', description: 'x' }, waiting().call),
    ).rejects.toMatchObject(refused)
    await expect(subagents.requireDepth(by(agents[2]!))).rejects.toMatchObject(refused)
    await expect(subagents.requireDepth(by(agents[1]!))).resolves.toBeUndefined()
  })

  it(
    verifies('R002-06', 'have their caller’s tools, and at the limit none that nests'),
    async () => {
      const { spawn, by, until, agents, started } = world()
      const lead = makeAgent({
        name: 'lead',
        kind: 'subtree',
        role: 'tl',
        tools: ['note', 'subagent_spawn'],
      })
      agents.push(lead)
      void spawn(by(lead), 'One').catch(() => {})
      await until(1)
      void spawn(by(agents[2]!), 'Two').catch(() => {})
      void spawn(by({ ...agents[2]!, tools: ['note', 'subagent_spawn'] }), 'Two').catch(() => {})
      await until(3)
      expect(started.map(({ tools }) => tools)).toEqual([null, ['note', 'spawn_workers'], ['note']])
    },
  )

  it('of one that has them before its own start is on record are reported to every caller, too', async () => {
    const { spawn, by, root, until, end, agents, started, waiting, hold } = world()
    const record = hold()
    const outer = waiting()
    const answer = spawn(by(root), 'Outer', outer)
    await until(1)
    const nested = spawn(by(agents[1]!), 'Inner')
    // It has come as far as it can.
    await until(1)
    record()
    await until(2)
    end(1, { output: 'inner' })
    end(0)
    await Promise.all([nested, answer])
    expect(outer.events.filter(({ kind }) => kind === 'started')).toMatchObject([
      { id: started[0]!.id, parent: null },
      { id: started[1]!.id, parent: started[0]!.id },
    ])
    expect(outer.words).toContain('  ● Inner')
  })

  it(
    verifies('R002-09', 'report to every caller above what they do, as deep as they are'),
    async () => {
      const { spawn, by, root, until, end, agents, waiting, tool, pass } = world()
      const [outer, inner] = [waiting(), waiting()]
      const first = spawn(by(root), 'Outer', outer)
      await until(1)
      const second = spawn(by(agents[1]!), 'Inner', inner)
      await until(2)
      tool(agents[2]!.id, 'bash', 'rm\u001b[2J\n-rf')
      pass(4000)
      end(1, { status: 'failed', summary: 'no model' })
      await expect(second).rejects.toThrow('no model')
      end(0)
      await first
      expect(outer.words).toEqual([
        '● Outer',
        '  ⎿ early',
        '  ● Inner',
        '    ⎿ early',
        '    ⎿ bash rm [2J -rf',
        '  ✗ Inner: no model (2 turns, 2 tool calls, 4 s)',
        '✓ Outer: 2 turns, 1 tool call, 4 s',
      ])
      expect(inner.words[0]).toBe('● Inner')
      expect(
        outer.events.find((event) => event.kind === 'started' && event.description === 'Inner'),
      ).toMatchObject({ parent: agents[1]!.id })
    },
  )

  it('of calls that a restart lost are ended, each once', async () => {
    const { subagents, agents, root, killed } = world()
    const lost = makeAgent({ name: 'lost', kind: 'spawn', parentId: root.id })
    const done = makeAgent({
      name: 'done',
      kind: 'delegate',
      parentId: root.id,
      state: 'completed',
    })
    agents.push(lost, done, makeAgent({ name: 'session', kind: 'llm', parentId: root.id }))
    await subagents.endLost('its call was lost')
    await subagents.endLost('nobody waits')
    expect(killed).toEqual([{ id: lost.id, reason: 'its call was lost' }])
  })

  it('that somebody waits for are left alone', async () => {
    const { subagents, spawn, by, root, until, end, killed } = world()
    const answer = spawn(by(root), 'Reading')
    await subagents.endLost('nobody waits')
    await until(1)
    await subagents.endLost('nobody waits')
    end(0)
    await answer
    expect(killed).toEqual([])
  })
})

describe('subagent_delegate', () => {
  it(verifies('R002-03', 'is one prompt and one answer, without tools: one turn'), async () => {
    const { delegate, by, root, until, end, started, waiting } = world()
    const answer = delegate(
      by(root),
      { task: 'Sum up', description: 'Summing up', serverName: 'other', agentId: 'plan' },
      waiting().call,
    )
    await until(1)
    end(0, { turns: 4 })
    expect(await answer).toMatchObject({ text: 'All is well.', turns: 1 })
    expect(started[0]).toMatchObject({
      kind: 'delegate',
      task: 'Sum up',
      noTools: true,
      acp: 'other',
      mode: 'plan',
    })
  })

  it(
    verifies('R002-08', 'refuses a server that is not configured, and names those that are'),
    async () => {
      const { delegate, by, root, waiting, started } = world()
      await expect(
        delegate(by(root), { task: 'x', description: 'x', serverName: 'nobody' }, waiting().call),
      ).rejects.toMatchObject({
        code: 'INVALID_ARG',
        facts: {
          field: 'serverName',
          servers: ['claude-agent-acp', 'codex-acp', 'gemini', 'opencode', 'other'],
        },
      })
      expect(started).toEqual([])
    },
  )
})
