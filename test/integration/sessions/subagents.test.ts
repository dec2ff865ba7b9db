import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SubagentAnswer } from '../../../src/core/sessions/agent-sessions.ts'
import type { SubagentEvent } from '../../../src/core/sessions/subagent-progress.ts'
import { createClient, type Client } from '../../../src/surfaces/client.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { processesOf } from '../../helpers/headless.ts'
import { connectMcp } from '../../helpers/mcp-clients.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/** Subagents of the real daemon, which speak the Agent Client Protocol as a script says. */

const SCRIPTED = join(import.meta.dirname, '..', '..', 'fixtures', 'acp', 'scripted-agent.ts')
const LIMIT = { limit: 60_000 }
const acp = (name: string, ...args: string[]): string =>
  `[acp.${name}]\ncommand = ${JSON.stringify([process.execPath, SCRIPTED, ...args])}\npermission = "allow"\n`

let tree: Exomonad
let socket: string
beforeAll(async () => {
  tree = await startExomonad({
    config: `${acp('script', '--modes', 'ask,plan')}${acp('other', '--modes', 'brief')}
[headless]
acp = "script"
[roles.reader]
agent = "scripted"
tools = ["note", "subagent_spawn", "subagent_delegate"]
[roles.careful]
agent = "scripted"
tools = ["subagent_spawn"]
permissions = { policy = "ask" }
`,
  })
  socket = JSON.parse(readFileSync(join(tree.state, 'repository.json'), 'utf8')).socket
})
afterAll(() => tree?.stop())

const script = (...lines: string[]): string => ['Do as it says.', 'script:', ...lines].join('\n')
/** A line of a script that has a subagent of its own. */
const spawns = (description: string, ...lines: string[]): string =>
  `call subagent_spawn ${JSON.stringify({ task: script(...lines), description })}`

const tokenOf = (id: string): string => readFileSync(join(tree.state, 'auth', id), 'utf8').trim()

interface Call {
  readonly answer: Promise<SubagentAnswer>
  readonly words: string[]
  readonly events: SubagentEvent[]
  readonly abort: () => void
  /** Id of the subagent, once it is reported. */
  readonly id: () => Promise<string>
}

function call(
  input: object,
  { tool = 'subagent_spawn', client = tree.client() }: { tool?: string; client?: Client } = {},
): Call {
  const controller = new AbortController()
  const words: string[] = []
  const events: SubagentEvent[] = []
  const progress = (message: string, event: SubagentEvent | undefined): void => {
    if (message !== '') words.push(message)
    if (event !== undefined) events.push(event)
  }
  const answer = client.callTool(
    tool,
    { description: 'Reading', ...input },
    { signal: controller.signal, progress },
  ) as Promise<SubagentAnswer>
  // Whoever looks at it later sees how it failed.
  answer.catch(() => {})
  return {
    ...{ answer, words, events },
    abort: () => controller.abort(new Error('enough')),
    id: () =>
      waitFor('the subagent', () => events.find(({ kind }) => kind === 'started')?.id, LIMIT),
  }
}
const spawn = (...lines: string[]): Call => call({ task: script(...lines) })

const status = (id: string) => tree.call('agent_status', { agent_id: id })
const ended = (id: string, how: string) =>
  waitFor(`${id} to be ${how}`, async () => (await status(id)).status === how, LIMIT)
const runs = (id: string): boolean => processesOf(id).length > 0

/** An agent of a role, with a client that acts as it. */
async function agentOf(
  name: string,
  role: string,
  steps: object[] = [{ do: 'file', path: 'never' }],
): Promise<{ id: string; client: Client }> {
  tree.script(name, { steps })
  const { spawned } = await tree.call('spawn', {
    kind: 'subtree',
    specs: [{ name, prompt: 'Work', role }],
    allow_dirty: true,
  })
  const id = spawned[0].agent_id as string
  // What it says of its start would be taken for a turn.
  await tree.logged(name, 'its start', ({ kind }) => kind === 'ready')
  return { id, client: createClient({ socket, token: tokenOf(id) }) }
}

