import { existsSync, readFileSync } from 'node:fs'
import {
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHostedSessions } from '../../../src/adapters/acp/hosted-session.ts'
import { startOnPipes } from '../../../src/processes/start-on-pipes.ts'
import { startPiped } from '../../../packages/subagents/src/processes/start-piped.ts'
import { readSpool, type SpooledHook } from '../../../src/adapters/machine/spool.ts'
import type { Session } from '../../../src/adapters/terminals/detached/hosted.ts'
import { createOutputLog } from '../../../src/processes/host/output-log.ts'
import type { AcpLaunch } from '../../../src/adapters/terminals/headless-program.ts'
import { newAgentId } from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * Sessions as the detached host holds them, with a scripted agent as a real process and a daemon
 * that only listens.
 */

const AGENT = join(import.meta.dirname, '..', '..', 'fixtures', 'acp', 'scripted-agent.ts')
const TOKEN = 'a-token-of-the-agent'

interface Hook {
  readonly event: string
  readonly body: Record<string, any>
  readonly token: string | undefined
}

let folder: string
let root: string
let hooks: Hook[]
/** What the daemon answers to an event; nothing is 204. */
let answers: Record<string, (body: Record<string, any>) => unknown>
let server: Server | undefined
const sessions: Session[] = []
const complaints: unknown[] = []

const socketPath = () => join(folder, 'daemon.sock')
async function listen(): Promise<void> {
  server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => (text += String(chunk)))
    request.on('end', () => {
      const event = (request.url ?? '').replace('/v1/hooks/program/', '')
      const body = JSON.parse(text) as Record<string, any>
      hooks.push({ event, body, token: request.headers.authorization })
      void Promise.resolve(answers[event]?.(body)).then((answer) =>
        answer === undefined
          ? response.writeHead(204).end()
          : response
              .writeHead(200, { 'content-type': 'application/json' })
              .end(JSON.stringify(answer)),
      )
    })
  })
  await new Promise<void>((go) => server?.listen(socketPath(), go))
}
async function hush(): Promise<void> {
  const closing = server
  server = undefined
  closing?.closeAllConnections()
  await new Promise<void>((go) => (closing === undefined ? go() : closing.close(() => go())))
}

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'exomonad-acp-')))
  root = join(folder, 'worktree')
  await mkdir(root)
  await mkdir(join(folder, 'spool'), { mode: 0o700 })
  await writeFile(join(folder, 'auth'), `${TOKEN}\n`)
  hooks = []
  answers = {}
  complaints.length = 0
  await listen()
})
afterEach(async () => {
  for (const session of sessions.splice(0)) await end(session)
  await hush()
  // What a daemon that is gone could not be sent may be on its way into the spool.
  await rm(folder, { recursive: true, force: true, maxRetries: 10 })
})

/** As the host does it. */
async function end(session: Session): Promise<void> {
  if (session.ended !== undefined) return
  session.leave()
  try {
    process.kill(-session.pid, 'SIGKILL')
  } catch {
    // Ended meanwhile.
  }
  await session.end
}

/**
 * Counts as begun once it has said something on its standard error: how long Node itself takes to
 * begin is not what is measured.
 */
const startedOnceHeard: typeof startPiped = (...given) => {
  const child = startPiped(...given)
  const emit = child.emit.bind(child)
  child.emit = (event: string, ...facts: unknown[]) => {
    if (event !== 'spawn') return emit(event, ...facts)
    child.stderr.once('data', () => emit('spawn'))
    return true
  }
  return child
}

