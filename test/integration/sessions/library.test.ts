import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  createAcpClient,
  createAgenticLoop,
  createConversation,
  createToolRegistry,
  registerSubagentTools,
  type ACPClient,
  type AcpClientOptions,
  type SubagentCallbacks,
  type SubagentInfo,
} from '../../../src/index.ts'
import { runProgram } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/**
 * The library against a real agent process: test/fixtures/acp/scripted-agent.ts, which does what
 * its prompts say.
 */

const env = process.env as Record<string, string>
const top = join(import.meta.dirname, '..', '..', '..')
const SCRIPTED = join(top, 'test', 'fixtures', 'acp', 'scripted-agent.ts')

function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lib-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const scripted = (args: readonly string[] = [], name = 'scripted') => ({
  name,
  command: process.execPath,
  args: [SCRIPTED, ...args],
  cwd: tempFolder(),
})

function client(args: readonly string[] = [], options: Partial<AcpClientOptions> = {}): ACPClient {
  const acpClient = createAcpClient({ servers: [scripted(args)], ...options })
  onTestFinished(() => acpClient.dispose())
  return acpClient
}

const lives = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const script = (...lines: string[]): string => lines.join('\n')
const spawn = (task: string, rest: Record<string, unknown> = {}) => ({
  task,
  description: 'Doing a part',
  ...rest,
})
const call = (name: string, args: Record<string, unknown>) => ({
  id: `call_${name}`,
  name,
  arguments: args,
})

/**
 * A registry with a tool that answers from this process, and one that waits until it is aborted.
 */
function tools() {
  const registry = createToolRegistry()
  const aborted: unknown[] = []
  registry.register(
    {
      name: 'look_up',
      description: 'Looks a word up',
      parameters: { word: { type: 'string', description: 'Which', required: true } },
      category: 'search',
    },
    ({ word }) => {
      if (word === 'nothing') throw new Error('no such word')
      return `${word} means ${String(word).length} letters`
    },
  )
  registry.register(
    { name: 'wait_long', description: 'Waits', parameters: {}, category: 'other' },
    (_args, { signal }) => {
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          aborted.push(signal.reason)
          reject(signal.reason as Error)
        }),
      )
    },
  )
  return { registry, aborted }
}

function recorder() {
  const reported: unknown[][] = []
  const callbacks: SubagentCallbacks = {
    onSubagentStart: (info) => reported.push(['start', info]),
    onSubagentStreamDelta: (id, text) => reported.push(['delta', id, text]),
    onSubagentToolCallStart: (id, { name, arguments: args }) =>
      reported.push(['call', id, name, args]),
    onSubagentToolCallEnd: (id, { name, output, isError }) =>
      reported.push(['answer', id, name, output, isError]),
    onSubagentComplete: (id, { text, turns }) => reported.push(['complete', id, text, turns]),
    onSubagentError: (id, error) => reported.push(['error', id, error.message]),
  }
  return {
    reported,
    callbacks,
    ids: () =>
      reported.filter(([kind]) => kind === 'start').map(([, info]) => (info as SubagentInfo).id),
  }
}