describe('subagent_spawn', () => {
  it(
    verifies(
      'R002-02',
      'returns the final text of a conversation of its own, and reports its tool calls on the way',
    ),
    async () => {
      const { answer, words, id } = spawn(
        'say Let me look.',
        'tool read src/a.ts',
        'say All is well.',
      )
      expect(await answer).toEqual({
        text: 'All is well.',
        turns: expect.any(Number),
        durationMs: expect.any(Number),
      })
      expect(words[0]).toBe('● Reading')
      expect(words.slice(1, -1)).toEqual([expect.stringContaining('src/a.ts')])
      expect(words.at(-1)).toMatch(/^✓ Reading: \d+ turns?, 1 tool call, \d+ s$/)
      expect(await status(await id())).toMatchObject({
        kind: 'spawn',
        status: 'completed',
        tool_calls: 1,
      })
      expect(await tree.call('agent_result', { agent_id: await id() })).toMatchObject({
        output: 'All is well.',
      })
    },
  )

  it('is done by the command line too: what it does on stderr, the text on stdout', async () => {
    const run = await tree.run([
      'subagent',
      'spawn',
      script('tool read src/a.ts', 'say It is done.'),
      '--description',
      'Reading a',
    ])
    expect(run).toMatchObject({ code: 0, stdout: 'It is done.\n' })
    expect(run.stderr).toMatch(/^● Reading a\n {2}⎿ .*src\/a\.ts\n✓ Reading a: .*\n$/)
    const json = await tree.run(['subagent', 'spawn', script('say It is done.'), '--json'])
    expect(json.json).toMatchObject({ text: 'It is done.' })
    expect(json.stderr).toBe('')
  })

  it(
    verifies('R002-08', 'puts a system prompt in front of everything that it is sent'),
    async () => {
      const { text } = await call({ task: script('prompt'), systemPrompt: 'Answer in verse.' })
        .answer
      expect(JSON.parse(text)).toMatch(/^Answer in verse\.\n\nYou are /)
    },
  )

  it('is stopped at its limit of turns, and its answer says so', async () => {
    const { text, turns } = await call({
      task: script('say Working on it.', 'rounds 50', 'say Never said.'),
      maxTurns: 3,
    }).answer
    expect(text).toContain('limit of 3 turns was reached')
    expect(text).not.toContain('Never said')
    expect(turns).toBe(3)
  })

  it(
    verifies(
      'R002-07',
      'fails with the reason and with what it had said, which nobody is notified of a second time',
    ),
    async () => {
      const { answer, id, events } = spawn('say So far so good.', 'crash 3')
      await expect(answer).rejects.toMatchObject({
        code: 'SUBAGENT_FAILED',
        facts: { status: 'failed', partial: expect.stringContaining('So far so good.') },
      })
      const own = await id()
      expect(events.filter(({ kind }) => kind === 'ended')).toMatchObject([{ success: false }])
      const { messages } = await tree.call('inbox', { clear: false })
      expect(JSON.stringify(messages)).not.toContain(own)
      expect(JSON.stringify(messages)).not.toContain('So far so good')
      expect((await tree.call('check_mail', { peek: true })).messages).toEqual([])
      const reported = (await tree.events()).filter(
        (event) => event.agentId === own && event.type === 'agent.failed',
      )
      expect(reported).toHaveLength(1)
    },
  )

  it('keeps calls at the same time apart', async () => {
    const calls = ['one', 'two', 'three'].map((word) =>
      call({ task: script(`tool read ${word}.ts`, 'sleep 50', `say ${word}`), description: word }),
    )
    expect((await Promise.all(calls.map(({ answer }) => answer))).map(({ text }) => text)).toEqual([
      'one',
      'two',
      'three',
    ])
    expect(new Set(await Promise.all(calls.map(({ id }) => id()))).size).toBe(3)
    for (const [index, { words }] of calls.entries())
      expect(words.join('\n')).toContain(`${['one', 'two', 'three'][index]}.ts`)
    expect(calls[0]?.words.join('\n')).not.toContain('two.ts')
  })
})