function host(
  lines: readonly string[] | null,
  {
    args = [],
    launch = {},
    limits = {},
    start = startPiped,
  }: {
    args?: readonly string[]
    launch?: Partial<AcpLaunch>
    limits?: { startTimeout?: number; cancelTimeout?: number; grace?: number }
    start?: typeof startPiped
  } = {},
) {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    TMPDIR: tmpdir(),
    EXOMONAD_AGENT_ID: 'the-agent',
    EXOMONAD_TOKEN: TOKEN,
  }
  const file = join(folder, `output-${sessions.length}.log`)
  const log = createOutputLog({ file })
  const session = createHostedSessions({ start, startOnPipes, ...limits })({
    agentId: newAgentId(),
    name: 'scripted',
    cwd: root,
    env,
    argv: [process.execPath, AGENT, ...args],
    log,
    complain: (error) => complaints.push(error),
    session: {
      mcpServers: [],
      prompt: lines?.join('\n') ?? null,
      load: null,
      model: null,
      mode: null,
      permission: 'ask',
      allow: [],
      maxTurns: null,
      root,
      env,
      daemon: {
        socket: socketPath(),
        authFile: join(folder, 'auth'),
        spool: join(folder, 'spool'),
        stopTimeout: 5,
      },
      ...launch,
    },
  })
  sessions.push(session)
  return { session, log, output: () => readFile(file, 'utf8'), shown: () => log.tail(1000) }
}

const idle = (session: Session) =>
  waitFor('the session to rest', () => session.session().state === 'idle')
const said = (event: string) => hooks.filter((hook) => hook.event === event).map(({ body }) => body)
const isRunning = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Bytes, without what is only not collected yet. */
function memoryInUse(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return arrayBuffers + heapUsed
}