describe('an agent with a registry’s tools', () => {
  it.each([
    ['HTTP', []],
    ['the bridge on stdio', ['--no-http']],
  ])(
    verifies('R002-04', 'calls them over %s, and callbacks report them in order'),
    async (_way, args) => {
      const acpClient = client(args)
      const { registry } = tools()
      const { reported, callbacks, ids } = recorder()
      registerSubagentTools(registry, { acpClient, toolRegistry: registry, callbacks })
      const task = script(
        'say Looking.',
        'call look_up {"word":"tree"}',
        'call look_up {"word":"nothing"}',
        'say Found it.',
      )
      const result = await registry.execute(call('subagent_spawn', spawn(task)))
      expect(result).toMatchObject({ output: 'Found it.', isError: false })
      const [id] = ids()
      expect(reported).toEqual([
        ['start', { id, description: 'Doing a part', mode: 'spawn' }],
        ['delta', id, 'Looking.'],
        ['call', id, 'look_up', { word: 'tree' }],
        ['answer', id, 'look_up', 'tree means 4 letters', false],
        ['call', id, 'look_up', { word: 'nothing' }],
        ['answer', id, 'look_up', 'no such word', true],
        ['delta', id, 'Found it.'],
        ['complete', id, 'Found it.', 3],
      ])
    },
  )

  it(
    verifies('R002-06', 'has them two levels deep, the inner one without those for subagents'),
    async () => {
      const acpClient = client()
      const { registry } = tools()
      const { reported, callbacks, ids } = recorder()
      registerSubagentTools(registry, { acpClient, toolRegistry: registry, callbacks })
      const inner = script('call look_up {"word":"leaf"}', 'tools')
      const outer = script(
        `call subagent_spawn ${JSON.stringify(spawn(inner, { description: 'Inner' }))}`,
        'say outer:',
        'tools',
      )
      const { output } = await registry.execute(
        call('subagent_spawn', spawn(outer, { description: 'Outer' })),
      )
      expect(output).toBe('outer:look_up wait_long subagent_spawn subagent_delegate')
      const [outerId, innerId] = ids()
      expect(reported.filter(([kind]) => kind !== 'delta')).toEqual([
        ['start', { id: outerId, description: 'Outer', mode: 'spawn' }],
        ['call', outerId, 'subagent_spawn', spawn(inner, { description: 'Inner' })],
        ['start', { id: innerId, description: 'Inner', mode: 'spawn', parentId: outerId }],
        ['call', innerId, 'look_up', { word: 'leaf' }],
        ['answer', innerId, 'look_up', 'leaf means 4 letters', false],
        ['complete', innerId, 'look_up wait_long', 2],
        ['answer', outerId, 'subagent_spawn', 'look_up wait_long', false],
        ['complete', outerId, output, 2],
      ])
      // Both ran in one process, and neither session is left.
      expect(await acpClient.listSessions()).toEqual([])
    },
  )

  it('runs several subagents at once, each with its own answer', async () => {
    const acpClient = client()
    const { registry } = tools()
    const { reported, callbacks, ids } = recorder()
    registerSubagentTools(registry, { acpClient, toolRegistry: registry, callbacks })
    const words = ['a', 'bb', 'ccc', 'dddd', 'eeeee']
    const results = await Promise.all(
      words.map((word) =>
        registry.execute(
          call('subagent_spawn', spawn(script(`call look_up {"word":"${word}"}`, `say ${word}`))),
        ),
      ),
    )
    expect(results.map(({ output }) => output)).toEqual(words)
    expect(new Set(ids()).size).toBe(words.length)
    for (const id of ids())
      expect(reported.filter((one) => one[1] === id).map(([kind]) => kind)).toEqual([
        'call',
        'answer',
        'delta',
        'complete',
      ])
  })

  it(verifies('R002-02', 'is stopped at its turn limit, and its answer says so'), async () => {
    const acpClient = client()
    const { registry } = tools()
    const { reported, callbacks } = recorder()
    registerSubagentTools(registry, { acpClient, toolRegistry: registry, callbacks })
    const { output } = await registry.execute(
      call(
        'subagent_spawn',
        spawn(script('say Beginning.', 'rounds 500', 'say never'), { maxTurns: 4 }),
      ),
    )
    expect(output).toMatch(/^Beginning\.\n\n\[Stopped at the limit of 4 turns/)
    expect(reported.at(-1)?.slice(2)).toEqual([output, 4])
    // The agent was cancelled, not ended: it goes on with other work.
    const { pid } = acpClient.getServerHealth()!
    expect((await acpClient.generate('say still here')).content).toBe('still here')
    expect(acpClient.getServerHealth()?.pid).toBe(pid)
  })
})

describe('what goes wrong', () => {
  it(
    verifies(
      'R002-07',
      'in the agent is reported once and fails the call; the next call starts it again',
    ),
    async () => {
      const acpClient = client()
      const { registry } = tools()
      const { reported, callbacks } = recorder()
      registerSubagentTools(registry, { acpClient, toolRegistry: registry, callbacks })
      const crashed = await registry.execute(
        call('subagent_spawn', spawn(script('say half', 'stderr out of memory', 'crash 3'))),
      )
      expect(crashed.isError).toBe(true)
      expect(reported.filter(([kind]) => kind === 'error' || kind === 'complete')).toEqual([
        ['error', expect.any(String), crashed.output],
      ])
      expect(acpClient.getServerHealth()).toMatchObject({
        state: 'failed',
        pid: null,
        uptimeMs: 0,
        lastError: expect.stringContaining('out of memory'),
      })

      expect(crashed.output).toContain('out of memory')

      const refused = await registry.execute(
        call('subagent_delegate', { task: 'error the model is overloaded', description: 'Asking' }),
      )
      expect(refused).toMatchObject({
        isError: true,
        output: expect.stringContaining('the model is overloaded'),
      })
      expect(acpClient.getServerHealth()).toMatchObject({ state: 'ready', lastError: null })
    },
  )

  it('in a prompt is said with the last of its standard error, however it was asked and died', async () => {
    const acpClient = client()
    const { registry } = tools()
    registerSubagentTools(registry, { acpClient, toolRegistry: registry })
    const ways: Record<string, (task: string) => Promise<unknown>> = {
      generate: (task) => acpClient.generate(task),
      conversation: (task) => acpClient.generate(task, { conversation: {} }),
      chat: (task) => acpClient.chat([{ role: 'user', content: task }]),
      stream: async (task) => {
        for await (const chunk of acpClient.generateStream(task))
          expect(chunk.type).not.toBe('complete')
      },
      loop: (task) =>
        createAgenticLoop({
          acpClient,
          toolRegistry: registry,
          conversation: createConversation(),
        }).run(task),
      ...Object.fromEntries(
        ['subagent_spawn', 'subagent_delegate'].map((tool) => [
          tool,
          async (task: string) => {
            const { isError, output } = await registry.execute(call(tool, spawn(task)))
            if (isError) throw new Error(output)
          },
        ]),
      ),
    }
    for (const [end, word] of [
      ['crash 3', 'exit code 3'],
      ['crash SIGKILL', 'SIGKILL'],
    ] as const) {
      for (const [way, ask] of Object.entries(ways)) {
        await expect(
          ask(script('say half', `stderr ${way} went wrong`, end)),
          `${way}, ${end}`,
        ).rejects.toThrow(new RegExp(`${word}[^]*${way} went wrong`))
      }
    }
  })

  it('with a program that is not there, or does not start, is said', async () => {
    const missing = client([], {
      servers: [{ name: 'missing', command: '/no/such/agent', cwd: tempFolder() }],
    })
    await expect(missing.generate('x')).rejects.toMatchObject({ code: 'AGENT_CLI_MISSING' })
    expect(await missing.isAvailable()).toBe(false)
    expect(missing.getServerHealth()).toMatchObject({
      state: 'failed',
      lastError: expect.stringContaining('/no/such/agent'),
    })
    const mute = client([], { servers: [{ ...scripted(['--mute']), startTimeout: 300 }] })
    await expect(mute.initialize()).rejects.toThrow('0.3 s')
    const failing = client(['--exit', '7'])
    await expect(failing.initialize()).rejects.toThrow('cannot start')
  })
})

describe('aborting', () => {
  it('a call cancels its session and the registry’s calls in it, and the agent lives on', async () => {
    const acpClient = client()
    const { registry, aborted } = tools()
    const { reported, callbacks, ids } = recorder()
    registerSubagentTools(registry, { acpClient, toolRegistry: registry, callbacks })
    const controller = new AbortController()
    const inner = spawn('call wait_long {}', { description: 'Inner' })
    const running = registry.execute(
      call('subagent_spawn', spawn(`call subagent_spawn ${JSON.stringify(inner)}`)),
      { signal: controller.signal },
    )
    await waitFor('the inner call', () =>
      reported.some(([kind, , name]) => kind === 'call' && name === 'wait_long'),
    )
    const { pid } = acpClient.getServerHealth()!
    const reason = new Error('the user pressed Escape')
    controller.abort(reason)
    expect(await running).toMatchObject({ isError: true, output: reason.message })
    expect(aborted).toEqual([reason])
    const [outerId, innerId] = ids()
    expect(reported.filter(([kind]) => kind === 'error' || kind === 'complete')).toEqual([
      ['error', innerId, reason.message],
      ['error', outerId, reason.message],
    ])
    expect((await acpClient.generate('say still here')).content).toBe('still here')
    expect(acpClient.getServerHealth()?.pid).toBe(pid)
    expect(await acpClient.listSessions()).toEqual([])
  })

  it('while a session is being made leaves none behind, and calls at once with one conversation share one', async () => {
    const acpClient = client()
    await acpClient.initialize()
    const controller = new AbortController()
    const call = acpClient.generate('say x', { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    const conversation = {}
    const answers = await Promise.all(
      ['one', 'two'].map((word) => acpClient.generate(`say ${word}`, { conversation })),
    )
    expect(answers.map(({ content }) => content)).toEqual(['one', 'two'])
    expect(answers[0]!.sessionId).toBe(answers[1]!.sessionId)
    expect(await acpClient.listSessions()).toHaveLength(1)
  })

  it('by leaving a stream early cancels the turn', async () => {
    const acpClient = client()
    const conversation = {}
    for await (const chunk of acpClient.generateStream(script('say first', 'wait'), {
      conversation,
    })) {
      expect(chunk).toEqual({ type: 'delta', text: 'first' })
      break
    }
    // The next turn of that session would wait for ever otherwise.
    const chunks = []
    for await (const chunk of acpClient.generateStream('say second', { conversation }))
      chunks.push(chunk)
    expect(chunks).toEqual([
      { type: 'delta', text: 'second' },
      { type: 'complete', stopReason: 'end_turn', sessionId: expect.any(String) },
    ])
  })
})

describe('the client', () => {
  it('keeps one session for one conversation, with the system prompt in front of its first prompt', async () => {
    const acpClient = client()
    const conversation = createConversation({ messages: [{ role: 'user', content: 'Earlier.' }] })
    const loop = createAgenticLoop({
      acpClient,
      toolRegistry: tools().registry,
      conversation,
      systemPrompt: 'Be brief.',
    })
    const first = JSON.parse((await loop.run('prompt')).finalText) as string
    expect(first).toBe(
      'Be brief.\n\nWhat was said before:\n\n[user]\nEarlier.\n\nWhat is asked now:\n\nprompt',
    )
    expect(JSON.parse((await loop.run('prompt')).finalText)).toBe('prompt')
    const sessions = await acpClient.listSessions()
    expect(sessions).toHaveLength(1)
    await acpClient.deleteSession(sessions[0]!.sessionId)
    expect(await acpClient.listSessions()).toEqual([])
    // Begun anew, with what was said.
    expect(JSON.parse((await loop.run(script('script:', 'prompt'))).finalText)).toContain(
      'What was said before:\n\n[user]\nEarlier.',
    )
  })

  it('lends tools to a session for a turn, and not beyond it', async () => {
    const acpClient = client()
    const { registry } = tools()
    const conversation = createConversation()
    await createAgenticLoop({ acpClient, toolRegistry: registry, conversation }).run(
      'call look_up {"word":"tree"}',
    )
    const chunks = []
    for await (const chunk of acpClient.generateStream('call look_up {"word":"tree"}', {
      conversation,
    }))
      chunks.push(chunk)
    expect(
      chunks.flatMap((chunk) => (chunk.type === 'tool_call_update' ? [chunk.toolCall] : [])).at(-1),
    ).toMatchObject({
      status: 'failed',
      output: expect.stringContaining('Nobody answers this call'),
    })
  })

  it(verifies('R002-08', 'asks the server or agent that is named'), async () => {
    const servers = [
      scripted([], 'one'),
      { ...scripted([], 'two'), agentId: 'critic', env: { WHO: 'second' } },
    ]
    const acpClient = client([], { servers })
    const { registry } = tools()
    registerSubagentTools(registry, { acpClient, toolRegistry: registry })
    const ask = async (rest: Record<string, unknown>) =>
      (
        await registry.execute(
          call('subagent_delegate', { task: 'env WHO', description: 'x', ...rest }),
        )
      ).output
    expect(await ask({})).toBe('WHO=\n')
    expect(await ask({ serverName: 'two' })).toBe('WHO=second\n')
    expect(await ask({ agentId: 'critic' })).toBe('WHO=second\n')
    expect(await ask({ serverName: 'three' })).toBe(
      'There is no server named three: there are one, two.',
    )
    expect(await ask({ serverName: 'one', agentId: 'critic' })).toContain(
      'The server one has no agent critic',
    )
    expect(acpClient).toMatchObject({
      serverNames: ['one', 'two'],
      serverCount: 2,
      defaultServerName: 'one',
      defaultAgent: 'one',
    })
    expect(await acpClient.listAgents()).toEqual([
      { id: 'one', name: 'scripted-agent', version: '1.0.0', serverName: 'one' },
      { id: 'critic', name: 'scripted-agent', version: '1.0.0', serverName: 'two' },
    ])
  })

  it('has a process for each session where the agent needs that, for as long as the session lasts', async () => {
    const servers = [{ ...scripted(), processPerSession: true }]
    const acpClient = client([], { servers })
    const { registry } = tools()
    const pids = new Set<number>()
    registry.register(
      { name: 'pid', description: 'Takes a note', parameters: {}, category: 'other' },
      async () => {
        for (const pid of childrenOf(process.pid))
          if (commandOf(pid).includes(SCRIPTED)) pids.add(pid)
        return 'noted'
      },
    )
    registerSubagentTools(registry, { acpClient, toolRegistry: registry })
    const inner = script('call pid {}', 'tools')
    const { output } = await registry.execute(
      call(
        'subagent_spawn',
        spawn(script(`call subagent_spawn ${JSON.stringify(spawn(inner))}`, 'tools')),
      ),
    )
    expect(output).toBe('look_up wait_long pid subagent_spawn subagent_delegate')
    expect(pids.size).toBe(2)
    const { pid } = acpClient.getServerHealth()!
    await waitFor('the end of the inner one’s', () => [...pids].filter(lives).length === 1)
    expect([...pids].filter(lives)).toEqual([pid])
    // Kept ones keep theirs.
    const conversations = [{}, {}]
    await Promise.all(
      conversations.map((conversation) => acpClient.generate('say kept', { conversation })),
    )
    const sessions = await acpClient.listSessions()
    expect(new Set(sessions.map(({ sessionId }) => sessionId.split('-')[1])).size).toBe(2)
    expect((await acpClient.generate('prompt', { conversation: conversations[1]! })).content).toBe(
      '"prompt"\n',
    )
    await Promise.all(sessions.map(({ sessionId }) => acpClient.deleteSession(sessionId)))
    await waitFor(
      'the end of the second',
      () => childrenOf(process.pid).filter((one) => commandOf(one).includes(SCRIPTED)).length === 1,
    )
  })

  it('decides over permissions as it is set to', async () => {
    const acpClient = client()
    const ask = async () => (await acpClient.generate('ask rm -rf /')).content
    expect(await ask()).toBe('denied\n')
    acpClient.setPermissionPolicy('allow')
    expect(await ask()).toBe('allowed\n')
    const asked: unknown[] = []
    acpClient.setPermissionPolicy((request) => {
      asked.push(request)
      return Promise.resolve('deny')
    })
    expect(await ask()).toBe('denied\n')
    expect(asked).toEqual([
      {
        serverName: 'scripted',
        sessionId: expect.any(String),
        toolCall: expect.objectContaining({ title: 'rm -rf /', kind: 'execute' }),
      },
    ])
    acpClient.setPermissionPolicy(() => {
      throw new Error('broken')
    })
    expect(await ask()).toBe('denied\n')
  })

  it('has models, modes and old sessions where the agent does', async () => {
    const store = tempFolder()
    const args = ['--models', 'small,large', '--modes', 'ask,code', '--store', store]
    const first = client(args)
    const conversation = {}
    const { sessionId } = await first.generate('say hello', { conversation })
    expect(await first.listSessions()).toEqual([
      expect.objectContaining({
        sessionId,
        serverName: 'scripted',
        models: ['small', 'large'],
        model: 'small',
        modes: ['ask', 'code'],
        mode: 'ask',
      }),
    ])
    await first.setSessionModel(sessionId, 'large')
    await first.setSessionMode(sessionId, 'code')
    expect(await first.listSessions()).toEqual([
      expect.objectContaining({ model: 'large', mode: 'code' }),
    ])
    await expect(first.setSessionMode(sessionId, 'sing')).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message: expect.stringContaining('code'),
    })
    await expect(first.setSessionModel('none', 'large')).rejects.toMatchObject({
      code: 'INVALID_ARG',
    })
    await first.dispose()

    const second = client([], { servers: [{ ...scripted(args), model: 'large', mode: 'code' }] })
    await second.generate('say hello', { conversation })
    expect(await second.listSessions()).toEqual([
      expect.objectContaining({ model: 'large', mode: 'code' }),
    ])
    expect((await second.loadSession(sessionId)).sessionId).toBe(sessionId)
    expect(
      (await second.generate('prompt', { sessionId, systemPrompt: 'Too late.' })).content,
    ).toBe('"prompt"\n')
  })

  it('chats, counts tokens, reports how servers are, and says what the protocol lacks', async () => {
    const acpClient = client()
    expect(acpClient.getServerHealth()).toEqual({
      state: 'stopped',
      pid: null,
      uptimeMs: 0,
      lastError: null,
    })
    expect(acpClient.getServerHealth('other')).toBeUndefined()
    await acpClient.initialize()
    expect(acpClient.getServerHealth()).toMatchObject({ state: 'ready', pid: expect.any(Number) })
    const messages = [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi' },
      { role: 'user', content: 'prompt' },
    ] as const
    const { content } = await acpClient.chat(messages)
    expect(JSON.parse(content)).toBe(
      'Be kind.\n\nWhat was said before:\n\n[user]\nHello\n\n[assistant]\nHi\n\nWhat is asked now:\n\nprompt',
    )
    await expect(acpClient.chat(messages.slice(0, 3))).rejects.toMatchObject({
      code: 'INVALID_ARG',
    })
    expect(await acpClient.generate(script('say counted', 'usage 100 20'))).toMatchObject({
      content: 'counted',
      usage: { promptTokens: 100, completionTokens: 20, totalTokens: 120 },
      stopReason: 'end_turn',
    })
    await expect(acpClient.embed('x')).rejects.toMatchObject({
      code: 'NOT_AVAILABLE',
      message: expect.stringContaining('embed is unsupported'),
    })
  })

  it('passes 10 MB of text on whole', async () => {
    const { content } = await client().generate('flood 10000000')
    expect(content).toHaveLength(10_000_000)
  })

  it.each([
    ['a willing agent', []],
    ['one that ignores it', ['--stubborn', '--no-http']],
  ])('leaves nothing of %s after dispose, whatever runs', async (_what, args) => {
    const acpClient = client(args)
    const { registry } = tools()
    const running = createAgenticLoop({
      acpClient,
      toolRegistry: registry,
      conversation: createConversation(),
    })
    const reported: string[] = []
    const run = running
      .run(script('say on', 'call wait_long {}'), {
        onToolCallStart: ({ name }) => reported.push(name),
      })
      .catch((error: Error) => error)
    await waitFor('the call', () => reported.length > 0)
    const { pid } = acpClient.getServerHealth()!
    const bridges = childrenOf(pid!)
    expect(bridges).toHaveLength(args.length === 0 ? 0 : 1)
    await acpClient.dispose()
    expect(await run).toMatchObject({ code: 'NOT_AVAILABLE' })
    await waitFor('the end of its processes', () => [pid!, ...bridges].every((one) => !lives(one)))
    expect(acpClient.getServerHealth()).toEqual({
      state: 'stopped',
      pid: null,
      uptimeMs: 0,
      lastError: null,
    })
    await expect(acpClient.generate('say more')).rejects.toMatchObject({
      code: 'NOT_AVAILABLE',
      message: expect.stringContaining('disposed'),
    })
  })
})

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number)

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

