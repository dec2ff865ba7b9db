import { createTextGate } from '../../../src/sanitize/text-gate.ts'
import { once } from 'node:events'
import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { createServer, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Core } from '../../../src/core/core.ts'
import { ExomonadError } from '../../../src/domain/errors.ts'
import type { QuestionId } from '../../../src/domain/ids.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { parseEventStream } from '../../../src/surfaces/event-stream.ts'
import {
  createHttpServer,
  type HttpServer,
  type HttpServerDeps,
} from '../../../src/surfaces/http/server.ts'
import { ALL_TOOLS } from '../../../src/tools/all.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import {
  AGENTS,
  hashOf,
  OWNER_TOKEN,
  scriptedCore,
  scriptedEvents,
  tokenOf,
} from '../../unit/surfaces/scripted-core.ts'

interface Answer {
  status: number
  headers: IncomingMessage['headers']
  body: Record<string, unknown>
  text: string
}

/** The verb behind the tool `question`, which returns only when it is aborted. */
function waitingQuestion(): { signal?: AbortSignal; verb: Core['messages']['question'] } {
  const question: ReturnType<typeof waitingQuestion> = {
    verb: (_caller, _message, _timeout, signal) => {
      question.signal = signal
      return new Promise((resolve) =>
        signal.addEventListener('abort', () =>
          resolve({ status: 'pending', question_id: 'q-1' as QuestionId }),
        ),
      )
    },
  }
  return question
}

async function serve(options: Partial<HttpServerDeps> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'h-'))
  const socketPath = join(folder, 'private', 'daemon.sock')
  const logged: string[] = []
  const events = scriptedEvents()
  const core = options.core ?? scriptedCore()
  const all: HttpServerDeps = {
    core,
    tools: ALL_TOOLS,
    events,
    ownerTokenHash: hashOf(OWNER_TOKEN),
    findAgentByTokenHash: core.directory.byTokenHash,
    log: createLog({ level: 'trace', destination: { write: (line) => void logged.push(line) } }),
    version: '1.2.3',
    repository: '/a/repository',
    clock: Date.now,
    gate: createTextGate(),
    ...options,
  }
  const listenAt = async (path: string): Promise<HttpServer> => {
    const server = await createHttpServer(all)
    onTestFinished(() => server.close())
    await server.listen(path)
    return server
  }
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const server = await listenAt(socketPath)
  const open = (
    method: string,
    path: string,
    request: { token?: string | null; body?: string; headers?: Record<string, string> } = {},
  ) => {
    const token = request.token === undefined ? OWNER_TOKEN : request.token
    const sent = httpRequest({
      socketPath,
      method,
      path,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...request.headers,
      },
    })
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve)
      sent.once('error', reject)
    })
    sent.end(request.body)
    return { sent, answered }
  }
  const ask = async (...request: Parameters<typeof open>): Promise<Answer> => {
    const response = await open(...request).answered
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) text += chunk as string
    let body: Record<string, unknown> = {}
    try {
      body = JSON.parse(text) as Record<string, unknown>
    } catch {
      // Not every answer is JSON; the text is there for those.
    }
    return { status: response.statusCode ?? 0, headers: response.headers, body, text }
  }
  const stream = async (path: string, request: Parameters<typeof open>[2] = {}) => {
    const { sent, answered } = open('GET', path, request)
    const response = await answered
    const messages = parseEventStream(response)
    return {
      response,
      take: async (count: number): Promise<string[]> => {
        const ids: string[] = []
        while (ids.length < count) {
          const next = await messages.next()
          if (next.done === true) break
          ids.push(next.value.id ?? '')
        }
        return ids
      },
      leave: () => sent.destroy(),
    }
  }
  return { server, socketPath, folder, events, logged, ask, open, stream, listenAt }
}

