import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../../src/surfaces/client.ts'
import { ALL_TOOLS } from '../../../src/tools/all.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import {
  CLIENTS,
  connectMcp,
  TRANSPORTS,
  type ClientKind,
  type McpTestClient,
  type ToolResult,
  type TransportKind,
} from '../../helpers/mcp-clients.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/** The tools over MCP, with the real daemon and the official clients. */

let tree: Exomonad
let socket: string
const agents: Record<string, { id: string; token: string }> = {}

const health = async (): Promise<Record<string, any>> => tree.client().get('/healthz')
const mcpUrl = async (): Promise<string> => (await health())['mcp']
const tokenOf = (id: string): string => readFileSync(join(tree.state, 'auth', id), 'utf8').trim()

beforeAll(async () => {
  tree = await startExomonad()
  socket = JSON.parse(readFileSync(join(tree.state, 'repository.json'), 'utf8')).socket
  const { agent_id: id } = await tree.call('spawn_subtree', { task: 'Wait', branch_name: 'lead' })
  agents['lead'] = { id, token: tokenOf(id) }
  for (const name of ['dev', 'asker', 'doomed']) {
    const { spawned } = await tree.call('spawn_workers', { specs: [{ name, prompt: 'Wait' }] })
    agents[name] = { id: spawned[0].agent_id, token: tokenOf(spawned[0].agent_id) }
  }
  for (const name of Object.keys(agents))
    await tree.logged(name, 'its start', (entry) => entry['kind'] === 'ready')
})
afterAll(() => tree?.stop())

async function open(
  agent: string,
  kind: ClientKind,
  transport: TransportKind,
  more: { headers?: Record<string, string> } = {},
): Promise<McpTestClient> {
  const client = await connectMcp(kind, transport, {
    url: await mcpUrl(),
    socket,
    token: agents[agent]?.token ?? '',
    cwd: tree.repository.path,
    ...more,
  })
  onTestFinished(() => client.close())
  return client
}

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  )
const errorOf = (result: ToolResult): Record<string, any> =>
  JSON.parse(result.content[0]?.text ?? 'null')
const questions = async (): Promise<any[]> =>
  (await tree.events()).filter(
    (event) => event.type === 'question.asked' && event.payload.name === 'asker',
  )
/**
 * Ends the turns that earlier messages began: only then is what the daemon says of the agent the
 * work of the next question.
 */
const settled = () =>
  waitFor(
    'asker to be idle',
    async () =>
      tree.log('asker').at(-1)?.['answer']?.decision === 'allow' &&
      (await tree.agent('asker')).state === 'idle',
  )
const isWaiting = () =>
  waitFor('asker to wait', async () => (await tree.agent('asker')).state === 'waiting')
const isIdle = () =>
  waitFor('asker to be idle', async () => (await tree.agent('asker')).state === 'idle')
const asker = async (kind: ClientKind, transport: TransportKind): Promise<McpTestClient> => {
  await settled()
  return open('asker', kind, transport)
}
const combinations = CLIENTS.flatMap((kind) => TRANSPORTS.map((transport) => ({ kind, transport })))

