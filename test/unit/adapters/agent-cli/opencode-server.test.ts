import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { LiveAgent } from '../../../../src/adapters/agent-cli/agent-cli.ts'
import { createOpenCodeCli } from '../../../../src/adapters/agent-cli/opencode/adapter.ts'
import { serverOf } from '../../../../src/adapters/agent-cli/opencode/api.ts'
import { settleOpenCode } from '../../../../src/adapters/agent-cli/opencode/settle.ts'
import { exec } from '../../../../src/processes/exec.ts'
import { opencode } from '../../../../src/adapters/agent-cli/opencode/opencode.ts'
import { agentSchema } from '../../../../src/config/sections/agent-schema.ts'
import { newAgentId } from '../../../../src/domain/ids.ts'
import { launchRequest } from '../../../conformance/agent-cli/suite.ts'

const options = {
  name: 'opencode',
  config: agentSchema.parse(opencode.preset),
  path: '/bin',
  node: '/opt/node',
  home: '/home',
  userHome: '/home',
  variables: {},
  exec,
}
const cli = createOpenCodeCli(options)

interface Said {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly body: any
}
/** What OpenCode 1.18.33 answered, by `METHOD path`. Status 0: nothing, for ever. */
type Answers = Readonly<
  Record<
    string,
    object | boolean | ((said: Said) => { status?: number; body?: unknown; next?: string })
  >
>