describe('the socket', () => {
  it('is reachable for its owner only', async () => {
    const { socketPath } = await serve()
    expect(statSync(socketPath).mode & 0o777).toBe(0o600)
    expect(statSync(join(socketPath, '..')).mode & 0o777).toBe(0o700)
  })

  it('replaces one that a dead daemon left, but no file of another kind', async () => {
    const { folder, listenAt } = await serve()
    const [abandoned, file] = [join(folder, 'abandoned.sock'), join(folder, 'file.sock')]
    // Renamed, the socket stays when its server closes, as it does after a kill -9.
    const dead = createServer().listen(join(folder, 'first.sock'))
    await once(dead, 'listening')
    renameSync(join(folder, 'first.sock'), abandoned)
    dead.close()
    await listenAt(abandoned)
    expect(statSync(abandoned).mode & 0o777).toBe(0o600)
    writeFileSync(file, 'mine')
    await expect(listenAt(file)).rejects.toMatchObject({ code: 'NOT_AVAILABLE' })
    expect(statSync(file).isFile()).toBe(true)
  })

  it('is gone after close, which ends open streams and waiting calls', async () => {
    const question = waitingQuestion()
    const { server, socketPath, stream, ask } = await serve({
      core: scriptedCore({ messages: { question: question.verb } }),
    })
    const following = (await stream('/v1/events')).take(1).catch(() => [])
    const waiting = ask('POST', '/v1/tools/question', {
      token: tokenOf('dev'),
      body: '{"message":"?"}',
    }).catch(() => 'cut')
    await waitFor('the question to wait', () => question.signal)
    await server.close()
    expect(await waiting).toBe('cut')
    expect(await following).toEqual([])
    await waitFor('the abort', () => question.signal?.aborted)
    expect(statSync(socketPath, { throwIfNoEntry: false })).toBeUndefined()
  })
})

describe('tokens', () => {
  it('are needed for everything but /healthz', async () => {
    const { ask } = await serve({ health: () => ({ agents: 3 }) })
    expect((await ask('GET', '/healthz', { token: null })).body).toMatchObject({
      status: 'ok',
      pid: process.pid,
      version: '1.2.3',
      repository: '/a/repository',
      agents: 3,
    })
    for (const [method, path] of [
      ['GET', '/v1/tools'],
      ['POST', '/v1/tools/note'],
      ['GET', '/v1/tree'],
      ['GET', '/v1/tree/changes'],
      ['GET', '/v1/events'],
      ['POST', '/v1/hooks/stop'],
      ['GET', '/openapi.json'],
      ['GET', '/nothing'],
    ] as const) {
      const answer = await ask(method, path, { token: null })
      expect([path, answer.status, answer.body['code']]).toEqual([path, 401, 'UNAUTHORIZED'])
      expect((await ask(method, path, { token: 'wrong' })).body['code']).toBe('UNAUTHORIZED')
    }
  })

  it('say who calls, and only the owner may act for others', async () => {
    const seen: string[] = []
    const recorded: string[] = []
    const core = scriptedCore({
      acting: {
        record: async ({ id }, tool, by) => void recorded.push(`${id} ${tool} ${by}`),
      },
      messages: {
        note: async (caller) => (
          seen.push(`${caller.kind}:${caller.agent.name}`),
          { status: 'sent' }
        ),
      },
    })
    const { ask } = await serve({ core })
    const note = (token: string, as?: string) =>
      ask('POST', '/v1/tools/note', {
        token,
        body: '{"message":"hello"}',
        ...(as === undefined ? {} : { headers: { 'x-exomonad-as': encodeURIComponent(as) } }),
      })
    expect((await note(tokenOf('dev'))).status).toBe(200)
    expect((await note(OWNER_TOKEN)).status).toBe(200)
    expect((await note(OWNER_TOKEN, 'dev')).status).toBe(200)
    expect(seen).toEqual(['agent:dev', 'human:root', 'agent:dev'])
    expect(recorded).toEqual([`${AGENTS.dev.id} note person`])
    expect((await note(tokenOf('lead'), 'dev')).body).toMatchObject({ code: 'NOT_ALLOWED' })
    expect((await note(OWNER_TOKEN, 'näbody')).body).toMatchObject({
      code: 'AGENT_NOT_FOUND',
      error: expect.stringContaining('näbody') as string,
    })
    expect((await note(OWNER_TOKEN, 'dead')).body).toMatchObject({
      code: 'NOT_ALLOWED',
      error: expect.stringContaining('dead was killed, so that nobody can act as it') as string,
    })
    expect((await note(OWNER_TOKEN, 'root')).status).toBe(200)
    expect(seen.slice(3)).toEqual(['agent:root'])
  })

  it('of a dead agent do nothing more, in words', async () => {
    const { ask } = await serve()
    const answer = await ask('POST', '/v1/tools/note', {
      token: tokenOf('dead'),
      body: '{"message":"boo"}',
    })
    expect(answer).toMatchObject({
      status: 403,
      body: { code: 'NOT_ALLOWED', agent_id: AGENTS.dead.id, state: 'killed' },
    })
    expect(answer.body['error']).toContain('dead was killed')
  })

  it('and bodies never reach the log', async () => {
    const core = scriptedCore({
      messages: { note: async () => Promise.reject(new Error('kaputt')) },
    })
    const { ask, logged } = await serve({ core })
    const answer = await ask('POST', '/v1/tools/note', {
      token: tokenOf('dev'),
      body: '{"message":"the-secret-body"}',
    })
    expect(answer).toMatchObject({ status: 500, body: { code: 'INTERNAL' } })
    expect(answer.text).not.toMatch(/ at .*\.ts/)
    expect(logged.join('')).toContain('kaputt')
    expect(logged.join('')).not.toContain('the-secret-body')
    expect(logged.join('')).not.toContain(tokenOf('dev'))
  })
})