describe.each(combinations)('$kind over $transport', ({ kind, transport }) => {
  it(
    verifies('R004-07', 'lists for a dev what a dev may use, and refuses the rest by call'),
    async () => {
      const client = await open('dev', kind, transport)
      const names = (await client.list()).map(({ name }) => name)
      expect(names).toEqual(
        ALL_TOOLS.filter((tool) => tool.listed && tool.audience.includes('dev')).map(
          (tool) => tool.name,
        ),
      )
      expect(names).toContain('question')
      for (const name of [
        'spawn_subtree',
        'spawn_workers',
        'merge_pr',
        'answer_question',
        'spawn_agents',
        'approve',
      ]) {
        expect(names).not.toContain(name)
        const result = await client.call(name, {})
        expect(result.isError, name).toBe(true)
        expect(errorOf(result)).toMatchObject({ code: 'NOT_ALLOWED', tool: name })
      }
      if (kind === 'v2-modern') expect(client.protocol()).toBe('2026-07-28')
    },
  )

  it(
    verifies(
      'R004-20',
      'lists for a tl everything of its role, sorted, with words to choose by and schemas of objects',
    ),
    async () => {
      const listed = await (await open('lead', kind, transport)).list()
      const names = listed.map(({ name }) => name)
      expect(names).toEqual(
        ALL_TOOLS.filter((tool) => tool.listed && tool.audience.includes('tl'))
          .map((tool) => tool.name)
          .toSorted(),
      )
      expect(names).toContain('spawn_subtree')
      for (const tool of listed) {
        expect(tool.description.length, tool.name).toBeGreaterThan(40)
        expect(tool.inputSchema.type, tool.name).toBe('object')
        expect(tool.outputSchema.type, tool.name).toBe('object')
      }
    },
  )

  it('answers with structured content and the same as text, and errors with their code', async () => {
    const client = await open('dev', kind, transport)
    // Afterwards the clients check results against the output schemas.
    await client.list()
    const text = `hello from ${kind} ${transport} äöü 日本`
    expect(await client.call('note', { message: text })).toMatchObject({
      structuredContent: { status: 'sent' },
      content: [{ type: 'text', text: '{"status":"sent"}' }],
    })
    expect(
      (await tree.events()).filter(
        (event) => event.type === 'note' && event.payload.message === text,
      ),
    ).toHaveLength(1)
    const wrong = await client.call('note', { massage: 'x' })
    expect(wrong.isError).toBe(true)
    expect(errorOf(wrong)).toMatchObject({
      code: 'INVALID_ARG',
      error: expect.stringContaining('note'),
    })
    expect(errorOf(await client.call('send', { to: 'nobody', message: 'x' }))).toMatchObject({
      code: 'AGENT_NOT_FOUND',
    })
    await expect(client.call('notee', {})).rejects.toThrow(/did you mean note\?/)
  })

  it('waits for an answer, reports that it does, and gives the answer as the result', async () => {
    const client = await asker(kind, transport)
    const seen: { progress: number; message?: string }[] = []
    const asked = client.call(
      'question',
      { message: `which one, ${kind} ${transport}?` },
      { onprogress: (progress) => seen.push(progress) },
    )
    await isWaiting()
    await waitFor('progress to go on', () => seen.length >= 2, { limit: 60_000 })
    expect(
      await tree.call('answer_question', { agent: 'asker', message: 'the left one' }),
    ).toMatchObject({ status: 'delivered' })
    expect((await asked).structuredContent).toMatchObject({
      status: 'answered',
      answer: 'the left one',
    })
    // A sign of life may come before it.
    expect(seen.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('Waiting for the answer'),
    )
    const values = seen.map(({ progress }) => progress)
    expect(values).toEqual([...new Set(values)].toSorted((one, other) => one - other))
  })

  it('loses nothing where the client cancels: the late answer comes as a message, once', async () => {
    const client = await asker(kind, transport)
    const answer = `late for ${kind} ${transport}`
    const abort = new AbortController()
    const asked = client.call('question', { message: 'still there?' }, { signal: abort.signal })
    const failed = failureOf(asked)
    await isWaiting()
    abort.abort()
    expect(await failed).toBeInstanceOf(Error)
    await isIdle()
    expect(await tree.call('answer_question', { agent: 'asker', message: answer })).toMatchObject({
      status: 'queued',
    })
    await tree.logged(
      'asker',
      'the late answer',
      (entry) => entry['kind'] === 'message' && entry['text'].includes(answer),
    )
    expect(
      tree
        .log('asker')
        .filter((entry) => entry['kind'] === 'message' && entry['text'].includes(answer)),
    ).toHaveLength(1)
    // The connection is as good as before.
    expect((await client.call('note', { message: 'still here' })).structuredContent).toEqual({
      status: 'sent',
    })
  })
})