describe('a session', () => {
  it('reports to the daemon what happens in it, in order, and shows it as it streams', async () => {
    const { session, shown } = host([
      'say I look.',
      'tool read Look around',
      'say Done, m-0123456789ab.',
      'plan one; two',
      'usage 100 20',
    ])
    await idle(session)
    expect(hooks.map(({ event }) => event)).toEqual([
      'session-start',
      'prompt',
      'tool-start',
      'tool-end',
      'stop',
    ])
    expect(new Set(hooks.map(({ token }) => token))).toEqual(new Set([`Bearer ${TOKEN}`]))
    expect(said('session-start')).toEqual([{ sessionId: session.session().sessionId }])
    expect(said('tool-start')).toMatchObject([{ tool: 'Look around', kind: 'read' }])
    expect(said('tool-end')).toMatchObject([{ tool: 'Look around', status: 'completed' }])
    expect(said('stop')).toEqual([{ reason: 'end_turn', again: false }])
    expect(session.session()).toMatchObject({
      state: 'idle',
      reason: 'end_turn',
      turns: 2,
      toolCalls: 1,
      lastText: 'Done, m-0123456789ab.',
    })
    expect(session.session().usage).toEqual({
      models: { scripted: { input: 100, output: 20, cacheRead: 0, cacheWrite: 0 } },
    })
    expect(shown()).toMatch(
      /> say I look\.[^]*\nI look\.\n⏺ Look around\n {2}⎿ completed: done\nDone, m-0123456789ab\.\n☐ one\n☐ two\n── the turn ended/,
    )
    // An id counts that stood in a prompt or a result, not one that the model only said.
    expect(session.mentions(['m-0123456789ab', 'm-ffffffffffff'])).toEqual(['m-0123456789ab'])
    expect(complaints).toEqual([])
  })

  it('goes on with what the daemon objects to its stop, once for each objection', async () => {
    const objections = ['say I file it', 'say filed']
    answers['stop'] = () => {
      const reason = objections.shift()
      return reason === undefined ? { decision: 'allow' } : { decision: 'block', reason }
    }
    const { session } = host(['say done'])
    await idle(session)
    expect(said('stop').map(({ again }) => again)).toEqual([false, true, true])
    expect(said('prompt').map(({ prompt }) => prompt)).toEqual([
      'say done',
      'say I file it',
      'say filed',
    ])
    expect(session.session().lastText).toBe('filed')
  })

  it('takes prompts when it rests and refuses them while it works', async () => {
    const { session } = host(['wait'])
    await waitFor('its turn', () => said('prompt').length === 1)
    expect(await session.prompt('say x')).toEqual({
      kind: 'refused',
      reason: 'a turn is under way',
    })
    await session.escape()
    await idle(session)
    expect(session.session().reason).toBe('cancelled')
    await waitFor('the daemon to be notified', () => hooks.at(-1)?.event === 'interrupted')
    expect(await session.prompt('say hello')).toEqual({ kind: 'accepted' })
    await waitFor('its answer', () => session.session().lastText === 'hello')
    await idle(session)
    // As keys in a terminal.
    await session.paste('say typed')
    expect(await session.enter()).toEqual({ kind: 'typed' })
    await waitFor('its answer', () => session.session().lastText === 'typed')
  })

  it('waits with a prompt that comes while the end of its turn is checked', async () => {
    let allow = (): void => {}
    answers['stop'] = () => new Promise((go) => (allow = () => go({ decision: 'allow' })))
    const { session } = host(['say one'])
    await waitFor('its stop', () => said('stop').length === 1)
    const prompted = session.prompt('say two')
    allow()
    expect(await prompted).toEqual({ kind: 'accepted' })
    await waitFor('the second stop', () => said('stop').length === 2)
    allow()
    await idle(session)
    expect(session.session().lastText).toBe('two')
  })

  it('is broken off after as many rounds of the model as it may have', async () => {
    const { session, shown } = host(['rounds 50'], { launch: { maxTurns: 3 } })
    await idle(session)
    expect(session.session()).toMatchObject({ reason: 'max_turn_requests', turns: 3 })
    expect(said('stop')).toEqual([{ reason: 'max_turn_requests', again: false }])
    expect(shown()).toContain('stopped after 3 rounds of the model')
  })

  it('uses the models and modes that the agent offers, old ways and new', async () => {
    for (const args of [
      ['--models', 'small,large', '--modes', 'ask,code'],
      ['--models', 'small,large', '--modes', 'ask,code', '--legacy-models'],
    ]) {
      const { session } = host(['usage 1 1'], { args, launch: { model: 'large', mode: 'code' } })
      await idle(session)
      expect(session.session()).toMatchObject({
        models: ['small', 'large'],
        modes: ['ask', 'code'],
        usage: { models: { large: { input: 1 } } },
      })
    }
    const { session, shown } = host(['say x'], {
      args: ['--models', 'small,large'],
      launch: { model: 'huge' },
    })
    expect(await session.end).toEqual({ exitCode: 1, exitSignal: null })
    expect(shown()).toContain('scripted has no model "huge". It offers: small, large.')
  })

  it('is taken up again where the agent can, and begins anew where it can’t', async () => {
    const args = ['--store', join(folder, 'store')]
    const first = host(['say remembered m-aaaaaaaaaaaa'], { args })
    await idle(first.session)
    const { sessionId } = first.session.session()
    expect(first.session.session().canLoad).toBe(true)
    await end(first.session)
    const second = host(null, { args, launch: { load: sessionId } })
    await idle(second.session)
    expect(second.session.session()).toMatchObject({ sessionId, turns: 0, lastText: '' })
    expect(second.session.mentions(['m-aaaaaaaaaaaa'])).toEqual(['m-aaaaaaaaaaaa'])
    expect(second.shown()).toContain('was taken up')
    const resumed = host(null, { args: [...args, '--resume'], launch: { load: sessionId } })
    await idle(resumed.session)
    expect(resumed.session.session()).toMatchObject({ sessionId, canLoad: true, lastText: '' })
    const third = host(null, { args, launch: { load: 'unknown' } })
    await idle(third.session)
    expect(third.session.session().sessionId).not.toBe('unknown')
    expect(third.shown()).toContain('the session unknown could not be taken up, a new one begins')
    const fourth = host(null, { launch: { load: 'x' } })
    await idle(fourth.session)
    expect(fourth.shown()).toContain('can’t load sessions')
  })
})