describe('tools', () => {
  it('are listed per role', async () => {
    const { ask } = await serve()
    const names = async (token: string, query = ''): Promise<string[]> =>
      ((await ask('GET', `/v1/tools${query}`, { token })).body['tools'] as { name: string }[]).map(
        (tool) => tool.name,
      )
    expect(await names(tokenOf('dev'))).toEqual([
      'agent_status',
      'check_mail',
      'file_pr',
      'note',
      'pr_review',
      'question',
      'radar',
      'read_message',
      'send',
      'wait',
    ])
    expect(await names(tokenOf('lead'))).toContain('spawn_subtree')
    expect(await names(OWNER_TOKEN, '?all=true')).toEqual(ALL_TOOLS.map((tool) => tool.name))
    expect((await ask('GET', '/v1/tools?all=maybe')).body).toMatchObject({
      code: 'INVALID_ARG',
      field: 'all',
    })
  })

  it('answer errors with the code’s status and facts', async () => {
    const core = scriptedCore({
      pulls: {
        merge: async () =>
          Promise.reject(
            new ExomonadError('CHECKS_FAILED', 'The check test is red.', { checks: ['test'] }),
          ),
      },
    })
    const { ask } = await serve({ core })
    expect(
      await ask('POST', '/v1/tools/merge_pr', { token: tokenOf('lead'), body: '{"pr_number":1}' }),
    ).toMatchObject({
      status: 409,
      body: { code: 'CHECKS_FAILED', error: 'The check test is red.', checks: ['test'] },
    })
    expect(
      await ask('POST', '/v1/tools/merge_pr', { token: tokenOf('dev'), body: '{"pr_number":1}' }),
    ).toMatchObject({
      status: 403,
      body: { code: 'NOT_ALLOWED' },
    })
  })

  it.each([
    ['{"pr_number":"one"}', 'pr_number must be a number, found "one"'],
    ['', 'pr_number is missing'],
    ['{"pr_number":', 'The body is not JSON'],
    ['[1]', 'the input must be an object'],
    ['{"__proto__":{"admin":true},"pr_number":1}', 'The body is not JSON'],
  ])('say what is wrong with the body %j', async (body, words) => {
    const { ask } = await serve()
    const answer = await ask('POST', '/v1/tools/merge_pr', { token: tokenOf('lead'), body })
    expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_ARG' } })
    expect(answer.body['error']).toContain(words)
  })

  it('refuse a body beyond the limit', async () => {
    const { ask } = await serve()
    const answer = await ask('POST', '/v1/tools/note', {
      body: JSON.stringify({ message: 'x'.repeat(11 * 1024 * 1024) }),
    }).catch((error: NodeJS.ErrnoException) => error.code)
    // The server answers and hangs up while the client may still be writing: then the client sees
    // the hang-up first.
    if (typeof answer === 'object')
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 'INVALID_ARG', error: expect.stringContaining('10 MB') as string },
      })
    else expect(['EPIPE', 'ECONNRESET']).toContain(answer)
  })

  it('that do not exist are named with the nearest that does', async () => {
    const { ask } = await serve()
    expect(await ask('POST', '/v1/tools/spawn_worker')).toMatchObject({
      status: 404,
      body: {
        code: 'INVALID_ARG',
        nearest: 'spawn_workers',
        error: 'There is no tool spawn_worker: did you mean spawn_workers?',
      },
    })
    expect(await ask('GET', '/v2/nothing?token=x')).toMatchObject({
      status: 404,
      body: {
        code: 'INVALID_ARG',
        error: expect.stringContaining('There is no GET /v2/nothing.') as string,
      },
    })
  })

  it('learn that their caller went away', async () => {
    const question = waitingQuestion()
    const { open } = await serve({ core: scriptedCore({ messages: { question: question.verb } }) })
    const { sent, answered } = open('POST', '/v1/tools/question', {
      token: tokenOf('dev'),
      body: '{"message":"?"}',
    })
    answered.catch(() => {})
    await waitFor('the call', () => question.signal)
    expect(question.signal?.aborted).toBe(false)
    sent.destroy()
    await waitFor('the abort', () => question.signal?.aborted)
  })

  it('that were answered are not aborted', async () => {
    let signal: AbortSignal | undefined
    const core = scriptedCore({
      messages: {
        question: async (_caller, _message, _timeout, given) => (
          (signal = given),
          { status: 'answered', question_id: 'q-1' as never, answer: 'yes' }
        ),
      },
    })
    const { ask } = await serve({ core })
    expect(
      (await ask('POST', '/v1/tools/question', { token: tokenOf('dev'), body: '{"message":"?"}' }))
        .body,
    ).toMatchObject({ answer: 'yes' })
    expect(signal?.aborted).toBe(false)
  })
})