describe('a client that gives up', () => {
  it.each(combinations)(
    'by its own timeout has the answer as a message ($kind over $transport)',
    async ({ kind, transport }) => {
      const client = await asker(kind, transport)
      const answer = `after the timeout of ${kind} ${transport}`
      const before = (await questions()).length
      await expect(
        client.call('question', { message: 'quick?' }, { timeout: 500 }),
      ).rejects.toThrow(/timed out/i)
      // Who gave up may have done so before the daemon knew of it.
      const { seq } = await waitFor('the question', async () => (await questions())[before])
      // It idles before it is held by its call, too.
      await waitFor('the end of its call', async () =>
        (await tree.events()).some(
          (event) =>
            event.type === 'agent.state' &&
            event.agentId === agents['asker']?.id &&
            event.seq > seq &&
            event.payload.from === 'waiting',
        ),
      )
      expect(await tree.call('answer_question', { agent: 'asker', message: answer })).toMatchObject(
        { status: 'queued' },
      )
      await tree.logged(
        'asker',
        'the answer',
        (entry) => entry['kind'] === 'message' && entry['text'].includes(answer),
      )
    },
  )

  it.each(combinations)(
    'by going away has it too ($kind over $transport)',
    async ({ kind, transport }) => {
      const client = await asker(kind, transport)
      const answer = `after ${kind} ${transport} went`
      const asked = client.call('question', { message: 'bye?' })
      const failed = failureOf(asked)
      await isWaiting()
      await client.close()
      expect(await failed).toBeInstanceOf(Error)
      await isIdle()
      expect(await tree.call('answer_question', { agent: 'asker', message: answer })).toMatchObject(
        { status: 'queued' },
      )
      await tree.logged(
        'asker',
        'the answer',
        (entry) => entry['kind'] === 'message' && entry['text'].includes(answer),
      )
    },
  )

  it('ends only its own call, though another client of the agent uses the same request ids', async () => {
    const before = (await questions()).length
    const [one, other] = [await asker('v1', 'http'), await asker('v1', 'http')]
    const abort = new AbortController()
    const cancelled = failureOf(
      one.call('question', { message: 'first' }, { signal: abort.signal }),
    )
    await waitFor('the first question', async () => (await questions()).length === before + 1)
    const kept = other.call('question', { message: 'second' })
    await waitFor('the second question', async () => (await questions()).length === before + 2)
    abort.abort()
    expect(await cancelled).toBeInstanceOf(Error)
    const [first, second] = (await questions()).slice(-2)
    const answer = (event: any, message: string) =>
      tree.call('answer_question', {
        agent: 'asker',
        message,
        question_id: event.payload.question_id,
      })
    expect(await answer(second, 'two')).toMatchObject({ status: 'delivered' })
    expect((await kept).structuredContent).toMatchObject({ status: 'answered', answer: 'two' })
    // That nobody waits for the first any more reaches the daemon by a request of its own.
    await isIdle()
    expect(await answer(first, 'one')).toMatchObject({ status: 'queued' })
  })

  it('is not what a question’s own timeout is: that answers “pending”', async () => {
    const client = await asker('v2-modern', 'http')
    expect(
      (await client.call('question', { message: 'now?', timeout: 0.2 })).structuredContent,
    ).toMatchObject({ status: 'pending' })
    await tree.call('answer_question', { agent: 'asker', message: 'no' })
  })
})

describe('many at once', () => {
  it.each(combinations)(
    'each call has its own answer ($kind over $transport)',
    async ({ kind, transport }) => {
      const clients = await Promise.all([1, 2, 3].map(() => open('dev', kind, transport)))
      const waits = Promise.all(
        clients.map((client) => client.call('question', { message: 'm', timeout: 1 })),
      )
      const texts = clients.flatMap((client, index) =>
        Array.from({ length: 10 }, (_, n) => ({
          client,
          text: `${kind}-${transport}-${index}-${n}`,
        })),
      )
      const results = await Promise.all(
        texts.map(({ client, text }) => client.call('send', { to: 'lead', message: text })),
      )
      expect(results.map(({ structuredContent }) => structuredContent?.['status'])).toEqual(
        texts.map(() => 'sent'),
      )
      expect((await waits).map(({ structuredContent }) => structuredContent?.['status'])).toEqual([
        'pending',
        'pending',
        'pending',
      ])
      const { messages } = await tree.call('check_mail', {}, { as: 'lead' })
      expect(messages.map(({ message }: { message: string }) => message).toSorted()).toEqual(
        texts.map(({ text }) => text).toSorted(),
      )
    },
  )
})

describe('names of former versions', () => {
  it.each(TRANSPORTS)(
    verifies('R004-19', 'are not listed, still work and say what to use instead (%s)'),
    async (transport) => {
      const client = await open('lead', 'v2', transport)
      expect(
        (await client.list())
          .map(({ name }) => name)
          .filter((name) => name === 'spawn_agents' || name === 'spawn_gemini_teammate'),
      ).toEqual([])
      const result = await client.call('spawn_agents', {
        specs: [{ name: `old-${transport}`, prompt: 'Wait' }],
      })
      expect(result.structuredContent).toMatchObject({
        spawned: [{ name: `old-${transport}` }],
        warnings: [expect.stringContaining('spawn_workers')],
      })
      await client.call('kill', { agent: `old-${transport}` })
    },
  )
})