describe('nested subagents', () => {
  it(
    verifies('R002-09', 'show below the one that waits for them, to every caller above'),
    async () => {
      const { answer, words, events } = spawn(
        spawns('Inner', 'tool read deep.ts', 'say inner'),
        'say outer',
      )
      expect((await answer).text).toBe('outer')
      const [outer, inner] = events.flatMap((event) => (event.kind === 'started' ? [event] : []))
      expect(outer).toMatchObject({ parent: null, description: 'Reading' })
      expect(inner).toMatchObject({ parent: outer?.id, description: 'Inner' })
      expect(words).toContainEqual('  ● Inner')
      expect(words).toContainEqual(expect.stringMatching(/^ {4}⎿ .*deep\.ts/))
      expect(words).toContainEqual(expect.stringMatching(/^ {2}✓ Inner: /))
      expect(await status(inner!.id)).toMatchObject({
        parent_id: outer?.id,
        kind: 'spawn',
        status: 'completed',
      })
    },
  )

  it(
    verifies(
      'R002-05',
      'have no tools that nest at the limit, and are given the numbers where they try all the same',
    ),
    async () => {
      const { answer, events } = spawn(spawns('Inner', 'tools', 'wait'), 'say outer')
      const inner = await waitFor(
        'the inner one',
        () => events.find((event) => event.kind === 'started' && event.description === 'Inner')?.id,
        LIMIT,
      )
      const client = createClient({ socket, token: tokenOf(inner) })
      const { tools } = await client.get<{ tools: { name: string }[] }>('/v1/tools')
      expect(tools.map(({ name }) => name)).toContain('note')
      expect(tools.map(({ name }) => name).filter((name) => name.startsWith('subagent_'))).toEqual(
        [],
      )
      for (const tool of ['subagent_spawn', 'subagent_delegate'])
        await expect(client.callTool(tool, { task: 'x', description: 'x' })).rejects.toMatchObject({
          code: 'LIMIT_REACHED',
          facts: { depth: 2, limit: 2 },
        })
      await tree.call('kill', { agent: inner })
      // Its caller is notified, and goes on.
      expect((await answer).text).toBe('outer')
    },
  )

  it(
    verifies('R002-06', 'have the tools of the one that calls, not those of the root'),
    async () => {
      const { client } = await agentOf('reader', 'reader')
      const first = await call({ task: script('tools') }, { client }).answer
      expect(first.text.split(' ').toSorted()).toEqual(
        ['note', 'read_message', 'subagent_delegate', 'subagent_spawn'].filter((name) =>
          first.text.includes(name),
        ),
      )
      expect(first.text).toContain('subagent_spawn')
      expect(first.text).not.toContain('spawn_workers')
      // At the limit the same without those that nest.
      const outer = call(
        { task: script(spawns('Inner', 'tools', 'wait'), 'say outer') },
        { client },
      )
      const inner = await waitFor(
        'the inner one',
        () =>
          outer.events.find((event) => event.kind === 'started' && event.description === 'Inner')
            ?.id,
        LIMIT,
      )
      const { tools } = await createClient({ socket, token: tokenOf(inner) }).get<{
        tools: { name: string }[]
      }>('/v1/tools')
      expect(tools.map(({ name }) => name)).not.toContain('subagent_spawn')
      expect(tools.map(({ name }) => name)).toContain('note')
      outer.abort()
      await expect(outer.answer).rejects.toThrow('enough')
      await ended(inner, 'killed')
    },
  )
})

describe('subagent_delegate', () => {
  it(
    verifies('R002-03', 'is one prompt as it was given and one answer, without tools: one turn'),
    async () => {
      const task = script('tools', 'prompt')
      const { text, turns } = await call({ task }, { tool: 'subagent_delegate' }).answer
      expect(JSON.parse(text.trim())).toBe(task)
      expect(turns).toBe(1)
    },
  )

  it(
    verifies('R002-08', 'goes to another program in another mode, and says which there are'),
    async () => {
      const run = await tree.run([
        'subagent',
        'delegate',
        script('say Done.'),
        '--server',
        'other',
        '--agent',
        'brief',
      ])
      expect(run).toMatchObject({ code: 0, stdout: 'Done.\n' })
      expect(
        await tree.refusal('subagent_delegate', {
          task: 'x',
          description: 'x',
          serverName: 'nobody',
        }),
      ).toMatchObject({
        code: 'INVALID_ARG',
        error: expect.stringContaining('other, script'),
      })
      const mode = await tree.refusal('subagent_delegate', {
        task: script('say hi'),
        description: 'x',
        serverName: 'other',
        agentId: 'plan',
      })
      expect(mode.error).toMatch(/plan.*brief/s)
    },
  )
})

it('a subagent that waits for a person’s permission says so to whoever waits for it, and goes on once it has it', async () => {
  const { answer, words, id } = call(
    { task: script('ask rm -rf build') },
    { client: (await agentOf('careful', 'careful')).client },
  )
  await waitFor(
    'its question',
    () => words.find((line) => line.includes('waits for a person')),
    LIMIT,
  )
  // Its state changes first, then the question is put to people.
  const approvals = await waitFor('its approval', async () => {
    const asked = (await tree.call('inbox', { clear: false })).approvals
    return asked.length > 0 ? asked : undefined
  })
  expect(approvals).toHaveLength(1)
  await tree.call('approve', { approval_id: approvals[0].approval_id })
  expect((await answer).text).toContain('allowed')
  expect(await status(await id())).toMatchObject({ status: 'completed' })
})

