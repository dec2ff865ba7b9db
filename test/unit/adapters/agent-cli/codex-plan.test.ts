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
import { dirname, join } from 'node:path'
import { parse } from 'smol-toml'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { LaunchPlan } from '../../../../src/adapters/agent-cli/agent-cli.ts'
import { createCodexCli } from '../../../../src/adapters/agent-cli/codex/adapter.ts'
import type { ExecOptions, ExecResult } from '../../../../src/processes/exec.ts'
import { codex } from '../../../../src/adapters/agent-cli/codex/codex.ts'
import { agentSchema } from '../../../../src/config/sections/agent-schema.ts'
import { launchRequest } from '../../../conformance/agent-cli/suite.ts'

const ID = '01a200eb-f663-7390-9e99-019955e15f74'
const DONE: ExecResult = {
  exitCode: 0,
  signal: null,
  stdout: '',
  stderr: '',
  timedOut: false,
  startError: null,
}

function setUp(config: object = {}, variables: Record<string, string> = {}) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'codex-')))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const ran: { args: readonly string[]; options: ExecOptions | undefined }[] = []
  let answer: (args: readonly string[]) => Partial<ExecResult> = () => ({})
  writeFileSync(join(home, 'codex'), '#!/bin/sh\n', { mode: 0o755 })
  const cli = createCodexCli({
    name: 'codex',
    config: agentSchema.parse({ ...codex.preset, ...config }),
    path: home,
    node: '/node',
    home,
    userHome: home,
    variables,
    exec: async (_file, args, options) => {
      ran.push({ args, options })
      return { ...DONE, ...answer(args) }
    },
  })
  return {
    cli,
    home,
    ran,
    answers: (next: Partial<ExecResult> | typeof answer) =>
      void (answer = typeof next === 'function' ? next : () => next),
  }
}

/** What Codex makes of the `-c` of an argv. */
function configured({ argv }: LaunchPlan): any {
  const lines = argv.flatMap((argument, index) =>
    argument === '-c' ? [argv[index + 1] ?? ''] : [],
  )
  return parse(lines.map((line) => line.replace('=', ' = ')).join('\n'))
}

function session(home: string): string {
  const path = join(
    home,
    '.codex',
    'sessions',
    '2026',
    '11',
    '22',
    `rollout-2026-11-22T01-43-13-${ID}.jsonl`,
  )
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '')
  return path
}

