import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { waitFor } from '../../helpers/wait-for.ts'

interface Report {
  readonly event: string
  readonly body: any
}
interface Setup {
  readonly options?: Record<string, unknown>
  /** Printed by the hook for `session.idle`. */
  readonly stopAnswer?: string
  readonly directory?: string
}

const PLUGIN = pathToFileURL(
  join(import.meta.dirname, '..', '..', '..', 'hooks', 'opencode-plugin.js'),
).href

/**
 * The plugin as OpenCode loads it, with a hook script that records its input, and a server in
 * OpenCode’s place.
 */
async function load({ options = {}, stopAnswer = '', directory }: Setup = {}) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plug-')))
  const hook = join(folder, 'hook.sh')
  const log = join(folder, 'log')
  writeFileSync(join(folder, 'answer'), stopAnswer)
  writeFileSync(
    hook,
    `body=$(cat)\nprintf '%s %s\\n' "$1" "$body" >>'${log}'\nif [ "$1" = session.idle ]; then cat '${folder}/answer'; fi\n`,
  )
  const posts: { path: string; body: any }[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => (text += chunk))
    request.on('end', () => {
      posts.push({ path: request.url ?? '', body: JSON.parse(text) })
      response.writeHead(200).end('true')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
    // The plugin waits for nothing: a report may still be written down.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  })
  const { port } = server.address() as { port: number }
  const { ExomonadPlugin } = await import(PLUGIN)
  const hooks = await ExomonadPlugin(
    { directory: directory ?? folder, serverUrl: new URL(`http://127.0.0.1:${port}`) },
    { hook, worktree: folder, ...options },
  )
  const reported = (): Report[] =>
    (existsSync(log) ? readFileSync(log, 'utf8') : '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => ({
        event: line.slice(0, line.indexOf(' ')),
        body: JSON.parse(line.slice(line.indexOf(' '))),
      }))
  const happens = (type: string, properties: object) => hooks.event({ event: { type, properties } })
  return {
    folder,
    hook,
    hooks,
    posts,
    reported,
    happens,
    submits: (text: string, sessionID = 'ses_1') =>
      hooks['chat.message'](
        { sessionID },
        { message: { agent: 'plan' }, parts: [{ type: 'text', text }] },
      ),
    turnEnds: async (sessionID = 'ses_1') => {
      await happens('session.status', { sessionID, status: { type: 'busy' } })
      await happens('session.status', { sessionID, status: { type: 'idle' } })
      await happens('session.idle', { sessionID })
    },
    receives: (event: string) =>
      waitFor(event, () => reported().find((entry) => entry.event === event)),
  }
}

