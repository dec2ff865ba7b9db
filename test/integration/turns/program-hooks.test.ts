import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AgentCli, LiveAgent } from '../../../src/adapters/agent-cli/agent-cli.ts'
import type { HookFact } from '../../../src/adapters/agent-cli/hook-dialect.ts'
import { openSqliteStore } from '../../../src/adapters/store/sqlite/open.ts'
import type { Store } from '../../../src/adapters/store/store.ts'
import type { Agent, AgentPatch } from '../../../src/domain/records.ts'
import { configSchema, type Config } from '../../../src/config/schema.ts'
import { createApprovals, type Approvals } from '../../../src/core/questions/approvals.ts'
import type { Hooks, StopAnswer } from '../../../src/core/turns/agent-hooks.ts'
import type { Caller } from '../../../src/domain/caller.ts'
import type { OutboxControl } from '../../../src/core/deps.ts'
import { createFirstTurn } from '../../../src/core/turns/first-turn.ts'
import { createHooks } from '../../../src/core/turns/hooks.ts'
import { createPermissions } from '../../../src/core/turns/permissions.ts'
import { createProgramHooks } from '../../../src/core/turns/program-hooks.ts'
import { createStates, type States } from '../../../src/core/agents/states.ts'
import { createPublisher } from '../../../src/delivery/publisher.ts'
import { createRenderer } from '../../../src/delivery/render/render.ts'
import { asPaneId, newDeliveryId, type AgentId } from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { verifies } from '../../requirements.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { makeAgent } from '../../unit/core/make-agent.ts'
import { settingsOf } from '../../helpers/settings.ts'

const templates = fileURLToPath(new URL('../../../templates', import.meta.url))

/** A CLI whose hooks say the fact itself, and are answered the outcome itself. */
function scriptedCli(options: { answersPermission?: boolean } = {}) {
  const replies: unknown[] = []
  const cli = {
    name: 'scripted',
    inert: (text: string) => text,
    hooks: {
      read: (event: string, body: unknown) => (event === 'nothing' ? null : (body as HookFact)),
      answer: (event: string, outcome: { kind: string }) =>
        outcome.kind === 'none' || (outcome.kind === 'permission' && event !== 'ask')
          ? null
          : { event, ...outcome },
      carries: (event: string) => event === 'after',
    },
    ...(options.answersPermission === true
      ? {
          answerPermission: async (live: LiveAgent, ...rest: unknown[]) =>
            void replies.push([live.agentId, ...rest]),
        }
      : {}),
  } as unknown as AgentCli
  return { cli, replies }
}