describe('permission', () => {
  it('is asked of the daemon, and what waits is reported', async () => {
    const open: ((answer: unknown) => void)[] = []
    answers['permission'] = () => new Promise((go) => open.push(go))
    const { session, shown } = host(['ask delete everything', 'ask delete more'])
    await waitFor('the question', () => open.length === 1)
    expect(session.session()).toMatchObject({
      state: 'waiting',
      reason: 'permission: delete everything',
    })
    expect(said('permission')).toEqual([{ tool: 'delete everything', detail: 'delete everything' }])
    open[0]?.({ decision: 'allow', reason: 'go on' })
    await waitFor('the second question', () => open.length === 2)
    open[1]?.({ decision: 'deny' })
    await idle(session)
    expect(shown()).toContain('? allowed: delete everything (go on)')
    expect(session.session().lastText).toBe('denied\n')
  })

  it('is decided without the daemon where the policy says so', async () => {
    for (const [launch, last] of [
      [{ permission: 'allow' }, 'allowed\n'],
      [{ permission: 'deny' }, 'denied\n'],
      [{ permission: 'deny', allow: ['git commit'] }, 'allowed\n'],
      [{ permission: 'ask', allow: ['execute'] }, 'allowed\n'],
    ] as const) {
      const { session } = host(['ask git commit -m x'], { launch })
      await idle(session)
      expect(session.session().lastText).toBe(last)
    }
    expect(said('permission')).toEqual([])
  })

  it('is cancelled with the turn, and the daemon is notified that nobody waits any more', async () => {
    let gone = false
    answers['permission'] = () => new Promise(() => {})
    server?.on('request', (request, response) => {
      if (request.url?.endsWith('/permission') === true) response.on('close', () => (gone = true))
    })
    const { session } = host(['ask something'])
    await waitFor('the question', () => said('permission').length === 1)
    await session.escape()
    await idle(session)
    expect(session.session().reason).toBe('cancelled')
    await waitFor('the question to be taken back', () => gone)
  })

  it('is asked for several tools at once, and waits for the rest when one is answered', async () => {
    const open = new Map<string, (answer: unknown) => void>()
    answers['permission'] = ({ tool }) => new Promise((go) => open.set(tool as string, go))
    const { session } = host(['asks first; second'])
    await waitFor('both questions', () => open.size === 2)
    open.get('first')?.({ decision: 'allow' })
    await waitFor('the other', () => session.session().reason === 'permission: second')
    expect(session.session().state).toBe('waiting')
    await waitFor('what came of the first', () => session.session().lastText === 'allowed\n')
    open.get('second')?.({ decision: 'deny' })
    await idle(session)
    expect(session.session().lastText).toBe('denied\n')
  })

  it('is asked again when the daemon comes back', async () => {
    answers['permission'] = () => new Promise(() => {})
    const { session } = host(['ask something'])
    await waitFor('the question', () => said('permission').length === 1)
    await hush()
    answers['permission'] = () => ({ decision: 'allow' })
    await listen()
    await idle(session)
    expect(said('permission')).toHaveLength(2)
    expect(session.session().lastText).toBe('allowed\n')
  })
})