describe('the plugin in OpenCode', () => {
  beforeEach(() => {
    process.env['EXOMONAD_SOCKET'] = '/nowhere'
  })
  afterEach(() => {
    delete process.env['EXOMONAD_SOCKET']
  })

  it('reports prompts, tools and ends of turns, in order', async () => {
    const { submits, hooks, turnEnds, receives, reported } = await load()
    await submits('Do it [m-0123456789ab]')
    await hooks['tool.execute.before']({ tool: 'bash', sessionID: 'ses_1' })
    await hooks['tool.execute.after']({ tool: 'bash', sessionID: 'ses_1' })
    await turnEnds()
    await receives('session.idle')
    expect(reported().map(({ event }) => event)).toEqual([
      'plugin.started',
      'chat.message',
      'tool.execute.before',
      'tool.execute.after',
      'session.idle',
    ])
    expect(reported()[1]?.body).toEqual({ sessionID: 'ses_1', prompt: 'Do it [m-0123456789ab]' })
    expect(reported()[4]?.body).toEqual({ sessionID: 'ses_1', again: false })
  })

  it('gives the reason not to stop back as a prompt, once, and says that it did', async () => {
    const { submits, turnEnds, receives, reported, posts, folder } = await load({
      stopAnswer: '{"decision":"block","reason":"Commit first."}',
    })
    await submits('Do it')
    await turnEnds()
    const prompt = await waitFor('the prompt', () => posts[0])
    expect(prompt.path).toMatch(/^\/session\/ses_1\/prompt_async\?/)
    expect(prompt.body).toEqual({ parts: [{ type: 'text', text: 'Commit first.' }], agent: 'plan' })
    writeFileSync(join(folder, 'answer'), '')
    await submits('Commit first.')
    await turnEnds()
    await waitFor(
      'the second end',
      () => reported().filter(({ event }) => event === 'session.idle').length === 2,
    )
    expect(reported().at(-1)?.body).toEqual({ sessionID: 'ses_1', again: true })
    // It was nobody’s message.
    expect(reported().filter(({ event }) => event === 'chat.message')).toHaveLength(1)
    await receives('session.idle')
    expect(posts).toHaveLength(1)
  })

  it('reports an interruption, a failure and an end each as what it is, once', async () => {
    const { happens, turnEnds, reported, receives } = await load()
    await happens('session.status', { sessionID: 'ses_1', status: { type: 'busy' } })
    await happens('session.error', {
      sessionID: 'ses_1',
      error: { name: 'MessageAbortedError', data: { message: 'Aborted' } },
    })
    await happens('session.idle', { sessionID: 'ses_1' })
    await happens('session.idle', { sessionID: 'ses_1' })
    await receives('session.aborted')
    await happens('session.status', { sessionID: 'ses_1', status: { type: 'busy' } })
    await happens('session.error', {
      sessionID: 'ses_1',
      error: { name: 'APIError', data: { message: 'no credit' } },
    })
    await happens('session.idle', { sessionID: 'ses_1' })
    expect((await receives('session.error')).body.message).toBe('no credit')
    await turnEnds()
    await receives('session.idle')
    expect(reported().map(({ event }) => event)).toEqual([
      'plugin.started',
      'session.aborted',
      'session.error',
      'session.idle',
    ])
  })

  it('reports neither prompts nor ends of subagents, and marks their tools', async () => {
    const { happens, submits, turnEnds, hooks, receives, reported } = await load()
    await happens('session.created', { info: { id: 'ses_2', parentID: 'ses_1' } })
    await submits('sub task', 'ses_2')
    await turnEnds('ses_2')
    await hooks['tool.execute.after']({ tool: 'read', sessionID: 'ses_2' })
    expect((await receives('tool.execute.after')).body).toEqual({
      tool: 'read',
      sessionID: 'ses_2',
      nested: true,
    })
    expect(reported().map(({ event }) => event)).toEqual(['plugin.started', 'tool.execute.after'])
  })

  it('grants our own tools and what is allowed, and reports the rest', async () => {
    const { happens, receives, posts, reported } = await load({
      options: { allow: ['bash(git commit *)', 'bash(ls)', 'webfetch', 'edit(src/*.(x))'] },
    })
    const ask = (id: string, permission: string, ...patterns: string[]) =>
      happens('permission.asked', { id, permission, patterns, metadata: {} })
    await ask('per_1', 'exomonad_note', '*')
    await ask('per_2', 'bash', 'git commit -m x', 'ls')
    await ask('per_3', 'webfetch', 'https://example.org')
    await ask('per_4', 'edit', 'src/a.(x)')
    await waitFor('four answers', () => posts.length === 4)
    expect(posts.map(({ path, body }) => [path.split('?')[0], body])).toEqual(
      [1, 2, 3, 4].map((id) => [`/permission/per_${id}/reply`, { reply: 'once' }]),
    )
    await ask('per_5', 'bash', 'git commit -m x', 'rm -rf /')
    await ask('per_6', 'bash', 'lsof')
    await ask('per_7', 'edit', 'src/aXx')
    await ask('per_8', 'bash')
    await waitFor(
      'what is not allowed',
      () => reported().filter(({ event }) => event === 'permission.asked').length === 4,
    )
    expect(posts).toHaveLength(4)
    expect((await receives('permission.asked')).body).toEqual({
      id: 'per_5',
      tool: 'bash',
      detail: 'git commit -m x, rm -rf /',
    })
    await happens('permission.replied', { requestID: 'per_5', reply: 'once' })
    expect((await receives('permission.replied')).body).toEqual({ id: 'per_5', tool: 'bash' })
  })

  it('keeps out where OpenCode opens another folder, and outside of exomonad', async () => {
    const other = await load({ directory: '/' })
    expect(other.hooks).toEqual({})
    delete process.env['EXOMONAD_SOCKET']
    const plain = await load()
    expect(plain.hooks).toEqual({})
  })

  it('takes back what was set for OpenCode’s own start, and only that', async () => {
    process.env['EXOMONAD_TEST_ONE'] = 'ours'
    process.env['EXOMONAD_TEST_TWO'] = 'theirs'
    onTestFinished(() => {
      delete process.env['EXOMONAD_TEST_TWO']
    })
    await load({ options: { unset: { EXOMONAD_TEST_ONE: 'ours', EXOMONAD_TEST_TWO: 'ours' } } })
    expect([process.env['EXOMONAD_TEST_ONE'], process.env['EXOMONAD_TEST_TWO']]).toEqual([
      undefined,
      'theirs',
    ])
  })

  it('holds nothing up where its hook fails, hangs or says nonsense', async () => {
    const { folder, hook, submits, turnEnds, reported, posts, hooks, happens } = await load({
      stopAnswer: 'no JSON',
    })
    await waitFor('its start', () => reported().length === 1)
    const text = readFileSync(hook, 'utf8')
    // Until it is let go, or the test has ended without that.
    writeFileSync(
      hook,
      `while [ -d '${folder}' ] && [ ! -e '${folder}/go' ]; do sleep 0.02; done; exit 7\n`,
    )
    let goesOn = false
    const calls = async () => {
      await submits('one')
      await turnEnds()
      await happens('permission.asked', {})
      await hooks.event({ event: undefined })
      goesOn = true
    }
    void calls()
    await waitFor('OpenCode to go on while the hook hangs', () => goesOn)
    writeFileSync(join(folder, 'go'), '')
    writeFileSync(hook, text)
    chmodSync(hook, 0o600)
    await submits('two')
    await turnEnds()
    // What happened while the hook failed may be reported late; the last of all is the end of the
    // second turn.
    await waitFor('the later end', () => {
      const second = reported().findIndex(({ body }) => body.prompt === 'two')
      return (
        second >= 0 &&
        reported().some(({ event }, index) => index > second && event === 'session.idle')
      )
    })
    expect(posts).toEqual([])
  })
})