describe('the event stream', () => {
  it('resumes after Last-Event-ID without gap or repeat, at any cut point, while events keep coming', async () => {
    const { events, stream } = await serve()
    for (let count = 0; count < 5; count += 1) events.append()
    let writing = true
    const writer = (async () => {
      for (let count = 0; count < 45; count += 1) {
        events.append()
        await new Promise((resolve) => setImmediate(resolve))
      }
      writing = false
    })()
    const seen: string[] = []
    for (let cut = 1; seen.length < 50; cut += 1) {
      const last = seen.at(-1)
      const following = await stream(
        '/v1/events?after=0',
        last === undefined ? {} : { headers: { 'last-event-id': last } },
      )
      seen.push(...(await following.take(Math.min(cut, 50 - seen.length))))
      following.leave()
    }
    await writer
    expect(writing).toBe(false)
    expect(seen).toEqual(Array.from({ length: 50 }, (_, index) => String(index + 1)))
    await waitFor('the streams to end', () => events.listeners.size === 0)
  })

  it('sends comments where nothing happens', async () => {
    const { open } = await serve({ heartbeat: 5 })
    const { sent, answered } = open('GET', '/v1/events')
    const response = await answered
    expect(response.headers['content-type']).toContain('text/event-stream')
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) {
      text += chunk as string
      if (text.split(': still here\n\n').length > 3) break
    }
    sent.destroy()
    expect(text).toMatch(/^: connected\n\n(: still here\n\n)+$/)
  })

  it('sends them as often as is asked for, also where others have much to hear', async () => {
    const { open, events } = await serve({ heartbeat: 600_000 })
    const { sent, answered } = open('GET', '/v1/events?heartbeat=1&under=lead')
    const response = await answered
    const busy = setInterval(() => events.append({ agentId: AGENTS.other.id }), 20)
    onTestFinished(() => clearInterval(busy))
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) {
      text += chunk as string
      if (text.includes(': still here\n\n')) events.append({ agentId: AGENTS.dev.id })
      if (text.includes('event: note')) break
    }
    sent.destroy()
    expect(text).toMatch(/^: connected\n\n(: still here\n\n)+id: /)
  })

  it('shows an agent what is about itself and those below it, the owner all', async () => {
    const { events, ask } = await serve()
    for (const agentId of [
      null,
      AGENTS.root.id,
      AGENTS.lead.id,
      AGENTS.dev.id,
      AGENTS.other.id,
      '01900009-0000-7000-8000-000000000009' as never,
    ])
      events.append({ agentId })
    const seqs = async (token: string, query = ''): Promise<unknown> =>
      (
        JSON.parse((await ask('GET', `/v1/events?follow=false${query}`, { token })).text) as {
          seq: number
        }[]
      ).map((event) => event.seq)
    expect(await seqs(OWNER_TOKEN)).toEqual([1, 2, 3, 4, 5, 6])
    expect(await seqs(tokenOf('root'))).toEqual([2, 3, 4, 5])
    expect(await seqs(tokenOf('lead'))).toEqual([3, 4])
    expect(await seqs(tokenOf('dev'))).toEqual([4])
    expect(await seqs(tokenOf('lead'), '&agent=dev')).toEqual([4])
    expect(await seqs(OWNER_TOKEN, '&agent=dev,root')).toEqual([2, 4])
    expect(await seqs(OWNER_TOKEN, '&under=lead')).toEqual([3, 4])
    expect(await seqs(OWNER_TOKEN, '&under=lead&last=1')).toEqual([4])
    expect(
      (await ask('GET', '/v1/events?under=other', { token: tokenOf('lead') })).body,
    ).toMatchObject({ code: 'NOT_A_CHILD' })
    expect(
      (await ask('GET', '/v1/events?agent=other', { token: tokenOf('lead') })).body,
    ).toMatchObject({ code: 'NOT_A_CHILD' })
  })

  it('filters, and refuses what it does not understand', async () => {
    const { events, ask } = await serve()
    events.append({ type: 'note', at: 10 })
    events.append({ type: 'mail', at: 20, dedupeKey: 'internal' })
    events.append({ type: 'mail', at: 30 })
    const list = async (query: string): Promise<unknown[]> =>
      JSON.parse((await ask('GET', `/v1/events?follow=false&${query}`)).text) as unknown[]
    expect(await list('types=mail&since=25')).toEqual([
      { seq: 3, type: 'mail', at: 30, agentId: null, actor: 'daemon', why: null, payload: {} },
    ])
    expect(await list('after=1&types=note,mail')).toHaveLength(2)
    expect(await list('last=1')).toMatchObject([{ seq: 3 }])
    expect(await list('last=1&before=3')).toMatchObject([{ seq: 2 }])
    expect(await list('since=20&until=30')).toMatchObject([{ seq: 2 }])
    expect(await list('limit=2')).toMatchObject([{ seq: 1 }, { seq: 2 }])
    for (const [query, field] of [
      ['before=3', 'before'],
      ['until=3', 'until'],
      ['limit=3', 'limit'],
      ['follow=false&limit=3&last=3', 'limit'],
      ['under=lead&agent=dev', 'under'],
      ['heartbeat=0', 'heartbeat'],
      ['heartbeat=61', 'heartbeat'],
    ])
      expect((await ask('GET', `/v1/events?${query}`)).body).toMatchObject({
        code: 'INVALID_ARG',
        field,
      })
    expect((await ask('GET', '/v1/events?after=soon')).body).toMatchObject({
      code: 'INVALID_ARG',
      field: 'after',
      found: '"soon"',
    })
    expect((await ask('GET', '/v1/events?afterr=1')).body).toMatchObject({
      code: 'INVALID_ARG',
      error: expect.stringContaining('did you mean after?') as string,
    })
    expect(
      (await ask('GET', '/v1/events', { headers: { 'last-event-id': 'x' } })).body,
    ).toMatchObject({ code: 'INVALID_ARG', field: 'Last-Event-ID' })
    expect((await ask('GET', '/v1/events?types=mail,nots')).body).toMatchObject({
      code: 'INVALID_ARG',
      field: 'types',
      found: 'nots',
      error: expect.stringContaining('did you mean note?') as string,
    })
    expect(
      (await ask('GET', '/v1/events?follow=false', { headers: { 'last-event-id': '3' } })).text,
    ).toBe('[]')
    expect(
      (await ask('GET', '/v1/events', { headers: { 'last-event-id': '4' } })).body,
    ).toMatchObject({ code: 'INVALID_ARG', found: 4, last: 3 })
    expect((await ask('GET', '/v1/events?after=4')).body).toMatchObject({
      code: 'INVALID_ARG',
      field: 'after',
      found: 4,
      last: 3,
    })
    expect((await ask('GET', '/v1/events?after=4&follow=false')).status).toBe(400)
    // What was pruned is past all the same.
    events.prune()
    expect(
      (await ask('GET', '/v1/events?follow=false', { headers: { 'last-event-id': '3' } })).text,
    ).toBe('[]')
    expect(
      (await ask('GET', '/v1/events?follow=false', { headers: { 'last-event-id': '4' } })).body,
    ).toMatchObject({ code: 'INVALID_ARG', last: 3 })
  })

  it('does not pile up what a stalled client does not read', async () => {
    const { events, open } = await serve()
    const { sent, answered } = open('GET', '/v1/events')
    const response = await answered
    response.pause()
    const big = 'x'.repeat(100_000)
    for (let count = 0; count < 200; count += 1) events.append({ payload: { big } })
    const before = process.memoryUsage().arrayBuffers
    for (let turns = 0; turns < 50; turns += 1)
      await new Promise((resolve) => setImmediate(resolve))
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000)
    const ids: string[] = []
    for await (const message of parseEventStream(response)) {
      ids.push(message.id ?? '')
      if (ids.length === 200) break
    }
    sent.destroy()
    expect(ids).toEqual(Array.from({ length: 200 }, (_, index) => String(index + 1)))
  })
})