describe('the built package', () => {
  /** A folder in which the package is installed. */
  function consumer(): string {
    const folder = tempFolder()
    mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true })
    symlinkSync(top, join(folder, 'node_modules', 'exomonad'))
    symlinkSync(
      join(top, 'node_modules', '@types', 'node'),
      join(folder, 'node_modules', '@types', 'node'),
    )
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    return folder
  }

  it(
    verifies(
      'R002-09',
      'has the types and functions that a program needs, and the example compiles',
    ),
    async () => {
      const folder = consumer()
      writeFileSync(
        join(folder, 'research.ts'),
        readFileSync(join(top, 'examples', 'subagents', 'research.ts')),
      )
      writeFileSync(
        join(folder, 'types.ts'),
        `import { createToolRegistry, registerSubagentTools, type ACPClient, type LoopCallbacks, type LoopResult, type SubagentCallbacks, type SubagentInfo, type SubagentResult,
  type SubagentToolsOptions, type ToolCallRequest, type ToolCallResult, type ToolCategory, type ToolDefinition, type ToolHandler, type ToolRegistry } from 'exomonad'
const category: ToolCategory = 'subagent'
const callbacks: SubagentCallbacks = { onSubagentStart: (info: SubagentInfo) => info.mode === 'spawn', onSubagentComplete: (id: string, result: SubagentResult) => result.turns }
export const both: LoopCallbacks = { ...callbacks, onStreamDelta: (text: string) => text.length }
export const use = (acpClient: ACPClient, toolRegistry: ToolRegistry): void => {
  const options: SubagentToolsOptions = { acpClient, toolRegistry, callbacks, serverName: undefined }
  registerSubagentTools(createToolRegistry({}), options, 1)
}
// @ts-expect-error an id is what the registry gives
export const info: SubagentInfo = { id: 1, description: '', mode: 'spawn' }
export type Rest = [LoopCallbacks, LoopResult, ToolCallRequest, ToolCallResult, ToolDefinition, ToolHandler, typeof category]
`,
      )
      const compiler = {
        strict: true,
        exactOptionalPropertyTypes: true,
        module: 'nodenext',
        target: 'es2023',
        noEmit: true,
        types: ['node'],
        skipLibCheck: true,
      }
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: compiler }))
      const checked = await runProgram(join(top, 'node_modules', '.bin', 'tsc'), ['-p', folder], {
        cwd: folder,
        env,
      })
      expect(`${checked.stdout}${checked.stderr}`).not.toContain('error')
      expect(checked.code).toBe(0)
    },
  )

  it.each([
    ['HTTP', []],
    ['its bridge', ['--no-http']],
  ])(
    verifies('R002-09', 'runs the example of docs/library.md over %s, and shows nested progress'),
    async (_way, args) => {
      const folder = consumer()
      writeFileSync(
        join(folder, 'research.ts'),
        readFileSync(join(top, 'examples', 'subagents', 'research.ts')),
      )
      const inner = {
        task: script('call list_files {"folder":"."}', 'say listed'),
        description: 'Listing files',
      }
      const outer = {
        task: script(`call subagent_spawn ${JSON.stringify(inner)}`, 'say asked'),
        description: 'Asking another',
      }
      const task = script(
        'script:',
        `call subagent_spawn ${JSON.stringify(outer)}`,
        'say All done.',
      )
      const ran = await runProgram(
        process.execPath,
        ['research.ts', task, process.execPath, SCRIPTED, ...args],
        { cwd: folder, env },
      )
      expect(ran.stdout).toBe('All done.\n')
      expect(ran.stderr).toContain('(2 turns)')
      const shown = ran.stderr.replaceAll(/\u001b\[[\d;?]*[A-Za-z]/g, '')
      expect(shown).toMatch(/✓ Asking another · \d+s · 2 turns|✓ Asking another .*2 turns/)
      expect(shown).toMatch(/\n {2}✓ Listing files .*1 tool call/)
      expect(ran.code).toBe(0)
    },
  )
})