describe('how Codex is started', () => {
  it('goes in by flags: tools, hooks, trust, and the task at the end', async () => {
    const request = launchRequest({
      prompt: '--help me',
      hookScript: "/it's here/program.sh",
      worktree: '/w "t" ü',
      repository: '/r',
    })
    const plan = await setUp({
      model: 'gpt-6.1-sol',
      args: ['-c', 'model_provider="mock"'],
    }).cli.plan(request)
    expect(plan.argv.slice(0, 4)).toEqual(['codex', '--no-daemon', '-C', '/w "t" ü'])
    expect(plan.argv.slice(-6)).toEqual([
      '-m',
      'gpt-6.1-sol',
      '-c',
      'model_provider="mock"',
      '--',
      '--help me',
    ])
    const config = configured(plan)
    expect(config.projects).toEqual({
      '/r': { trust_level: 'trusted' },
      '/w "t" ü': { trust_level: 'trusted' },
    })
    expect(config.mcp_servers.exomonad).toEqual({
      url: 'http://127.0.0.1:4100/mcp',
      bearer_token_env_var: 'EXOMONAD_TOKEN',
      default_tools_approval_mode: 'approve',
      required: true,
      startup_timeout_sec: 30,
      tool_timeout_sec: 86_460,
    })
    expect(config.hooks.Stop).toEqual([
      {
        hooks: [
          {
            type: 'command',
            command: String.raw`sh '/it'\''s here/program.sh' Stop`,
            timeout: 3600,
          },
        ],
      },
    ])
    expect(plan.files).toEqual([])
    expect(plan.argv.join('\n')).not.toContain('--dangerously')
  })

  it('serves MCP by `exomonad mcp` where it is not served over HTTP, with the variables it needs', async () => {
    const { exomonad } = configured(
      await setUp().cli.plan(launchRequest({ mcpUrl: null })),
    ).mcp_servers
    expect(exomonad).toMatchObject({ command: 'exomonad', args: ['mcp'] })
    expect(exomonad.env_vars).toEqual(
      expect.arrayContaining(['EXOMONAD_SOCKET', 'EXOMONAD_TOKEN', 'EXOMONAD_AUTH_FILE']),
    )
    expect(exomonad).not.toHaveProperty('url')
  })

  it('says of each of its hooks, and of no other, that it may run', async () => {
    const { hooks } = configured(
      await setUp().cli.plan(launchRequest({ hookScript: '/tmp/cx/hook.sh' })),
    )
    const { state, ...events } = hooks
    expect(Object.keys(state)).toHaveLength(Object.keys(events).length)
    // As codex 0.169.0 wrote them when a person had trusted these very hooks. The last has a limit
    // of 3 s.
    const key = (event: string) => `/<session-flags>/config.toml:${event}:0:0`
    expect(state[key('session_start')].trusted_hash).toBe(
      'sha256:cd3e22d6a576712deb9dfd4248821b2b0098809acad7ab742641df022377d7ee',
    )
    expect(state[key('pre_tool_use')].trusted_hash).toBe(
      'sha256:a83be79acbcef971b23de065446edfcb14245b314f0ac725199078f86fc3f282',
    )
    expect(state[key('interrupt')].trusted_hash).toBe(
      'sha256:ca962d172c65b43f5b5805df9ec2115bf000e911d42de4820b216694470889f0',
    )
  })

  it('trusts the repository by its real name as well', async () => {
    const { cli, home } = setUp()
    mkdirSync(join(home, 'real'))
    symlinkSync(join(home, 'real'), join(home, 'link'))
    const { projects } = configured(
      await cli.plan(
        launchRequest({ repository: join(home, 'link'), worktree: join(home, 'real') }),
      ),
    )
    expect(Object.keys(projects)).toEqual([join(home, 'link'), join(home, 'real')])
  })

  it('points to the file of a task that is too long for an argument', async () => {
    const request = launchRequest({ prompt: 'ü'.repeat(60_000) })
    const { argv } = await setUp().cli.plan(request)
    expect(argv.at(-1)).toContain(request.promptFile)
    const whole = 'x'.repeat(20_000)
    expect((await setUp().cli.plan(launchRequest({ prompt: whole }))).argv.at(-1)).toBe(whole)
  })
})

describe('the conversation that Codex begins with', () => {
  it('is a fork of the parent’s, or its own again', async () => {
    const { cli, home } = setUp()
    const transcript = session(home)
    const forked = await cli.plan(
      launchRequest({ mode: 'fork', session: { id: ID, transcript }, prompt: 'Go.' }),
    )
    expect(forked.argv.slice(-4)).toEqual(['fork', ID, '--', 'Go.'])
    expect(forked).toMatchObject({ session: 'forked', sessionId: null, warnings: [] })
    const resumed = await cli.plan(
      launchRequest({ mode: 'resume', session: { id: ID, transcript: null }, prompt: '' }),
    )
    expect(resumed.argv.slice(-2)).toEqual(['resume', ID])
    expect(resumed).toMatchObject({ session: 'resumed', sessionId: ID, warnings: [] })
  })

  it.each([null, { id: ID, transcript: '/gone.jsonl' }])(
    'is fresh where there is none to take (%j), and says so',
    async (lost) => {
      const plan = await setUp().cli.plan(launchRequest({ mode: 'fork', session: lost }))
      expect(plan.session).toBe('fresh')
      expect(plan.argv).not.toContain('fork')
      expect(plan.warnings).toEqual([expect.stringContaining('starts fresh')])
    },
  )
})