describe('who may connect', () => {
  const post = (
    headers: Record<string, string>,
    path?: string,
    method = 'POST',
  ): Promise<{ status: number; headers: any; body: any }> =>
    mcpUrl().then(
      (url) =>
        new Promise((resolve, reject) => {
          const { port, pathname } = new URL(url)
          const outgoing = request({
            host: '127.0.0.1',
            port,
            path: path ?? pathname,
            method,
            headers: { 'content-type': 'application/json', ...headers },
          })
          outgoing.on('error', reject).on('response', (answer) => {
            let text = ''
            answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
            answer.on('end', () => {
              const body = text.startsWith('{') ? JSON.parse(text) : text
              resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body })
            })
          })
          outgoing.end(
            method === 'POST'
              ? JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
              : undefined,
          )
        }),
    )
  const bearer = (name: string) => ({
    authorization: `Bearer ${agents[name]?.token ?? ''}`,
    accept: 'application/json, text/event-stream',
  })

  it('nobody without a token, whatever they ask for', async () => {
    for (const [path, method] of [
      [undefined, 'POST'],
      [undefined, 'GET'],
      ['/', 'GET'],
      ['/healthz', 'GET'],
      ['/v1/tools/tree', 'POST'],
      ['/.well-known/oauth-protected-resource', 'GET'],
    ] as const) {
      for (const headers of [
        {},
        { authorization: 'Bearer' },
        { authorization: `Bearer ${'f'.repeat(64)}` },
        { authorization: 'Basic eDp5' },
      ]) {
        const answer = await post(headers as Record<string, string>, path, method)
        expect(answer.status, `${method} ${path} ${JSON.stringify(headers)}`).toBe(401)
        expect(answer.headers['www-authenticate']).toMatch(/^Bearer/)
        expect(answer.body.error.data).toMatchObject({ code: 'UNAUTHORIZED' })
      }
    }
    for (const kind of CLIENTS)
      await expect(
        connectMcp(kind, 'http', { url: await mcpUrl(), socket, token: 'wrong' }),
        kind,
      ).rejects.toBeInstanceOf(Error)
  })

  it('no page of another name or origin, even with a token', async () => {
    expect((await post(bearer('dev'))).status).toBe(200)
    expect(
      (await post({ ...bearer('dev'), host: 'localhost:1', origin: 'http://localhost:3000' }))
        .status,
    ).toBe(200)
    for (const headers of [
      { host: 'evil.example' },
      { host: 'evil.example:80' },
      { host: '127.0.0.1.evil.example' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]) {
      expect(
        (await post({ ...bearer('dev'), ...(headers as Record<string, string>) })).status,
        JSON.stringify(headers),
      ).toBe(403)
    }
  })

  it('the rest of the daemon is not there, and neither is the owner', async () => {
    expect((await post(bearer('dev'), '/v1/tools/tree')).status).toBe(400)
    const owner = await tree.client().get<{ tools: unknown[] }>('/v1/tools')
    expect(owner.tools.length).toBeGreaterThan(0)
    const { readdirSync } = await import('node:fs')
    const folder = join(tree.repository.env['XDG_STATE_HOME'] ?? '', 'exomonad')
    const file = readdirSync(folder).find((name) => name.endsWith('.token')) ?? ''
    const token = readFileSync(join(folder, file), 'utf8').trim()
    const refused = await post({ ...bearer('dev'), authorization: `Bearer ${token}` })
    expect(refused.status).toBe(403)
    expect(refused.body.error.data).toMatchObject({ code: 'NOT_ALLOWED' })
  })

  it('is answered as HTTP asks where the request is not one', async () => {
    expect((await post(bearer('dev'), undefined, 'GET')).status).toBe(405)
    const url = await mcpUrl()
    const broken = await fetch(url, {
      method: 'POST',
      headers: { ...bearer('dev'), 'content-type': 'application/json' },
      body: '{',
    })
    expect(broken.status).toBe(400)
  })

  it('an agent no longer once it has ended, on connections from before as well', async () => {
    const clients = await Promise.all(
      TRANSPORTS.map((transport) => open('doomed', 'v2', transport)),
    )
    for (const client of clients) expect((await client.list()).length).toBeGreaterThan(0)
    await tree.call('kill', { agent: 'doomed' })
    const [http, stdio] = clients
    await expect(http?.call('note', { message: 'from the grave' })).rejects.toBeInstanceOf(Error)
    const result = await stdio?.call('note', { message: 'from the grave' })
    expect(result?.isError).toBe(true)
    expect(errorOf(result as ToolResult)).toMatchObject({ code: 'NOT_ALLOWED' })
    await expect(stdio?.list()).rejects.toThrow(/was killed/)
    for (const transport of TRANSPORTS)
      await expect(open('doomed', 'v1', transport), transport).rejects.toBeInstanceOf(Error)
    expect(
      (await tree.events()).filter(
        (event) => event.type === 'note' && event.payload.message === 'from the grave',
      ),
    ).toEqual([])
  })
})

