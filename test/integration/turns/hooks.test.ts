import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readSpool, type SpooledHook } from '../../../src/adapters/machine/spool.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { HOOK_EVENTS } from '../../../src/surfaces/http/hooks.ts'
import { createHttpServer } from '../../../src/surfaces/http/server.ts'
import { describeWith, findTool } from '../../helpers/terminals/require-tool.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { createTextGate } from '../../../src/sanitize/text-gate.ts'
import { scriptedCore, scriptedEvents, tokenOf } from '../../unit/surfaces/scripted-core.ts'
import { tempFolder } from '../../unit/adapters/machine/temp-folder.ts'

const HOOKS = fileURLToPath(new URL('../../../hooks', import.meta.url))
const TOKEN = tokenOf('dev')

interface Request {
  url: string
  authorization: string | undefined
  body: string
}

/** A place with a socket and a spool, and the environment that an agent has of it. */
function place(options: { token?: 'file' } = {}) {
  const folder = tempFolder()
  const socket = join(folder, 'daemon.sock')
  const spool = join(folder, 'spool')
  const authFile = join(folder, 'auth')
  mkdirSync(spool)
  writeFileSync(authFile, TOKEN, { mode: 0o600 })
  const env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    EXOMONAD_SOCKET: socket,
    EXOMONAD_SPOOL: spool,
    EXOMONAD_AUTH_FILE: authFile,
    ...(options.token === 'file' ? {} : { EXOMONAD_TOKEN: TOKEN }),
  }
  const spooled = async (): Promise<SpooledHook[]> => {
    const hooks: SpooledHook[] = []
    await readSpool(spool, async (hook) => void hooks.push(hook), silentLog())
    return hooks
  }
  return { folder, socket, spool, env, spooled }
}

/** The daemon’s own server. */
async function serve(core: ReturnType<typeof scriptedCore>, socket: string): Promise<void> {
  const server = await createHttpServer({
    core,
    tools: [],
    events: scriptedEvents(),
    ownerTokenHash: '',
    findAgentByTokenHash: core.directory.byTokenHash,
    log: silentLog(),
    version: '1',
    repository: '/',
    clock: Date.now,
    gate: createTextGate(),
  })
  await server.listen(socket)
  onTestFinished(() => server.close())
}

/** A server that keeps what it is sent. */
async function recorder(
  socket: string,
  answer: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) =>
    response.end('{}'),
) {
  const requests: Request[] = []
  const server = createHttp((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      requests.push({ url: request.url ?? '', authorization: request.headers.authorization, body })
      answer(request, response)
    })
  }).listen(socket)
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return requests
}

interface Ran {
  status: number | null
  stdout: string
  stderr: string
}