describe('a caller that waits', () => {
  it('is shown as waiting for its subagent, and goes on when that is done', async () => {
    const go = join(tree.scripts, 'go')
    const task = script(
      `run until test -e ${go}; do sleep 0.05; done`,
      'tool read a.ts',
      'say found',
    )
    const { id } = await agentOf('asker', 'tl', [
      { do: 'tool', name: 'subagent_spawn', input: { task, description: 'Looking' } },
      { do: 'file', path: 'never' },
    ])
    await waitFor(
      'it to wait',
      async () => (await tree.agent('asker')).state_reason === 'subagent looking',
      LIMIT,
    )
    await waitFor(
      'its subagent to work',
      async () => (await tree.agent('looking')).state === 'running',
      LIMIT,
    )
    expect(await tree.agent('looking')).toMatchObject({ kind: 'spawn', parent_id: id })
    writeFileSync(go, '')
    const answered = await tree.logged('asker', 'the answer', ({ kind }) => kind === 'tool')
    expect(JSON.stringify(answered)).toContain('found')
    await waitFor('it to go on', async () => (await tree.agent('asker')).state === 'running', LIMIT)
    expect((await tree.call('check_mail', { peek: true }, { as: id })).messages).toEqual([])
  })

  it('that goes away ends its subagent and all below it; what they changed stays', async () => {
    const outer = spawn('save kept.txt kept', spawns('Inner', 'wait'), 'say outer')
    const inner = await waitFor(
      'the inner one',
      () =>
        outer.events.find((event) => event.kind === 'started' && event.description === 'Inner')?.id,
      LIMIT,
    )
    outer.abort()
    await expect(outer.answer).rejects.toThrow('enough')
    for (const id of [inner, await outer.id()]) {
      await ended(id, 'killed')
      await waitFor('its processes to be gone', () => !runs(id), LIMIT)
    }
    expect((await tree.call('agent_result', { agent_id: await outer.id() })).summary).toContain(
      'its caller went away',
    )
    expect(existsSync(join(tree.repository.path, 'kept.txt'))).toBe(true)
  })

  it('over MCP is notified of every step, and ends its subagent by cancelling its call', async () => {
    const { id } = await agentOf('mcp-lead', 'tl')
    const { mcp: url } = await tree.client().get<{ mcp: string }>('/healthz')
    for (const transport of ['http', 'stdio'] as const) {
      const client = await connectMcp('v2', transport, {
        url,
        socket,
        token: tokenOf(id),
        cwd: tree.repository.path,
      })
      try {
        const reported: string[] = []
        const onprogress = ({ message }: { message?: string }): void =>
          void reported.push(message ?? '')
        const input = {
          task: script('tool read src/a.ts', spawns('Inner', 'say inner'), 'say outer'),
          description: 'Outer',
        }
        const result = await client.call('subagent_spawn', input, { onprogress, timeout: 60_000 })
        expect(result.structuredContent).toMatchObject({ text: 'outer' })
        expect(client.progressed().join('\n')).toMatch(
          /● Outer[^]*⎿ [^\n]*src\/a\.ts[^]* {2}● Inner[^]* {2}✓ Inner/,
        )
        expect(reported.join('\n')).toMatch(/● Outer[^]* {2}● Inner/)

        const controller = new AbortController()
        const waiting = client.call(
          'subagent_spawn',
          { task: script('wait'), description: `Waits ${transport}` },
          { signal: controller.signal, timeout: 60_000 },
        )
        waiting.catch(() => {})
        const name = `waits-${transport}`
        const child = await waitFor('the subagent', () => tree.agent(name), LIMIT)
        await waitFor('its turn', async () => (await tree.agent(name)).state === 'running', LIMIT)
        controller.abort()
        await ended(child.id, 'killed')
      } finally {
        await client.close()
      }
    }
  })
})

it('a daemon that is killed loses the call, and its subagent is ended when the daemon is back', async () => {
  const { client } = await agentOf('blocked', 'tl')
  const lost = call({ task: script('say So far.', 'wait'), description: 'Lost work' }, { client })
  const id = await lost.id()
  await waitFor('its turn', async () => (await tree.agent('lost-work')).state === 'running', LIMIT)
  await waitFor(
    'its caller to wait',
    async () => (await tree.agent('blocked')).state_reason === 'subagent lost-work',
    LIMIT,
  )
  await waitFor(
    'its words',
    () => /^So far\./m.test(readFileSync(join(tree.state, 'outputs', `${id}.log`), 'utf8')),
    LIMIT,
  )
  await tree.crash()
  await expect(lost.answer).rejects.toMatchObject({ code: 'DAEMON_UNAVAILABLE' })
  await ended(id, 'killed')
  expect(await tree.call('agent_result', { agent_id: id })).toMatchObject({
    status: 'killed',
    summary: expect.stringContaining('lost by a restart'),
    output: expect.stringContaining('So far.'),
  })
  await waitFor('its processes to be gone', () => !runs(id), LIMIT)
  await waitFor(
    'its caller to go on',
    async () => (await tree.agent('blocked')).state === 'running',
    LIMIT,
  )
})