describe('hooks', () => {
  it('report to core what agent CLIs say, by either name, and ignore the rest', async () => {
    const said: unknown[] = []
    const report =
      (event: string) => async (caller: { agent: { name: string } }, facts?: unknown) =>
        void said.push([event, caller.agent.name, facts])
    const core = scriptedCore({
      hooks: {
        sessionStart: report('start'),
        promptSubmit: report('prompt'),
        toolUse: report('tool'),
        waiting: report('waiting'),
        sessionEnd: report('end'),
        stop: async () => ({ decision: 'block', objection: 'dirty', reason: 'commit first' }),
      },
    })
    const { ask } = await serve({ core })
    const hook = async (event: string, body: string) =>
      (await ask('POST', `/v1/hooks/${event}`, { token: tokenOf('dev'), body })).body
    expect(
      await hook('session-start', '{"session_id":"s","transcript_path":"/t","cwd":"/x"}'),
    ).toEqual({})
    await hook('prompt', '{"prompt":"hi [m-1]"}')
    await hook('tool', '{"tool_name":"Edit","tool_input":{"a":1}}')
    await hook('tool', '{"tool":["odd"]}')
    await hook('tool', '')
    await hook('waiting', '{"message":"may I?"}')
    await hook('session-end', '{"reason":"exit"}')
    expect(said).toEqual([
      ['start', 'dev', { session_id: 's', transcript: '/t' }],
      ['prompt', 'dev', { prompt: 'hi [m-1]' }],
      ['tool', 'dev', { tool: 'Edit' }],
      ['tool', 'dev', { tool: undefined }],
      ['tool', 'dev', { tool: undefined }],
      ['waiting', 'dev', 'may I?'],
      ['end', 'dev', 'exit'],
    ])
    expect(await hook('stop', '{}')).toEqual({
      decision: 'block',
      objection: 'dirty',
      reason: 'commit first',
    })
  })
})