describe('what Codex may do without asking', () => {
  it('is its own affair, unless the role says otherwise', async () => {
    for (const policy of ['off', 'ask'] as const) {
      const { argv, files } = await setUp().cli.plan(
        launchRequest({ permissions: { policy, allow: ['git'] } }),
      )
      expect([argv.some((argument) => argument.startsWith('--dangerously')), files]).toEqual([
        false,
        [],
      ])
    }
    const { argv } = await setUp().cli.plan(
      launchRequest({ permissions: { policy: 'all', allow: [] } }),
    )
    expect(argv).toContain('--dangerously-bypass-approvals-and-sandbox')
  })

  it('is said by rules in the worktree, which git ignores; files of the repository’s own stay', async () => {
    const { cli, home } = setUp()
    const permissions = {
      policy: 'list',
      allow: ['git commit', 'npm run "unit test"', ' '],
    } as const
    const { files, warnings } = await cli.plan(launchRequest({ worktree: home, permissions }))
    expect(warnings).toEqual([])
    expect(files.map(({ path }) => path)).toEqual([
      join(home, '.codex/rules/.gitignore'),
      join(home, '.codex/rules/exomonad.rules'),
    ])
    expect(files[0]?.content.split('\n')).toEqual(
      expect.arrayContaining(['/.gitignore', '/exomonad.rules']),
    )
    expect(files[1]?.content.match(/prefix_rule.*/g)).toEqual([
      'prefix_rule(pattern = ["git","commit"], decision = "allow")',
      'prefix_rule(pattern = ["npm","run","unit test"], decision = "allow")',
    ])
    mkdirSync(join(home, '.codex/rules'), { recursive: true })
    for (const { path, content } of files) writeFileSync(path, content)
    expect((await cli.plan(launchRequest({ worktree: home, permissions }))).files).toEqual(files)
    writeFileSync(join(home, '.codex/rules/.gitignore'), 'theirs\n')
    const refused = await cli.plan(launchRequest({ worktree: home, permissions }))
    expect([refused.files, refused.warnings]).toEqual([
      [],
      [expect.stringContaining('files of the repository’s own')],
    ])
    expect(readFileSync(join(home, '.codex/rules/.gitignore'), 'utf8')).toBe('theirs\n')
  })
})

describe('Codex’s queue as a way to give it messages', () => {
  const live = (home: string) => ({
    agentId: launchRequest().agentId,
    pid: 1,
    worktree: '/w',
    session: { id: ID, transcript: session(home) },
    folder: '/f',
    channel: null,
    title: 'Ready | w',
  })
  const turn = (home: string, type: string) =>
    writeFileSync(session(home), `${JSON.stringify({ type: 'event_msg', payload: { type } })}\n`)

  it('takes the text as it is, with the environment that the agent’s Codex has', async () => {
    const { cli, home, ran } = setUp(
      { env: { CODEX_HOME: '/mine' } },
      { CODEX_HOME: '/theirs', OPENAI_API_KEY: 'key', CODEX_THREAD_ID: 'other', SECRET: 's' },
    )
    const text = '-- first\n!second "quoted" [m-1]'
    expect(await cli.channel?.send({ ...live(home) }, text)).toEqual({ kind: 'accepted' })
    expect(ran[0]?.args).toEqual(['queue', `--thread=${ID}`, `--message=${text}`])
    expect(ran[0]?.options?.env).toEqual({
      HOME: home,
      PATH: home,
      TERM: 'dumb',
      CODEX_HOME: '/mine',
      OPENAI_API_KEY: 'key',
    })
  })

  it('is refused where Codex would not look at it, or did not take it', async () => {
    const { cli, home, ran, answers } = setUp()
    const refused = (reason: string) => ({
      kind: 'refused',
      reason: expect.stringContaining(reason),
    })
    expect(await cli.channel?.send({ ...live(home), session: null }, 'x')).toEqual(
      refused('not known'),
    )
    expect(await cli.channel?.send(live(home), 'x'.repeat(100_001))).toEqual(refused('too long'))
    const agent = live(home)
    turn(home, 'turn_aborted')
    expect(await cli.channel?.send(agent, 'x')).toEqual(refused('broken off'))
    expect(ran).toEqual([])
    turn(home, 'task_complete')
    answers({ exitCode: 1, stderr: 'WARNING: x\nError: no such thread\n' })
    expect(await cli.channel?.send(agent, 'x')).toEqual(refused('no such thread'))
  })

  it('is an open question where it was cut off', async () => {
    const { cli, home, answers } = setUp()
    answers({ exitCode: null, signal: 'SIGTERM', timedOut: true })
    await expect(cli.channel?.send(live(home), 'x')).rejects.toThrow('SIGTERM')
  })
})