async function serve(answers: Answers): Promise<{ live: LiveAgent; said: Said[] }> {
  const said: Said[] = []
  const server = createServer((request, response) => {
    readBody(request)
      .then((body) => {
        const url = new URL(request.url ?? '/', 'http://localhost')
        const entry = {
          method: request.method ?? '',
          path: url.pathname,
          query: Object.fromEntries(url.searchParams),
          body,
        }
        said.push(entry)
        if (
          request.headers.authorization !==
          `Basic ${Buffer.from('opencode:secret').toString('base64')}`
        )
          return response.writeHead(401).end()
        const answer = answers[`${entry.method} ${entry.path}`]
        if (answer === undefined) return response.writeHead(404).end('{"name":"NotFoundError"}')
        const {
          status = 200,
          body: document,
          next,
        } = typeof answer === 'function' ? answer(entry) : { body: answer }
        if (status === 0) return undefined
        response.writeHead(status, {
          'content-type': 'application/json',
          ...(next === undefined ? {} : { 'x-next-cursor': next }),
        })
        return response.end(document === undefined ? '' : JSON.stringify(document))
      })
      .catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return { live: liveAt(`http://127.0.0.1:${port}`), said }
}

const liveAt = (url: string | null, sessionId: string | null = 'ses_own'): LiveAgent => ({
  agentId: newAgentId(),
  pid: process.pid,
  worktree: '/wt',
  session: sessionId === null ? null : { id: sessionId, transcript: null },
  folder: '/state/agents/a',
  channel: url === null ? null : { url, password: 'secret' },
  title: null,
})

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  return text === '' ? undefined : JSON.parse(text)
}

/** A port that nobody listens on. */
async function deadUrl(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

const info = { id: 'ses_own', directory: '/wt', agent: 'plan', time: { created: 1000 } }
const quiet = { 'GET /session/status': {}, 'GET /permission': [], 'GET /question': [] }
const permission = {
  id: 'per_1',
  sessionID: 'ses_own',
  permission: 'bash',
  patterns: ['rm -rf build'],
  metadata: {},
  always: [],
}

describe('looking at OpenCode by its server', () => {
  it('reports idle, running, waiting', async () => {
    const seen = async (answers: Answers) =>
      cli.observe?.((await serve({ ...quiet, ...answers })).live)
    expect(await seen({})).toEqual({ state: 'idle', reason: null, source: 'session' })
    expect(await seen({ 'GET /session/status': { ses_own: { type: 'busy' } } })).toMatchObject({
      state: 'running',
    })
    expect(
      await seen({
        'GET /session/status': {
          ses_own: { type: 'retry', attempt: 2, message: 'overloaded', next: 5 },
        },
      }),
    ).toMatchObject({
      state: 'running',
      reason: expect.stringContaining('overloaded'),
    })
    expect(
      await seen({
        'GET /session/status': { ses_own: { type: 'busy' } },
        'GET /permission': [permission],
      }),
    ).toMatchObject({
      state: 'waiting',
      reason: 'permission to use bash: rm -rf build',
    })
    expect(await seen({ 'GET /question': [{ id: 'que_1' }] })).toMatchObject({ state: 'waiting' })
  })

  it('reports nothing where the server is gone, half answers, or was never there', async () => {
    expect(await cli.observe?.(liveAt(await deadUrl()))).toMatchObject({ state: 'unknown' })
    expect(await cli.observe?.(liveAt(null))).toMatchObject({ state: 'unknown' })
    expect(
      await cli.observe?.(
        (await serve({ ...quiet, 'GET /permission': () => ({ status: 500 }) })).live,
      ),
    ).toMatchObject({ state: 'unknown' })
  })

  it('does not take it for idle before its first prompt', async () => {
    const { live } = await serve(quiet)
    expect(await cli.observe?.({ ...live, session: null })).toMatchObject({ state: 'running' })
  })

  it('lets nothing be typed into it', () => {
    expect(cli.inputLine?.('')).toBe('unseen')
  })
})

describe('giving OpenCode a message', () => {
  it('is verbatim, for the session’s own agent', async () => {
    const { live, said } = await serve({
      'GET /session/ses_own': info,
      'POST /session/ses_own/prompt_async': () => ({ status: 204 }),
    })
    expect(await cli.channel?.send(live, '/quit\n!rm\n@file')).toEqual({ kind: 'accepted' })
    expect(said.at(-1)?.body).toEqual({
      parts: [{ type: 'text', text: '/quit\n!rm\n@file' }],
      agent: 'plan',
    })
  })

  it('is refused where it certainly did not arrive', async () => {
    expect(await cli.channel?.send(liveAt(await deadUrl()), 'x')).toMatchObject({ kind: 'refused' })
    expect(await cli.channel?.send(liveAt(await deadUrl(), null), 'x')).toMatchObject({
      kind: 'refused',
    })
    const { live } = await serve({
      'GET /session/ses_own': info,
      'POST /session/ses_own/prompt_async': () => ({ status: 400 }),
    })
    expect(await cli.channel?.send(live, 'x')).toMatchObject({ kind: 'refused' })
    expect(
      await cli.channel?.send({ ...live, session: { id: 'ses_gone', transcript: null } }, 'x'),
    ).toMatchObject({ kind: 'refused' })
  })

  it('throws where it can’t be determined', async () => {
    const { live } = await serve({
      'GET /session/ses_own': info,
      'POST /session/ses_own/prompt_async': () => {
        throw new Error('cut off')
      },
    })
    await expect(cli.channel?.send(live, 'x')).rejects.toThrow('fetch failed')
  })

  it('is answered to its questions once, or refused', async () => {
    const { live, said } = await serve({ 'POST /permission/per_1/reply': true })
    await cli.answerPermission?.(live, 'per_1', 'allow')
    await cli.answerPermission?.(live, 'per_1', 'deny')
    // Answered in the terminal meanwhile.
    await cli.answerPermission?.(live, 'per_2', 'allow')
    expect(said.map(({ body }) => body.reply)).toEqual(['once', 'reject', 'once'])
  })
})

const text = (role: string, created: number, words: string, tokens?: object) => ({
  info: { role, time: { created }, ...(tokens === undefined ? {} : { modelID: 'big', tokens }) },
  parts: [{ type: 'text', text: words }],
})
const spent = (input: number, output: number) => ({
  input,
  output,
  reasoning: 5,
  cache: { read: 7, write: 3 },
})

describe('the conversation of OpenCode', () => {
  const pagesOf = (said: Said) =>
    said.query['before'] === undefined
      ? {
          body: [text('user', 1500, 'later [m-2]'), text('assistant', 1600, 'ok', spent(100, 10))],
          next: 'older',
        }
      : {
          body: [
            text('user', 500, 'inherited'),
            text('assistant', 600, 'ok', spent(9000, 900)),
            text('user', 1100, 'first [m-1]'),
          ],
        }
  const answers = { 'GET /session/ses_own': info, 'GET /session/ses_own/message': pagesOf }

  it('shows which messages arrived, on all of its pages', async () => {
    const { live } = await serve(answers)
    expect(await cli.mentions?.(live, ['m-1', 'm-2', 'm-3'])).toEqual(new Set(['m-1', 'm-2']))
    expect(await cli.mentions?.(liveAt(await deadUrl()), ['m-1'])).toBeNull()
    const cut = await serve({
      'GET /session/ses_own/message': (said: Said) =>
        said.query['before'] === undefined ? pagesOf(said) : { status: 500 },
    })
    expect(await cli.mentions?.(cut.live, ['m-2'])).toEqual(new Set(['m-2']))
    expect(await cli.mentions?.(cut.live, ['m-1', 'm-2'])).toBeNull()
    expect(await cli.mentions?.({ ...live, session: null }, ['m-1'])).toBeNull()
  })

  it('reports what was used up, with subagents and without what it inherited', async () => {
    const { live } = await serve({
      ...answers,
      'GET /session/ses_own/children': [
        { id: 'ses_sub', directory: '/wt', time: { created: 1200 } },
      ],
      'GET /session/ses_sub/message': [text('assistant', 1300, 'ok', spent(20, 2))],
    })
    expect(await cli.usage?.(live)).toEqual({
      models: { big: { input: 120, output: 22, cacheRead: 14, cacheWrite: 6 } },
    })
    expect(await cli.usage?.(liveAt(await deadUrl()))).toBeNull()
  })
})

describe('what is settled after OpenCode came up', () => {
  const up = {
    'GET /global/health': { healthy: true, version: '1.18.33' },
    'POST /tui/select-session': true,
  }
  const parent = { id: 'ses_parent', transcript: null }

  it('is nothing for a task that went by argv', async () => {
    const { live, said } = await serve(up)
    const request = launchRequest()
    expect(await cli.settle?.(live, request, await cli.plan(request))).toEqual({
      session: null,
      forked: false,
      warnings: [],
    })
    expect(said).toEqual([])
  })

  it('is a fork in the new worktree, shown and given its task', async () => {
    const { live, said } = await serve({
      ...up,
      'POST /session/ses_parent/fork': { ...info, id: 'ses_fork', directory: '/parent' },
      'POST /experimental/control-plane/move-session': () => ({ status: 204 }),
      'GET /session/ses_fork': { ...info, id: 'ses_fork' },
      'POST /session/ses_fork/prompt_async': () => ({ status: 204 }),
    })
    const request = launchRequest({ mode: 'fork', session: parent, worktree: '/wt' })
    const settled = await cli.settle?.(live, request, await cli.plan(request))
    expect(settled).toEqual({
      session: { id: 'ses_fork', transcript: null },
      forked: true,
      warnings: [],
    })
    expect(
      said.filter(({ method }) => method === 'POST').map(({ path, body }) => [path, body]),
    ).toEqual([
      ['/session/ses_parent/fork', {}],
      [
        '/experimental/control-plane/move-session',
        { sessionID: 'ses_fork', destination: { directory: '/wt' }, moveChanges: false },
      ],
      ['/tui/select-session', { sessionID: 'ses_fork' }],
      [
        '/session/ses_fork/prompt_async',
        { parts: [{ type: 'text', text: request.prompt }], agent: 'plan' },
      ],
    ])
  })

  it('stays where it is in the parent’s own worktree', async () => {
    const { live, said } = await serve({
      ...up,
      'POST /session/ses_parent/fork': { ...info, id: 'ses_fork', directory: '/wt' },
      'POST /session/ses_fork/prompt_async': () => ({ status: 204 }),
    })
    const request = launchRequest({ mode: 'fork', session: parent, worktree: '/wt' })
    expect(await cli.settle?.(live, request, await cli.plan(request))).toEqual({
      session: { id: 'ses_fork', transcript: null },
      forked: true,
      warnings: [],
    })
    expect(said.map(({ path }) => path)).not.toContain('/experimental/control-plane/move-session')
  })

  it('is a fresh session and a warning where the parent’s is gone', async () => {
    const { live } = await serve({
      ...up,
      'POST /session': { ...info, id: 'ses_new' },
      'POST /session/ses_new/prompt_async': () => ({ status: 204 }),
    })
    const request = launchRequest({ mode: 'fork', session: parent })
    expect(await cli.settle?.(live, request, await cli.plan(request))).toEqual({
      session: { id: 'ses_new', transcript: null },
      forked: false,
      warnings: [expect.stringContaining('ses_parent')],
    })
  })

  it('is another start where the conversation to go on with is gone: its terminal ends in a moment', async () => {
    const { live, said } = await serve(up)
    const request = launchRequest({ mode: 'resume', session: parent })
    const settled = await cli.settle?.(live, request, await cli.plan(request))
    if (settled === undefined || !('notUp' in settled)) throw new Error('it came up')
    expect(settled.again('')).toBe('fresh')
    expect(said.filter(({ method }) => method === 'POST')).toEqual([])
  })

  it('is an error, and no other conversation, where it can’t be told whether that is there', async () => {
    const { live, said } = await serve({
      ...up,
      'GET /session/ses_parent': () => ({ status: 503 }),
      'POST /session': { ...info, id: 'ses_new' },
    })
    const request = launchRequest({ mode: 'resume', session: parent })
    await expect(settleOpenCode(serverOf(live.channel), live, request, 1000)).rejects.toThrow('503')
    expect(said.filter(({ method }) => method === 'POST')).toEqual([])
  })

  it('is another start where it ends while it is asked', async () => {
    const program = spawn('sleep', ['1000'])
    const { live } = await serve({
      ...up,
      'GET /session/ses_parent': () => {
        program.kill('SIGKILL')
        return { status: 0 }
      },
    })
    const request = launchRequest({ mode: 'resume', session: parent })
    const settled = await settleOpenCode(
      serverOf(live.channel),
      { ...live, pid: program.pid ?? 0 },
      request,
      300,
    )
    expect(settled).toMatchObject({ notUp: 'OpenCode ended while it was starting' })
  })

  it('is not given its task once more where it ended while it took it', async () => {
    const program = spawn('sleep', ['1000'])
    const { live } = await serve({
      ...up,
      'GET /session/ses_parent': { ...info, id: 'ses_parent' },
      'POST /session/ses_parent/prompt_async': () => {
        program.kill('SIGKILL')
        throw new Error('the connection is cut')
      },
    })
    const request = launchRequest({ mode: 'resume', session: parent })
    await expect(
      settleOpenCode(serverOf(live.channel), { ...live, pid: program.pid ?? 0 }, request, 300),
    ).rejects.toMatchObject({
      code: 'SPAWN_FAILED',
      message: 'OpenCode did not take its task: it ended meanwhile',
    })
  })

  it.each([
    [1, 0, true],
    [0, 1, true],
    [1, 1, true],
    [2, 0, false],
    [0, 2, false],
  ])(
    'is asked for once more where no answer came in time: %i of the copy, %i of its move',
    async (copies, moves, forked) => {
      const left = { copies, moves }
      const { live, said } = await serve({
        ...up,
        'POST /session/ses_parent/fork': () =>
          left.copies-- > 0
            ? { status: 0 }
            : { body: { ...info, id: 'ses_fork', directory: '/parent' } },
        'POST /experimental/control-plane/move-session': () => ({
          status: left.moves-- > 0 ? 0 : 204,
        }),
        'GET /session/ses_fork': { ...info, id: 'ses_fork' },
        'POST /session/ses_fork/prompt_async': () => ({ status: 204 }),
        'POST /session': { ...info, id: 'ses_new' },
        'POST /session/ses_new/prompt_async': () => ({ status: 204 }),
      })
      const request = launchRequest({ mode: 'fork', session: parent, worktree: '/wt' })
      // A server in this process answers within that.
      const settled = await settleOpenCode(serverOf(live.channel), live, request, 1000)
      expect(settled).toMatchObject({
        session: { id: forked ? 'ses_fork' : 'ses_new' },
        forked,
        warnings: forked ? [] : [expect.any(String)],
      })
      expect(said.filter(({ path }) => path === '/session/ses_parent/fork')).toHaveLength(
        Math.min(copies + 1, 2),
      )
    },
  )

  it('has not come up where it ended instead, and is worth another start', async () => {
    const request = launchRequest({ mode: 'resume', session: parent })
    const gone = { ...liveAt(await deadUrl()), pid: 2 ** 22 + 1 }
    const settled = await cli.settle?.(gone, request, await cli.plan(request))
    if (settled === undefined || !('notUp' in settled)) throw new Error('it came up')
    expect(settled.notUp).toBe('OpenCode ended while it was starting')
    expect(settled.again('Error: database is locked')).toBe('same')
    expect(settled.again('Error: Session not found: ses_parent')).toBe('fresh')
  })

  it('lets the others of a home where it never ran start once the first one is up', async () => {
    const userHome = mkdtempSync(join(tmpdir(), 't-opencode-'))
    onTestFinished(() => rmSync(userHome, { recursive: true }))
    const folder = join(userHome, '.local/share/opencode')
    const own = createOpenCodeCli({ ...options, userHome })
    const health = { healthy: false }
    const { live, said } = await serve({ 'GET /global/health': () => ({ body: health }) })
    const [first, second] = [live.agentId, newAgentId()].map((agentId) =>
      launchRequest({ agentId }),
    )
    await own.turn?.(first!)
    let isSecond = false
    const turn = own.turn?.(second!).then(() => (isSecond = true))
    // Its task goes by argv: nobody waits for it but the others.
    await own.settle?.(live, first!, await own.plan(first!))
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'opencode.db'), '')
    await expect.poll(() => said.length).toBeGreaterThan(1)
    expect(isSecond).toBe(false)
    health.healthy = true
    await turn
    expect(isSecond).toBe(true)
  })
})