describe('exomonad mcp', () => {
  it('is the owner’s way to the root’s part, never to that of the human', async () => {
    const client = await connectMcp('v2', 'stdio', {
      url: '',
      socket: '',
      token: '',
      cwd: tree.repository.path,
      env: { ...tree.repository.env, EXOMONAD_SOCKET: '', EXOMONAD_TOKEN: '' },
    })
    onTestFinished(() => client.close())
    const names = (await client.list()).map(({ name }) => name)
    expect(names).toEqual(
      ALL_TOOLS.filter((tool) => tool.listed && tool.audience.includes('tl')).map(
        (tool) => tool.name,
      ),
    )
    expect(errorOf(await client.call('approve', {}))).toMatchObject({ code: 'NOT_ALLOWED' })
    expect((await client.call('note', { message: 'from the root' })).structuredContent).toEqual({
      status: 'sent',
    })
  })

  it('ends with words on stderr and nothing on stdout where the token is wrong or the daemon away', async () => {
    const wrong = await tree.run(['mcp'], {
      env: { EXOMONAD_AGENT_ID: 'x', EXOMONAD_TOKEN: 'wrong', EXOMONAD_SOCKET: socket },
    })
    expect(wrong).toMatchObject({ code: 1, stdout: '' })
    expect(wrong.stderr).toContain('UNAUTHORIZED')
    const none = await tree.run(['mcp'], {
      env: { EXOMONAD_AGENT_ID: 'x' },
      cwd: tree.repository.folder,
    })
    expect(none).toMatchObject({ code: 1, stdout: '' })
    expect(none.stderr).toContain('NOT_ALLOWED')
  })

  it('ends when its input does', async () => {
    const ended = await tree.run(['mcp'], {
      env: { EXOMONAD_TOKEN: agents['dev']?.token ?? '', EXOMONAD_SOCKET: socket },
    })
    expect(ended).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  it('says to agents where to find it', async () => {
    tree.script('teller', { steps: [{ do: 'sh', command: 'printf %s "$EXOMONAD_MCP_URL"' }] })
    await tree.call('spawn_workers', { specs: [{ name: 'teller', prompt: 'Tell' }] })
    const { stdout } = await tree.logged(
      'teller',
      'the variable',
      (entry) => entry['kind'] === 'sh',
    )
    expect(stdout).toBe(await mcpUrl())
  })
})

describe('a restart of the daemon', () => {
  it('is not the end of a client: same port, same connection, and what was under way is named', async () => {
    const url = await mcpUrl()
    const clients = await Promise.all(
      combinations.map(({ kind, transport }) => open('dev', kind, transport)),
    )
    const stdio = await asker('v2', 'stdio')
    const asked = stdio.call('question', { message: 'before the crash' })
    const lost = failureOf(asked)
    await isWaiting()
    await tree.crash()
    expect(String(await lost)).toContain('went away before it answered')
    await tree.command(['daemon', 'start'])
    expect(await mcpUrl()).toBe(url)
    for (const [index, client] of clients.entries()) {
      const { kind, transport } = combinations[index] ?? { kind: '', transport: '' }
      expect(
        (await client.call('note', { message: 'after' })).structuredContent,
        `${kind} ${transport}`,
      ).toEqual({ status: 'sent' })
      expect((await client.list()).length, `${kind} ${transport}`).toBeGreaterThan(0)
    }
    await tree.call('answer_question', { agent: 'asker', message: 'answered after the crash' })
    // The agent, whose call failed, wants to end its turn, and is handed what came meanwhile.
    const held = await createClient({ socket, token: agents['asker']?.token ?? '' }).hook(
      'stop',
      {},
    )
    expect(held).toMatchObject({
      decision: 'block',
      reason: expect.stringContaining('answered after the crash'),
    })
    expect((await stdio.call('note', { message: 'well' })).structuredContent).toEqual({
      status: 'sent',
    })
  })
})