describe('hooks of an agent CLI', () => {
  let folder: string
  let store: Store
  let config: Config
  let agent: Agent
  let cli: AgentCli
  let stopAnswer: StopAnswer
  let approvals: Approvals
  let states: States
  let fromProgram: Hooks['fromProgram']
  let queued: string | null
  let outboxCalls: unknown[][]

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hooks-'))
    store = await openSqliteStore({ file: join(folder, 'store.db'), log: silentLog() })
    const renderer = createRenderer({
      shippedFolder: templates,
      overrideFolder: () => Promise.resolve(null),
      log: silentLog(),
    })
    const publisher = createPublisher({
      store,
      renderer,
      clock: Date.now,
      log: silentLog(),
      newDeliveryId,
    })
    config = configSchema.parse({})
    cli = scriptedCli().cli
    stopAnswer = { decision: 'allow' }
    queued = null
    outboxCalls = []
    const outbox: OutboxControl = {
      wake: (...args) => void outboxCalls.push(['wake', ...args]),
      ack: async (id, ids) => (outboxCalls.push(['ack', id, ids]), [...ids]),
      takeForHook: async (id) => {
        outboxCalls.push(['take', id])
        const text = queued
        queued = null
        return text
      },
      promptArrived: async (id, ids, { unanswered } = {}) => (
        outboxCalls.push(['arrived', id, ids, unanswered]),
        ids.length > 1 ? 'the whole text' : null
      ),
      looked: (id) => void outboxCalls.push(['looked', id]),
    } as OutboxControl
    const settings = settingsOf(
      () => config,
      () => cli,
    )
    const deps = {
      store,
      publisher,
      outbox,
      settings,
      clock: Date.now,
      log: silentLog(),
      usage: { refresh: () => {} },
    }
    states = createStates(deps)
    const stopChain = async (): Promise<StopAnswer> => {
      if (stopAnswer.decision === 'block')
        await publisher.publish({
          type: 'stop.blocked',
          agentId: agent.id,
          actor: 'daemon',
          payload: { objection: stopAnswer.objection, reason: stopAnswer.reason, times: 1 },
        })
      return stopAnswer
    }
    const hooks = createHooks({ ...deps, states, stopChain })
    approvals = createApprovals(deps)
    const live = async ({ id }: Agent): Promise<LiveAgent> => ({ agentId: id }) as LiveAgent
    const permissions = createPermissions({ ...deps, states, approvals, live })
    fromProgram = createProgramHooks({
      ...deps,
      states,
      hooks,
      permissions,
      firstTurn: createFirstTurn(),
    })
    agent = makeAgent({
      name: 'auth',
      state: 'running',
      stateSource: 'process',
      pid: 77,
      paneId: asPaneId('%1'),
    })
    await store.agents.insert(agent)
  })
  afterEach(async () => {
    await store.close()
    await rm(folder, { recursive: true })
  })

  const now = async (): Promise<Agent> => (await store.agents.get(agent.id)) as Agent
  const caller = async (): Promise<Caller> => ({ kind: 'agent', agent: await now() })
  const says = async (
    event: string,
    fact: HookFact,
    options?: Parameters<Hooks['fromProgram']>[3],
  ) => fromProgram(await caller(), event, { ...fact }, options)
  const set = (patch: AgentPatch) => store.agents.update(agent.id, patch)
  const events = async (type: string) =>
    (await store.events.list({ types: [type] })).map(({ payload }) => payload)
  const policy = (value: 'off' | 'ask' | 'list' | 'all') =>
    (config = configSchema.parse({ roles: { dev: { permissions: { policy: value } } } }))
  const asks = { kind: 'permission', tool: 'Bash', detail: 'git push' } as const
  const approval = () => waitFor('the approval', async () => (await store.approvals.pending())[0])

  it('report session and transcript, first and when they change', async () => {
    await set({ state: 'spawning' })
    await says('x', { kind: 'session-start', sessionId: 's-1', transcript: '/t/1' })
    expect(await now()).toMatchObject({ state: 'running', sessionId: 's-1', transcript: '/t/1' })
    await says('x', { kind: 'prompt', prompt: '', sessionId: 's-1' })
    expect(await now()).toMatchObject({ sessionId: 's-1', transcript: '/t/1' })
    await says('x', { kind: 'stop', again: false, sessionId: 's-2' })
    expect(await now()).toMatchObject({ sessionId: 's-2', transcript: null, state: 'idle' })
    // A new session in a program that rests starts no turn.
    await says('x', { kind: 'session-start', sessionId: 's-3', transcript: '/t/3' })
    expect(await now()).toMatchObject({ sessionId: 's-3', transcript: '/t/3', state: 'idle' })
    expect(await events('agent.started')).toHaveLength(1)
  })

  it('confirm messages by the prompt that holds them, and answer with the text of those it only points to', async () => {
    await set({ state: 'idle', stopReason: 'tests are slow' })
    expect(await says('prompt', { kind: 'prompt', prompt: 'Do it [m-0123456789ab]' })).toBeNull()
    expect(await now()).toMatchObject({ state: 'running', stateSource: 'hook', stopReason: null })
    expect(
      await says('prompt', { kind: 'prompt', prompt: '[m-0123456789ab m-0123456789ac]' }),
    ).toEqual({
      event: 'prompt',
      kind: 'context',
      text: 'the whole text',
    })
    expect(outboxCalls.filter(([name]) => name === 'arrived').map(([, , ids]) => ids)).toEqual([
      ['m-0123456789ab'],
      ['m-0123456789ab', 'm-0123456789ac'],
    ])
    expect(outboxCalls.filter(([name]) => name === 'looked')).toHaveLength(2)
  })

  it('leave an agent waiting whose own call waits, whatever is put into its turn meanwhile', async () => {
    await set({ state: 'waiting', stateReason: 'wait', stateSource: 'tool' })
    await says('prompt', { kind: 'prompt', prompt: 'A child started [m-0123456789ab]' })
    expect(await now()).toMatchObject({ state: 'waiting', stateReason: 'wait' })
    await says('x', { kind: 'stop', again: false })
    expect(await now()).toMatchObject({ state: 'idle' })
  })

  it('count each tool once, also where several are used at a time', async () => {
    const who = await caller()
    await Promise.all(
      Array.from({ length: 20 }, () => fromProgram(who, 'x', { kind: 'tool-start', tool: 'Read' })),
    )
    await Promise.all(
      Array.from({ length: 20 }, () => fromProgram(who, 'x', { kind: 'tool-end', tool: 'Read' })),
    )
    expect((await now()).toolCalls).toBe(20)
  })

  it(
    verifies(
      'R004-12',
      'carry what waits for an agent after a tool, where the answer can and the model is the agent’s own',
    ),
    async () => {
      queued = 'the message'
      expect(await says('before', { kind: 'tool-start', tool: 'Read' })).toBeNull()
      expect(await says('other', { kind: 'tool-end', tool: 'Read' })).toBeNull()
      expect(await says('after', { kind: 'tool-end', tool: 'Read', nested: true })).toBeNull()
      expect(
        await says('after', { kind: 'tool-end', tool: 'Read' }, { signal: AbortSignal.abort() }),
      ).toBeNull()
      expect(await says('after', { kind: 'tool-end', tool: 'Read' }, { at: Date.now() })).toBeNull()
      expect(queued).toBe('the message')
      expect(await says('after', { kind: 'tool-end', tool: 'Read' })).toEqual({
        event: 'after',
        kind: 'context',
        text: 'the message',
      })
      expect(await says('after', { kind: 'tool-end', tool: 'Read' })).toBeNull()
    },
  )

  it('of a subagent that works on after the turn begin no turn', async () => {
    await set({ state: 'idle', stateAt: 1 })
    await says('x', { kind: 'tool-start', tool: 'Read', nested: true })
    await says('x', { kind: 'tool-end', tool: 'Read', nested: true })
    expect(await now()).toMatchObject({ state: 'idle', toolCalls: 1 })
    await says('x', { kind: 'tool-start', tool: 'Read' })
    expect((await now()).state).toBe('running')
  })

  it('hold it at its stop for a reason, and let it rest without one', async () => {
    stopAnswer = { decision: 'block', objection: 'uncommitted', reason: 'Commit first.' }
    expect(await says('Stop', { kind: 'stop', again: false })).toEqual({
      event: 'Stop',
      kind: 'block',
      reason: 'Commit first.',
    })
    expect((await now()).state).toBe('running')
    stopAnswer = { decision: 'allow' }
    expect(await says('Stop', { kind: 'stop', again: true })).toBeNull()
    expect(await now()).toMatchObject({ state: 'idle', stateSource: 'hook' })
    expect(await events('agent.idle')).toHaveLength(1)
  })

  it('hold nobody more than six times in a row, whatever the reasons', async () => {
    stopAnswer = { decision: 'block', objection: 'messages', reason: 'Read this.' }
    const answers = []
    for (let stop = 0; stop < 7; stop++) {
      answers.push(await says('Stop', { kind: 'stop', again: stop > 0 }))
      // Some say the reason as a prompt.
      if (stop === 0) await set({ stopReason: 'tests are slow' })
      if (stop < 6) await says('prompt', { kind: 'prompt', prompt: 'Read this.' })
      expect((await now()).stopReason).toBe('tests are slow')
    }
    expect(answers.map((answer) => answer !== null)).toEqual([
      true,
      true,
      true,
      true,
      true,
      true,
      false,
    ])
    expect((await now()).state).toBe('idle')
    expect(outboxCalls).toContainEqual(['wake', agent.id])
    expect(await says('Stop', { kind: 'stop', again: false })).not.toBeNull()
  })

  it('say that it rests after a person broke its turn off', async () => {
    await says('x', { kind: 'interrupted' })
    expect(await now()).toMatchObject({
      state: 'idle',
      stateReason: 'interrupted',
      stateSource: 'hook',
    })
    expect(outboxCalls).toContainEqual(['wake', agent.id])
  })

  it('that come late change nothing that is known from later, and are not answered', async () => {
    const late = Date.now() - 60_000
    await set({ stateAt: Date.now(), sessionId: 's-2' })
    await says('x', { kind: 'session-start', sessionId: 's-1' }, { at: late })
    expect((await now()).sessionId).toBe('s-2')
    queued = 'the message'
    stopAnswer = { decision: 'block', objection: 'uncommitted', reason: 'Commit first.' }
    expect(await says('Stop', { kind: 'stop', again: false }, { at: late })).toBeNull()
    expect(await says('x', { kind: 'interrupted' }, { at: late })).toBeNull()
    policy('ask')
    expect(await says('ask', asks, { at: late })).toBeNull()
    expect(await store.approvals.pending()).toEqual([])
    expect(
      await says('prompt', { kind: 'prompt', prompt: '[m-0123456789ab]' }, { at: late }),
    ).toBeNull()
    expect(outboxCalls.find(([name]) => name === 'arrived')).toEqual([
      'arrived',
      agent.id,
      ['m-0123456789ab'],
      true,
    ])
    await set({ stateAt: 0 })
    await says('Stop', { kind: 'stop', again: false }, { at: late })
    expect(await now()).toMatchObject({ state: 'idle', stateAt: late })
  })

  it('that say nothing, or of an agent without a dialect, are nothing', async () => {
    expect(await says('nothing', { kind: 'interrupted' })).toBeNull()
    cli = { ...cli, hooks: null }
    expect(await says('x', { kind: 'interrupted' })).toBeNull()
    expect((await now()).state).toBe('running')
  })

  describe('that ask for a permission', () => {
    it.each(['off', 'list'] as const)(
      'leave it to the terminal with policy %s, and the human is notified once',
      async (value) => {
        policy(value)
        expect(await says('ask', asks)).toBeNull()
        expect(await now()).toMatchObject({
          state: 'waiting',
          stateReason: 'permission to use Bash: git push',
          stateSource: 'hook',
        })
        await says('x', { kind: 'waiting', reason: 'Claude needs your permission' })
        expect(await events('agent.waiting')).toEqual([
          { name: 'auth', reason: 'permission to use Bash: git push', source: 'hook', screen: '' },
        ])
        expect(await store.approvals.pending()).toEqual([])
        await says('x', { kind: 'tool-end', tool: 'Bash' })
        expect((await now()).state).toBe('running')
      },
    )

    it.each([
      ['approved', undefined, { event: 'ask', kind: 'permission', decision: 'allow' }],
      [
        'denied',
        'not today',
        { event: 'ask', kind: 'permission', decision: 'deny', reason: 'not today' },
      ],
    ] as const)(
      'wait with policy ask until the human has %s it',
      async (decision, reason, answer) => {
        policy('ask')
        const asked = says('ask', asks)
        const { id, what, agentId } = await approval()
        expect([what, agentId]).toEqual(['use Bash: git push', agent.id])
        expect((await now()).state).toBe('waiting')
        expect(await events('approval.requested')).toHaveLength(1)
        expect(
          (await store.outbox.list({ recipient: 'human' })).map(({ text }) => text).join(),
        ).toContain(`exomonad approve ${id}`)
        await approvals.decide(id, decision, reason)
        expect(await asked).toEqual(answer)
        expect(await now()).toMatchObject({ state: 'running' })
        // The program is answered; its agent is sent no message of it.
        expect(await store.outbox.list({ recipient: agent.id as AgentId })).toEqual([])
      },
    )

    it.each([
      ['its tool ran', () => says('x', { kind: 'tool-end', tool: 'Bash' })],
      ['a prompt was submitted', () => says('x', { kind: 'prompt', prompt: 'never mind' })],
      ['the turn was broken off', () => says('x', { kind: 'interrupted' })],
      ['the turn ended', () => says('Stop', { kind: 'stop', again: false })],
    ])('are settled in the terminal when %s', async (_what, hook) => {
      policy('ask')
      const asked = says('ask', asks)
      const { id } = await approval()
      await says('x', { kind: 'tool-end', tool: 'Read' })
      await says('x', { kind: 'tool-start', tool: 'Read' })
      expect((await store.approvals.pending()).map((pending) => pending.id)).toEqual([id])
      expect((await now()).state).toBe('waiting')
      await hook()
      expect(await asked).toBeNull()
      await waitFor(
        'nothing to be pending',
        async () => (await store.approvals.pending()).length === 0,
      )
      expect(await store.approvals.get(id)).toMatchObject({
        reason: 'it was settled in the agent’s terminal',
      })
      await expect(approvals.decide(id, 'approved', undefined)).rejects.toMatchObject({
        code: 'INVALID_ARG',
      })
    })

    it('are dropped when the program no longer waits for the hook', async () => {
      policy('ask')
      const given = new AbortController()
      const asked = says('ask', asks, { signal: given.signal })
      await approval()
      given.abort()
      expect(await asked).toBeNull()
      await waitFor(
        'nothing to be pending',
        async () => (await store.approvals.pending()).length === 0,
      )
      // It may stand in the terminal now.
      expect((await now()).state).toBe('waiting')
      await says('x', { kind: 'tool-end', tool: 'Bash' })
      expect((await now()).state).toBe('running')
    })

    it('are answered through the program’s interface where it has one', async () => {
      policy('ask')
      const scripted = scriptedCli({ answersPermission: true })
      cli = scripted.cli
      expect(await says('asked', { ...asks, id: 'per_1' })).toBeNull()
      const { id } = await approval()
      expect((await now()).state).toBe('waiting')
      await approvals.decide(id, 'approved', undefined)
      await waitFor('the reply', () => scripted.replies.length > 0)
      expect(scripted.replies).toEqual([[agent.id, 'per_1', 'allow']])
    })

    describe('of which two are about the same tool', () => {
      const both = async (ids: readonly { id?: string }[] = []) => {
        policy('ask')
        const scripted = scriptedCli({ answersPermission: true })
        if (ids.length > 0) cli = scripted.cli
        const event = ids.length > 0 ? 'asked' : 'ask'
        const asked = [
          says(event, { ...asks, ...ids[0] }),
          says(event, { ...asks, detail: 'rm -r build', ...ids[1] }),
        ]
        await waitFor('both', async () => (await store.approvals.pending()).length === 2)
        return { asked, replies: scripted.replies }
      }
      const approve = async (what: string) => {
        const found = (await store.approvals.pending()).find((one) => one.what === what)
        await approvals.decide(found?.id ?? what, 'approved', undefined)
      }

      it('are settled by what their tool was to do', async () => {
        const { asked } = await both()
        const settles = { detail: 'git push' }
        await says('x', { kind: 'tool-end', tool: 'Bash', settles })
        expect(await asked[0]).toBeNull()
        await approve('use Bash: rm -r build')
        expect(await asked[1]).toMatchObject({ decision: 'allow' })
      })

      it('are settled by their ids, and by those alone', async () => {
        const { replies } = await both([{ id: 'per_1' }, { id: 'per_2' }])
        await says('x', { kind: 'tool-end', tool: 'Bash', settles: { id: 'per_1' } })
        await says('x', { kind: 'tool-end', tool: 'Bash' })
        await approve('use Bash: rm -r build')
        await waitFor('the reply', () => replies.length > 0)
        expect(replies).toEqual([[agent.id, 'per_2', 'allow']])
        expect(await store.approvals.pending()).toEqual([])
      })

      it('are both kept where the program names neither', async () => {
        const { asked } = await both()
        await says('x', { kind: 'tool-end', tool: 'Bash' })
        for (const what of ['use Bash: git push', 'use Bash: rm -r build']) await approve(what)
        for (const answer of asked) expect(await answer).toMatchObject({ decision: 'allow' })
      })
    })

    it('are not decided by a number, with which the id of another may begin', async () => {
      const waiting = { id: '1abcdef0', agentId: agent.id as AgentId, what: 'spawn a worker' }
      const undecided = { requestedAt: 1, decision: null, decidedAt: null, reason: null }
      await store.approvals.insert({ ...waiting, ...undecided })
      for (const [decision, option] of [
        ['approved', '--approve'],
        ['denied', '--deny'],
      ] as const)
        await expect(approvals.decide('1', decision, undefined)).rejects.toMatchObject({
          code: 'INVALID_ARG',
          message: expect.stringContaining(`\`exomonad inbox 1 ${option}\``),
        })
      await expect(approvals.decide('1ab', 'approved', undefined)).rejects.toMatchObject({
        code: 'INVALID_ARG',
      })
      expect(await store.approvals.pending()).toHaveLength(1)
      await approvals.decide('1abc', 'approved', undefined)
      expect(await store.approvals.get('1abcdef0')).toMatchObject({ decision: 'approved' })
    })

    it('only notify the human where the program can’t be answered', async () => {
      policy('ask')
      expect(await says('unanswerable', asks)).toBeNull()
      expect(await store.approvals.pending()).toEqual([])
      expect(await events('agent.waiting')).toHaveLength(1)
    })

    it('are allowed with policy all, and only with that', async () => {
      for (const value of ['off', 'list'] as const) {
        policy(value)
        expect(await says('ask', asks)).toBeNull()
      }
      policy('all')
      expect(await says('ask', asks)).toEqual({
        event: 'ask',
        kind: 'permission',
        decision: 'allow',
      })
      const scripted = scriptedCli({ answersPermission: true })
      cli = scripted.cli
      expect(await says('asked', { ...asks, id: 'per_2' })).toBeNull()
      expect(scripted.replies).toEqual([[agent.id, 'per_2', 'allow']])
    })

    it('are off the table when the program ends', async () => {
      policy('ask')
      const scripted = scriptedCli({ answersPermission: true })
      cli = scripted.cli
      await says('asked', { ...asks, id: 'per_1' })
      await approval()
      await states.change(agent.id, { to: 'killed', source: 'human', actor: 'human' })
      await waitFor(
        'nothing to be pending',
        async () => (await store.approvals.pending()).length === 0,
      )
      expect(scripted.replies).toEqual([])
    })

    it('are the terminal’s alone after a restart of the daemon, and the human is notified', async () => {
      await set({ state: 'waiting', stateReason: 'permission to use Bash', stateSource: 'hook' })
      await store.approvals.insert({
        id: 'perm-abc',
        agentId: agent.id,
        what: 'use Bash',
        requestedAt: 1,
        decision: null,
        decidedAt: null,
        reason: null,
      })
      await approvals.dropOrphans()
      expect(await store.approvals.pending()).toEqual([])
      expect(await store.outbox.list({ recipient: agent.id as AgentId })).toEqual([])
      expect(await events('agent.waiting')).toEqual([
        { name: 'auth', reason: 'permission to use Bash', source: 'hook', screen: '' },
      ])
    })
  })
})