describe('what it asks of its client', () => {
  it('stays in its folder', async () => {
    await writeFile(join(folder, 'secret'), 'secret\n')
    await symlink(folder, join(root, 'out'))
    await symlink(join(folder, 'nowhere'), join(root, 'dangling'))
    const { session } = host([
      'write sub/file.txt inside',
      'read sub/file.txt',
      `read ${join(folder, 'secret')}`,
      'read ../secret',
      'read out/secret',
      'write out/new.txt x',
      'write dangling x',
      'read missing',
    ])
    await idle(session)
    const text = session.session().lastText
    expect(text).toContain('wrote sub/file.txt\ninside')
    expect(text.match(/refused: .* is outside /g)).toHaveLength(5)
    expect(text).not.toContain('secret\n\n')
    expect(await readFile(join(root, 'sub/file.txt'), 'utf8')).toBe('inside')
    expect(existsSync(join(folder, 'new.txt'))).toBe(false)
    expect(existsSync(join(folder, 'nowhere'))).toBe(false)
  })

  it('runs commands with its environment, which end with it', async () => {
    const { session } = host([
      'run echo out; echo err >&2; pwd; echo again >/dev/stderr; exit 3',
      'run echo $EXOMONAD_AGENT_ID',
      'term sleep 600 & echo $! > pid; (trap "" TERM; sleep 600) & echo $! > stubborn; wait',
      'say started all',
    ])
    await idle(session)
    const text = session.session().lastText
    expect(text).toMatch(/out\n/)
    expect(text).toContain(root)
    expect(text).toContain('err\n')
    expect(text).toContain('again\n')
    expect(text).toContain('exit 3\n')
    expect(text).toContain('the-agent\nexit 0\n')
    const pids = await waitFor('both', async () => {
      const found = await Promise.all(
        ['pid', 'stubborn'].map(async (name) => Number(await readFile(join(root, name), 'utf8'))),
      )
      return found.every((pid) => pid > 1) && found
    })
    expect(pids.map(isRunning)).toEqual([true, true])
    await end(session)
    await waitFor('both to end', () => !pids.some(isRunning))
  })

  it('is answered with the protocol’s error where it is not known', async () => {
    const { session } = host(['unknown'])
    await idle(session)
    expect(session.session().lastText).toBe('error -32601\n')
  })

  it('may use the MCP servers that it was given, over HTTP where it can', async () => {
    const calls: Record<string, any>[] = []
    const mcp = createServer((request, response) => {
      let text = ''
      request.on('data', (chunk) => (text += String(chunk)))
      request.on('end', () => {
        const { id, method, params } = JSON.parse(text) as Record<string, any>
        if (method === 'tools/call')
          calls.push({ ...params, authorization: request.headers['authorization'] })
        const results: Record<string, unknown> = {
          initialize: {
            protocolVersion: '2025-06-18',
            capabilities: { tools: {} },
            serverInfo: { name: 't', version: '1' },
          },
          'tools/list': { tools: [{ name: 'greet', inputSchema: { type: 'object' } }] },
          'tools/call': { content: [{ type: 'text', text: 'hello m-bbbbbbbbbbbb' }] },
        }
        if (id === undefined) return response.writeHead(202).end()
        return response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, result: results[String(method)] }))
      })
    })
    await new Promise<void>((go) => mcp.listen(0, '127.0.0.1', go))
    try {
      const { port } = mcp.address() as { port: number }
      const headers = [{ name: 'Authorization', value: 'Bearer secret' }]
      const { session, shown, output } = host(['call greet {"who":"you"}'], {
        launch: {
          mcpServers: [
            { type: 'http', name: 'exomonad', url: `http://127.0.0.1:${port}/mcp`, headers },
            { type: 'stdio', name: 'exomonad', command: 'false', args: [], env: [] },
          ],
        },
      })
      await idle(session)
      expect(calls).toEqual([
        { name: 'greet', arguments: { who: 'you' }, authorization: 'Bearer secret' },
      ])
      expect(shown()).toContain('⎿ completed: hello m-bbbbbbbbbbbb')
      expect(session.mentions(['m-bbbbbbbbbbbb'])).toEqual(['m-bbbbbbbbbbbb'])
      await end(session)
      expect(await output()).not.toContain('Bearer secret')
    } finally {
      mcp.closeAllConnections()
      mcp.close()
    }
  })
})

describe('an agent that can use MCP servers on stdio alone', () => {
  it('is given those', async () => {
    const server = `
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method } = JSON.parse(line)
        const result = { initialize: {}, 'tools/list': { tools: [{ name: 'greet' }] }, 'tools/call': { content: [{ type: 'text', text: process.env.WHO }] } }[method]
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
      })`
    const { session, shown } = host(['call greet {}'], {
      args: ['--no-http'],
      launch: {
        mcpServers: [
          { type: 'http', name: 'exomonad', url: 'http://127.0.0.1:1/mcp', headers: [] },
          {
            type: 'stdio',
            name: 'exomonad',
            command: process.execPath,
            args: ['-e', server],
            env: [{ name: 'WHO', value: 'the one on stdio' }],
          },
        ],
      },
    })
    await idle(session)
    expect(shown()).toContain('⎿ completed: the one on stdio')
  })
})