describe('OpenAPI', () => {
  it('is 3.1, has every route and tool, and resolves every reference', async () => {
    const { ask } = await serve()
    const { status, body, text } = await ask('GET', '/openapi.json')
    expect(status).toBe(200)
    expect(body['openapi']).toBe('3.1.0')
    const paths = body['paths'] as Record<
      string,
      Record<string, { requestBody?: unknown; responses: Record<string, unknown> }>
    >
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining([
        '/healthz',
        '/v1/tools',
        '/v1/tree',
        '/v1/tree/changes',
        '/v1/events',
        '/v1/hooks/stop',
        ...ALL_TOOLS.map((tool) => `/v1/tools/${tool.name}`),
      ]),
    )
    expect(paths).not.toHaveProperty('/v1/tools/{name}')
    expect(paths['/v1/tools/spawn_workers']?.['post']).toMatchObject({
      requestBody: {
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/SpawnWorkersInput' } },
        },
      },
    })
    const schemas = (body['components'] as { schemas: Record<string, unknown> }).schemas
    expect(schemas['NoteInput']).toMatchObject({
      type: 'object',
      required: ['message'],
      additionalProperties: false,
    })
    expect(schemas['NoteResult']).toMatchObject({ properties: { status: { const: 'sent' } } })
    const used = new Set(
      [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name),
    )
    expect([...used].toSorted()).toEqual(Object.keys(schemas).toSorted())
  })
})

describe('broken HTTP', () => {
  it('is answered in the same form', async () => {
    const { socketPath } = await serve()
    const answer = await new Promise<string>((resolve, reject) => {
      let text = ''
      const socket = connect(socketPath, () => socket.write('this is not http\r\n\r\n'))
      socket.on('data', (chunk) => (text += String(chunk)))
      socket.on('close', () => resolve(text))
      socket.on('error', reject)
    })
    expect(answer).toContain('400')
    expect(answer).toContain('"code":"INVALID_ARG"')
  })
})