describe('what Codex is seen doing', () => {
  const live = {
    agentId: launchRequest().agentId,
    pid: 1,
    worktree: '/w',
    session: { id: ID, transcript: null },
    folder: '/f',
    channel: null,
  }
  const event = (home: string, payload: object) =>
    writeFileSync(session(home), `${JSON.stringify({ type: 'event_msg', payload })}\n`)

  it('is what its window’s title says, and why its turn failed', async () => {
    const { cli, home } = setUp()
    expect(await cli.observe?.({ ...live, title: 'Ready | w' })).toEqual({
      state: 'idle',
      reason: null,
      source: 'screen',
    })
    event(home, { type: 'task_complete', error: { message: 'no money' } })
    expect(await cli.observe?.({ ...live, title: 'Ready | w' })).toEqual({
      state: 'idle',
      reason: 'its turn failed: no money',
      source: 'screen',
    })
    expect(await cli.observe?.({ ...live, title: '[ ! ] Action Required | w' })).toMatchObject({
      state: 'waiting',
    })
    expect(await cli.observe?.({ ...live, title: 'vm' })).toMatchObject({ state: 'unknown' })
  })

  it('is read from its session’s file where there is no title, unless a turn is under way', async () => {
    const { cli, home } = setUp()
    expect(await cli.observe?.({ ...live, title: null })).toMatchObject({ state: 'unknown' })
    event(home, { type: 'turn_aborted' })
    for (const title of [null, undefined])
      expect(await cli.observe?.({ ...live, title })).toEqual({
        state: 'idle',
        reason: null,
        source: 'session',
      })
    event(home, { type: 'task_started' })
    expect(await cli.observe?.({ ...live, title: null })).toMatchObject({ state: 'unknown' })
  })
})

describe('what doctor says of Codex', () => {
  const installed =
    (facts: { version?: string; loggedIn?: boolean }) => (args: readonly string[]) => {
      if (args[0] === '--version') return { stdout: `codex-cli ${facts.version ?? '0.169.0'}\n` }
      if (args[0] === 'login')
        return {
          exitCode: facts.loggedIn === false ? 1 : 0,
          stdout: facts.loggedIn === false ? '' : 'Logged in using an API key\n',
        }
      return {
        stdout: JSON.stringify({
          models: [
            { slug: 'old', upgrade: { model: 'new' } },
            { slug: 'new', upgrade: null },
          ],
        }),
      }
    }

  it('compares its version with those that were tested', async () => {
    const { cli, answers } = setUp()
    answers(installed({}))
    expect(await cli.diagnose('/r')).toEqual([
      { status: 'ok', found: 'codex 0.169.0' },
      { status: 'ok', found: 'Logged in using an API key' },
    ])
    answers(installed({ version: '0.170.1' }))
    expect((await cli.diagnose('/r'))[0]).toMatchObject({
      status: 'warning',
      found: expect.stringContaining('0.170.1'),
    })
    answers({ exitCode: 1, stderr: 'broken' })
    expect(await cli.diagnose('/r')).toMatchObject([
      { status: 'problem', found: expect.stringContaining('broken') },
    ])
  })

  it('finds that nobody is signed in, unless a model provider of one’s own is named', async () => {
    const plain = setUp()
    plain.answers(installed({ loggedIn: false }))
    expect((await plain.cli.diagnose('/r'))[1]).toMatchObject({
      status: 'problem',
      fix: expect.stringContaining('codex login'),
    })
    mkdirSync(join(plain.home, '.codex'))
    writeFileSync(join(plain.home, '.codex', 'config.toml'), 'model_provider = "mine"\n')
    expect((await plain.cli.diagnose('/r'))[1]).toMatchObject({ status: 'ok' })
    const named = setUp({ args: ['-c', 'model_provider="mock"'] })
    named.answers(installed({ loggedIn: false }))
    expect((await named.cli.diagnose('/r'))[1]).toMatchObject({ status: 'ok' })
  })

  it('warns of a model that Codex would ask about, until that was answered', async () => {
    const { cli, home, answers } = setUp({ model: 'old' })
    answers(installed({}))
    expect((await cli.diagnose('/r'))[2]).toMatchObject({
      status: 'warning',
      fix: expect.stringContaining('"new"'),
    })
    mkdirSync(join(home, '.codex'))
    writeFileSync(join(home, '.codex', 'config.toml'), '[notice.model_migrations]\nold = "new"\n')
    expect(await cli.diagnose('/r')).toHaveLength(2)
  })
})