describe('an agent that misbehaves', () => {
  it('may write what is no frame: it is said once, and the session goes on', async () => {
    const { session, shown } = host(['say before', 'malformed', 'malformed', 'say after'], {
      args: ['--noise'],
    })
    await idle(session)
    expect(session.session()).toMatchObject({ reason: 'end_turn', lastText: 'beforeafter' })
    expect(shown().match(/no JSON/g)).toHaveLength(1)
    expect(shown()).toContain('Welcome to the scripted agent!')
  })

  it('may report things out of order, late, and of sessions that are not its own', async () => {
    const { session, shown } = host(['orphan', 'foreign not for you', 'say mine', 'late too late'])
    await idle(session)
    expect(session.session()).toMatchObject({ toolCalls: 1, reason: 'end_turn' })
    await waitFor('what comes after the turn', () =>
      session.session().lastText.endsWith('too late'),
    )
    expect(shown().split('not for you')).toHaveLength(2)
    expect(shown()).toContain('completed: orphan')
    expect(session.session().state).toBe('idle')
    expect(await session.prompt('say on')).toEqual({ kind: 'accepted' })
    await waitFor('its answer', () => session.session().lastText === 'on')
  })

  it('may write 10 MB in one turn: all of it is on disk, its end in memory', async () => {
    const bytes = 10_000_000
    const before = memoryInUse()
    const { session, output, shown } = host([`flood ${bytes}`])
    await idle(session)
    const state = session.session()
    expect(state.lastText).toHaveLength(100_000)
    expect(shown().split('\n').length).toBeLessThanOrEqual(1001)
    expect(memoryInUse() - before).toBeLessThan(100_000_000)
    await end(session)
    const text = await output()
    const lines = text.split('\n').filter((line) => /^\d{9} x+$/.test(line))
    expect(lines).toHaveLength(bytes / 100)
    expect(
      lines.every((line, index) => Number(line.slice(0, 9)) === index && line.length === 99),
    ).toBe(true)
  })

  it('is ended where it takes no notice of a cancel, and what it said stays', async () => {
    const { session, shown } = host(['say partial', 'hang'], {
      args: ['--stubborn'],
      limits: { cancelTimeout: 300, grace: 300 },
    })
    await waitFor('its text', () => session.session().lastText === 'partial')
    await session.escape()
    expect(await session.end).toEqual({ exitCode: null, exitSignal: 'SIGKILL' })
    expect(session.session()).toMatchObject({ lastText: 'partial' })
    expect(session.session().reason).toMatch(/^error: scripted took no notice of being cancelled/)
    expect(shown()).toContain('took no notice of being cancelled')
    expect(said('session-end')).toHaveLength(1)
  })

  it('may crash in the middle: why and what it said is known', async () => {
    const { session, output } = host(['say partial', 'stderr out of memory', 'crash 7'])
    expect(await session.end).toEqual({ exitCode: 7, exitSignal: null })
    expect(session.session()).toMatchObject({ lastText: 'partial' })
    expect(session.session().reason).toMatch(/exit code 7.*out of memory/)
    expect(await output()).toMatch(
      /partial[^]*\[stderr\] out of memory|\[stderr\] out of memory[^]*partial/,
    )
    expect(hooks.at(-1)).toMatchObject({
      event: 'session-end',
      body: { reason: expect.stringMatching(/exit code 7/) },
    })
    expect(await session.prompt('say x')).toMatchObject({ kind: 'refused' })
    const killed = host(['say partial', 'crash SIGKILL'])
    expect(await killed.session.end).toEqual({ exitCode: null, exitSignal: 'SIGKILL' })
    expect(killed.session.session().reason).toMatch(/SIGKILL/)
  })

  it('is ended where it closes its output and stays', async () => {
    const { session, shown } = host(['say partial', 'sleep 100', 'deaf'])
    expect(await session.end).toEqual({ exitCode: null, exitSignal: 'SIGTERM' })
    expect(session.session()).toMatchObject({ lastText: 'partial' })
    expect(shown()).toContain('scripted closed its input or output and is ended for it')
  })

  it('may answer a prompt with an error: its turn is over, it goes on', async () => {
    const { session } = host(['say partial', 'error the model is overloaded'])
    await idle(session)
    expect(session.session()).toMatchObject({
      lastText: 'partial',
      reason: expect.stringMatching(/^error: .*the model is overloaded/),
    })
    expect(said('stop')).toEqual([{ reason: session.session().reason, again: false }])
    expect(await session.prompt('say better')).toEqual({ kind: 'accepted' })
    await waitFor('its answer', () => session.session().lastText === 'better')
  })

  it.each([
    [
      'says nothing',
      ['--mute'],
      /did not answer within 1 s\. Is it a program that speaks the Agent Client Protocol\? Its last words: thinking about it/,
    ],
    [
      'speaks another version',
      ['--version', '7'],
      /speaks version 7 of the Agent Client Protocol, exomonad version 1/,
    ],
    ['ends at once', ['--exit', '9'], /exit code 9.*asked to fail/],
    ['wants a login', ['--auth'], /wants a login.*Run scripted-agent login/],
  ])('fails to start where it %s, with the reason', async (_, args, reason) => {
    const mute = args[0] === '--mute'
    const { session, shown, log } = host(['say x'], {
      args,
      limits: { startTimeout: mute ? 1000 : 20_000, grace: 500 },
      ...(mute ? { start: startedOnceHeard } : {}),
    })
    const { exitCode } = await session.end
    expect(exitCode).toBeGreaterThan(0)
    expect(session.session()).toMatchObject({ state: 'starting', sessionId: null })
    expect(session.session().reason).toMatch(reason)
    expect(shown()).toMatch(reason)
    expect(said('session-end')).toHaveLength(1)
    await log.close()
  })

  it('may not be there at all', async () => {
    const log = createOutputLog({ file: null })
    const daemon = {
      socket: socketPath(),
      authFile: join(folder, 'auth'),
      spool: join(folder, 'spool'),
      stopTimeout: 5,
    }
    const session = createHostedSessions({ start: startPiped, startOnPipes })({
      agentId: newAgentId(),
      name: 'nobody',
      cwd: root,
      env: { PATH: '/usr/bin' },
      argv: ['/no/such/program'],
      log,
      complain: () => {},
      session: {
        mcpServers: [],
        prompt: 'x',
        load: null,
        model: null,
        mode: null,
        permission: 'ask',
        allow: [],
        maxTurns: null,
        root,
        env: {},
        daemon,
      },
    })
    expect(await session.end).toEqual({ exitCode: 127, exitSignal: null })
    expect(log.tail(10)).toContain('nobody could not be started')
  })

  it('leaves nothing running that it started in its group', async () => {
    const { session } = host(['say x', 'crash 0'])
    await session.end
    await waitFor('its group to be empty', () => {
      try {
        process.kill(-session.pid, 0)
        return false
      } catch {
        return true
      }
    })
  })
})