/** Runs a hook as an agent CLI does; `input` null leaves stdin open. */
async function run(
  argv: readonly string[],
  env: Record<string, string>,
  input: string | null = '{"a":1}',
  cwd = '/',
): Promise<Ran> {
  const [file = '', ...args] = argv
  const child = spawn(file, args, { env, cwd, stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ran: Ran = { status: null, stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (ran.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (ran.stderr += text))
  child.stdin.on('error', () => {})
  if (input !== null) child.stdin.end(input)
  const [status] = (await once(child, 'close')) as [number | null]
  return { ...ran, status }
}

const hook = (event: string): string => join(HOOKS, `${event}.sh`)

const shells = [['sh'], ['dash'], ['bash', '--posix'], ['busybox', 'sh']].filter(
  ([name = '']) => findTool(name) !== undefined,
)

describeWith(['curl'], 'hooks', () => {
  it('has one script for each event', () => {
    expect(readdirSync(HOOKS)).toEqual(
      expect.arrayContaining(HOOK_EVENTS.map((event) => `${event}.sh`)),
    )
    for (const event of HOOK_EVENTS) expect(statSync(hook(event)).mode & 0o111).toBe(0o111)
  })

  describe.each(shells)('in %s', (...shell) => {
    it('pass the JSON through, byte for byte, with the token', async () => {
      const { socket, env } = place()
      const requests = await recorder(socket)
      const body = JSON.stringify({
        prompt: 'it\'s "$HOME" `x` $(y) \\n ünï\u{1F600}\n',
        big: 'x'.repeat(200_000),
      })
      for (const event of HOOK_EVENTS) {
        const ran = await run([...shell, hook(event)], env, body)
        expect(ran).toEqual({ status: 0, stdout: event === 'stop' ? '{}\n' : '', stderr: '' })
        const request = requests.pop()
        expect(request).toMatchObject({
          url: `/v1/hooks/${event}`,
          authorization: `Bearer ${TOKEN}`,
        })
        expect(request?.body.trimEnd()).toBe(body)
      }
    })

    it('spool what they had to say when nobody listens, and say so', async () => {
      const { spool, env, spooled } = place()
      const ran = await run([...shell, hook('prompt')], env, '{"prompt":"it\'s \\"m-1\\" $x"}')
      expect(ran).toMatchObject({ status: 0, stdout: '' })
      expect(ran.stderr).toContain('waits in the spool')
      const [name = ''] = readdirSync(spool)
      expect(statSync(join(spool, name)).mode & 0o777).toBe(0o600)
      expect(await spooled()).toMatchObject([
        { event: 'prompt', token: TOKEN, body: { prompt: 'it\'s "m-1" $x' } },
      ])
    })

    it('do with the tools that macOS has, which has no timeout', async () => {
      const { socket, env, folder } = place()
      const requests = await recorder(socket)
      const bin = join(folder, 'bin')
      mkdirSync(bin)
      for (const tool of ['cat', 'curl', 'date', 'mv', 'rm'])
        symlinkSync(findTool(tool) ?? '', join(bin, tool))
      const [name = '', ...args] = shell
      const own = [findTool(name) ?? '', ...args]
      const ran = await run([...own, hook('prompt')], { ...env, PATH: bin }, '{"prompt":"x"}')
      expect(ran).toEqual({ status: 0, stdout: '', stderr: '' })
      expect(requests.map(({ body }) => body.trimEnd())).toEqual(['{"prompt":"x"}'])
    })
  })

  describe('of agent CLIs', () => {
    const program = (event: string): string[] => ['sh', join(HOOKS, 'program.sh'), event]

    it('pass the JSON through and print the answer as it is, whatever its size', async () => {
      const { socket, env } = place()
      const answer = '{"hookSpecificOutput":{"additionalContext":"it\'s \\n \\"x\\" $y `z` 100%s"}}'
      const requests = await recorder(socket, (_request, response) => response.end(answer))
      const body = JSON.stringify({
        tool_name: 'Bash',
        tool_response: 'x'.repeat(300_000),
        q: "it's $HOME `y`",
      })
      for (const event of [
        'PostToolUse',
        'UserPromptSubmit',
        'Stop',
        'AfterTool',
        'session.idle',
      ]) {
        expect(await run(program(event), env, body)).toEqual({
          status: 0,
          stdout: `${answer}\n`,
          stderr: '',
        })
        const request = requests.pop()
        expect(request).toMatchObject({
          url: `/v1/hooks/program/${event}`,
          authorization: `Bearer ${TOKEN}`,
        })
        expect(request?.body.trimEnd()).toBe(body)
      }
    })

    it('print nothing where there is nothing to say, or the daemon refuses', async () => {
      const { socket, env, spooled } = place()
      let [status, text] = [204, '']
      await recorder(socket, (_request, response) => response.writeHead(status).end(text))
      for (const event of ['PreToolUse', 'Stop'])
        expect(await run(program(event), env)).toEqual({ status: 0, stdout: '', stderr: '' })
      ;[status, text] = [500, '{"error":"broken"}']
      for (const event of ['PreToolUse', 'Stop']) {
        const ran = await run(program(event), env)
        expect(ran).toMatchObject({ status: 0, stdout: '' })
        expect(ran.stderr).toContain('broken')
      }
      expect(await spooled()).toEqual([])
    })

    it('spool what they had to say, and by which name, when nobody listens', async () => {
      const { env, spooled } = place()
      for (const event of ['PostToolUse', 'Stop'])
        expect(await run(program(event), env, '{"session_id":"s"}')).toMatchObject({
          status: 0,
          stdout: '',
        })
      expect(
        (await spooled()).toSorted((one, other) => one.event.localeCompare(other.event)),
      ).toMatchObject([
        { event: 'program/PostToolUse', token: TOKEN, body: { session_id: 's' } },
        { event: 'program/Stop', body: { session_id: 's' } },
      ])
    })

    it('spool of a tool at least that it was used, when the daemon dies in the middle', async () => {
      const { socket, env, spooled } = place()
      await recorder(socket, (request) => void request.socket.destroy())
      expect(await run(program('PreToolUse'), env, '{"tool_name":"Bash"}')).toMatchObject({
        status: 0,
        stdout: '',
      })
      expect(await run(program('UserPromptSubmit'), env, '{"prompt":"p"}')).toMatchObject({
        status: 0,
        stdout: '',
      })
      expect(
        (await spooled()).toSorted((one, other) => one.event.localeCompare(other.event)),
      ).toMatchObject([
        { event: 'program/PreToolUse', body: {} },
        { event: 'program/UserPromptSubmit', body: { prompt: 'p' } },
      ])
    })

    it('do not wait for an input that never ends', async () => {
      const { socket, env } = place()
      await recorder(socket)
      for (const event of ['PreToolUse', 'Stop'])
        expect((await run(program(event), env, null)).status).toBe(0)
    })

    it('say nothing without an event, with an odd one, or outside an agent', async () => {
      const { env, spooled } = place()
      for (const event of ['', '../x', 'a b', '$(id)'])
        expect(await run(program(event), env)).toMatchObject({ status: 0, stdout: '' })
      expect(await spooled()).toEqual([])
      expect(await run(program('Stop'), { PATH: process.env['PATH'] ?? '' })).toEqual({
        status: 0,
        stdout: '',
        stderr: '',
      })
    })

    it('wait for a person where the program asks for a permission, and end with the program', async () => {
      const { socket, env } = place()
      const closed = Promise.withResolvers<void>()
      const asked: ServerResponse[] = []
      await recorder(socket, (request, response) => {
        asked.push(response)
        request.socket.once('close', () => closed.resolve())
      })
      const child = spawn('sh', [join(HOOKS, 'program.sh'), 'PermissionRequest'], {
        env: { ...env, EXOMONAD_PERMISSION_TIMEOUT: '86400' },
        stdio: ['pipe', 'ignore', 'ignore'],
        detached: true,
      })
      child.stdin.end('{}')
      await waitFor('the request', () => asked.length > 0)
      process.kill(-(child.pid ?? 0), 'SIGTERM')
      await closed.promise
    })
  })

  it('do nothing outside an agent of exomonad', async () => {
    for (const event of HOOK_EVENTS)
      expect(await run([hook(event)], { PATH: process.env['PATH'] ?? '' })).toEqual({
        status: 0,
        stdout: '',
        stderr: '',
      })
  })

  it('read the token from the file where the variable is hidden', async () => {
    const { socket, env } = place({ token: 'file' })
    const requests = await recorder(socket)
    await run([hook('tool')], env)
    expect(requests[0]?.authorization).toBe(`Bearer ${TOKEN}`)
  })

  it.each([
    ['', '{}'],
    ['no json', '{}'],
    ['[1]', '{}'],
    ['  ', '{}'],
  ])('send an empty object for the input %j', async (input, body) => {
    const { socket, env } = place()
    const requests = await recorder(socket)
    expect((await run([hook('prompt')], env, input)).status).toBe(0)
    expect(requests[0]?.body.trim()).toBe(body)
  })

  it('do not wait for an input that never ends', async () => {
    const { socket, env } = place()
    const requests = await recorder(socket)
    expect(await run([hook('stop')], env, null)).toMatchObject({ status: 0, stdout: '{}\n' })
    expect(requests).toHaveLength(1)
  })

  it('work by a relative path, and by name from their own folder', async () => {
    const { socket, env } = place()
    const requests = await recorder(socket)
    await run(['./stop.sh'], env, '{}', HOOKS)
    await run(['sh', 'stop.sh'], env, '{}', HOOKS)
    expect(requests).toHaveLength(2)
  })

  it('fail open where they were copied without what they need', async () => {
    const { folder, env } = place()
    copyFileSync(hook('stop'), join(folder, 'stop.sh'))
    const ran = await run([join(folder, 'stop.sh')], env)
    expect(ran).toMatchObject({ status: 0, stdout: '' })
    expect(ran.stderr).toContain('post.sh is missing')
  })

  it('spool where a dead daemon left its socket', async () => {
    const { socket, env, spooled } = place()
    const child = spawn(
      process.execPath,
      [
        '-e',
        `require('net').createServer().listen(${JSON.stringify(socket)},()=>console.log('up'))`,
      ],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const ran = await run([hook('stop')], env)
    expect(ran).toMatchObject({ status: 0, stdout: '{"decision":"allow"}\n' })
    expect(await spooled()).toMatchObject([{ event: 'stop', token: TOKEN, body: { a: 1 } }])
  })

  it('spool when the daemon dies in the middle, or is stuck', async () => {
    const { socket, env, spooled } = place()
    await recorder(socket, (request) => {
      if (request.url !== '/v1/hooks/stop') request.socket.destroy()
    })
    expect(await run([hook('prompt')], env)).toMatchObject({ status: 0, stdout: '' })
    expect(await run([hook('stop')], { ...env, EXOMONAD_STOP_TIMEOUT: '1' })).toMatchObject({
      status: 0,
      stdout: '{"decision":"allow"}\n',
    })
    expect(await spooled()).toMatchObject([
      { event: 'prompt', body: { a: 1 } },
      { event: 'stop', body: { a: 1 } },
    ])
  })

  it('say what is lost where there is no spool', async () => {
    const { env, folder } = place()
    for (const EXOMONAD_SPOOL of ['', join(folder, 'nowhere')]) {
      const ran = await run([hook('prompt')], { ...env, EXOMONAD_SPOOL })
      expect(ran).toMatchObject({ status: 0, stdout: '' })
      expect(ran.stderr).toContain('is lost')
    }
  })

  it('say it where curl is missing', async () => {
    const { socket, env, spooled, folder } = place()
    await recorder(socket)
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    for (const tool of ['cat', 'date', 'mv', 'rm', 'timeout']) {
      const found = findTool(tool)
      if (found !== undefined) copyFileSync(found, join(bin, tool))
    }
    const ran = await run([hook('stop')], { ...env, PATH: bin })
    expect(ran).toMatchObject({ status: 0, stdout: '{"decision":"allow"}\n' })
    expect(ran.stderr).toContain('curl is missing')
    expect(await spooled()).toHaveLength(1)
  })

  it('pass on what the daemon refuses as words, without spooling it', async () => {
    const { socket, env, spooled } = place()
    await recorder(socket, (_request, response) =>
      response.writeHead(403).end('{"error":"dev was killed","code":"NOT_ALLOWED"}'),
    )
    const ran = await run([hook('stop')], env)
    expect(ran).toMatchObject({ status: 0, stdout: '{"decision":"allow"}\n' })
    expect(ran.stderr).toContain('dev was killed')
    expect(await spooled()).toEqual([])
  })

  it.runIf(process.platform === 'linux')(
    'never show the token in the list of processes',
    async () => {
      const { socket, env } = place()
      const waiting: ServerResponse[] = []
      await recorder(socket, (_request, response) => void waiting.push(response))
      const running = run([hook('stop')], env)
      await waitFor('the request', () => waiting.length > 0)
      const commandLines = readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map((pid) => {
          try {
            return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
          } catch {
            return ''
          }
        })
      expect(commandLines.some((line) => line.startsWith('curl') && line.includes(socket))).toBe(
        true,
      )
      expect(commandLines.filter((line) => line.includes(TOKEN))).toEqual([])
      waiting[0]?.end('{"decision":"block","objection":"dirty","reason":"commit"}')
      expect(await running).toEqual({
        status: 0,
        stdout: '{"decision":"block","objection":"dirty","reason":"commit"}\n',
        stderr: '',
      })
    },
  )

  it('do not listen to the user’s curl settings', async () => {
    const { socket, env, folder } = place()
    const requests = await recorder(socket)
    writeFileSync(join(folder, '.curlrc'), 'verbose\nproxy = "http://127.0.0.1:9"\n')
    const ran = await run([hook('tool')], {
      ...env,
      HOME: folder,
      CURL_HOME: folder,
      http_proxy: 'http://127.0.0.1:9',
      ALL_PROXY: 'http://127.0.0.1:9',
    })
    expect(ran).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(requests).toHaveLength(1)
  })

  it('reach the daemon’s own server', async () => {
    const { socket, env } = place()
    const said: unknown[] = []
    const core = scriptedCore({
      hooks: {
        promptSubmit: async (caller, facts) => void said.push([caller.agent.name, facts]),
        stop: async () => ({
          decision: 'block',
          objection: 'dirty',
          reason: 'commit “a.txt” first',
        }),
      },
    })
    await serve(core, socket)
    expect(await run([hook('prompt')], env, '{"prompt":"go [m-1]"}')).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    })
    expect(said).toEqual([['dev', { prompt: 'go [m-1]' }]])
    expect(JSON.parse((await run([hook('stop')], env)).stdout)).toEqual({
      decision: 'block',
      objection: 'dirty',
      reason: 'commit “a.txt” first',
    })
    const ran = await run([hook('stop')], { ...env, EXOMONAD_TOKEN: 'wrong' })
    expect(ran).toMatchObject({ status: 0, stdout: '{"decision":"allow"}\n' })
    expect(ran.stderr).toContain('UNAUTHORIZED')
  })

  it('say it to the daemon where the stop check goes on for one that was ended', async () => {
    const { socket, env } = place()
    const signals: (AbortSignal | undefined)[] = []
    const core = scriptedCore({
      hooks: {
        stop: async (_caller, { signal } = {}) => {
          signals.push(signal)
          await new Promise((resolve) => signal?.addEventListener('abort', resolve))
          return { decision: 'allow' }
        },
      },
    })
    await serve(core, socket)
    const child = spawn(hook('stop'), [], { env, stdio: 'ignore', detached: true })
    const [signal] = await waitFor('the check', () => (signals.length > 0 ? signals : undefined))
    expect(signal?.aborted).toBe(false)
    // With the curl that it waits for, as Ctrl-C ends both.
    process.kill(-(child.pid ?? 0), 'SIGKILL')
    await waitFor('the daemon to know', () => signal?.aborted === true)
  })
})