describe('while the daemon is away', () => {
  it('a session goes on and what happens waits in the spool, in order, readable by its owner only', async () => {
    await hush()
    const { session } = host(['say one', 'tool read Look', 'say two'])
    await idle(session)
    expect(session.session()).toMatchObject({ reason: 'end_turn', lastText: 'two' })
    const names = await readdir(join(folder, 'spool'))
    expect(names).toHaveLength(5)
    for (const name of names)
      expect((await stat(join(folder, 'spool', name))).mode & 0o777).toBe(0o600)
    const read: SpooledHook[] = []
    expect(
      await readSpool(join(folder, 'spool'), async (hook) => void read.push(hook), silentLog()),
    ).toEqual({ handled: 5, broken: 0, left: 0 })
    expect(read.map(({ event }) => event)).toEqual(
      ['session-start', 'prompt', 'tool-start', 'tool-end', 'stop'].map(
        (event) => `program/${event}`,
      ),
    )
    expect(read.every(({ token }) => token === TOKEN)).toBe(true)
    await listen()
    expect(await session.prompt('say three')).toEqual({ kind: 'accepted' })
    await waitFor('the daemon to be notified', () => said('stop').length === 1)
    expect(said('prompt')).toEqual([{ prompt: 'say three' }])
  })

  it('a daemon that is slow to answer does not hold the stream up', async () => {
    let receive = (): void => {}
    answers['tool-start'] = () => new Promise((go) => (receive = () => go(undefined)))
    const { session } = host(['tool read Look', 'say after it', 'wait'])
    await waitFor('its text', () => session.session().lastText === 'after it')
    expect(said('tool-end')).toEqual([])
    await waitFor('the daemon to be notified', () => said('tool-start').length === 1)
    receive()
    await waitFor('the rest to be reported to the daemon', () => said('tool-end').length === 1)
  })
})
