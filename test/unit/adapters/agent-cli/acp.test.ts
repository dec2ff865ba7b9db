import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AcpSessions } from '../../../../src/adapters/agent-cli/acp/options.ts'
import type { LiveAgent } from '../../../../src/adapters/agent-cli/agent-cli.ts'
import { spokenForBy } from '../../../../src/adapters/agent-cli/known.ts'
import { exec } from '../../../../src/processes/exec.ts'
import type { HostedSession } from '../../../../src/adapters/terminals/headless.ts'
import { acpSchema } from '../../../../src/config/sections/agent-schema.ts'
import { loadAgentClis, NO_SESSIONS } from '../../../../src/daemon/agent-clis.ts'
import { newAgentId, type PaneId } from '../../../../src/domain/ids.ts'
import { launchRequest } from '../../../conformance/agent-cli/suite.ts'

const PANE = 'r-1' as PaneId
const { createAcp } = await loadAgentClis()

function machine() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 't-')))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const install = (name: string): string => {
    const file = join(folder, name)
    writeFileSync(file, '#!/bin/sh\n')
    chmodSync(file, 0o755)
    return file
  }
  const cli = (
    config: object = {},
    more: {
      name?: string
      sessions?: Partial<AcpSessions>
      variables?: Record<string, string>
    } = {},
  ) =>
    createAcp({
      name: more.name ?? 'mine',
      config: acpSchema.parse({ command: ['mine', '--acp'], ...config }),
      path: folder,
      node: '/opt/node',
      home: folder,
      userHome: folder,
      variables: more.variables ?? {},
      exec,
      sessions: { ...NO_SESSIONS, ...more.sessions },
    })
  return { folder, install, cli }
}

const session = (facts: Partial<HostedSession> = {}): HostedSession => ({
  agentId: newAgentId(),
  sessionId: 's-1',
  state: 'idle',
  reason: null,
  turns: 0,
  toolCalls: 0,
  lastText: '',
  usage: null,
  models: [],
  modes: [],
  canLoad: true,
  ...facts,
})
const live = (facts: Partial<LiveAgent> = {}): LiveAgent => ({
  agentId: newAgentId(),
  paneId: PANE,
  pid: 1,
  worktree: '/w',
  session: null,
  folder: '/f',
  channel: null,
  title: null,
  ...facts,
})
const pane = (dead: boolean) => ({
  ...{
    paneId: PANE,
    agentId: null,
    pid: 1,
    name: '',
    title: null,
    dead,
    exitCode: null,
    exitSignal: null,
  },
  ...{
    inMode: false,
    foreground: null,
    humanActiveAt: null,
    pasted: undefined,
    entered: undefined,
  },
})

describe('the launch of a session', () => {
  it('hands over exomonad’s tools by HTTP, else by `exomonad mcp`, with no secret but the names of variables', async () => {
    const { install, cli } = machine()
    const file = install('mine')
    const { argv, acp, env } = await cli({ env: { MINE: '1' } }).plan(launchRequest())
    expect([argv, env['MINE']]).toEqual([[file, '--acp'], '1'])
    expect(
      acp?.mcpServers.map((server) =>
        server.type === 'http' ? server.headers : [server.command, ...server.args],
      ),
    ).toEqual([[{ name: 'Authorization', value: 'Bearer ${EXOMONAD_TOKEN}' }], ['exomonad', 'mcp']])
    expect(
      (await cli().plan(launchRequest({ mcpUrl: null }))).acp?.mcpServers.map(({ type }) => type),
    ).toEqual(['stdio'])
    expect((await cli().plan(launchRequest({ noTools: true }))).acp?.mcpServers).toEqual([])
  })

  it('takes model, mode and rounds from the request, else from the configuration', async () => {
    const { install, cli } = machine()
    install('mine')
    const mine = cli({ model: 'small', mode: 'plan' })
    expect((await mine.plan(launchRequest())).acp).toMatchObject({
      model: 'small',
      mode: 'plan',
      maxTurns: null,
      load: null,
    })
    const asked = launchRequest({ model: 'big', sessionMode: 'code', maxTurns: 3 })
    expect((await mine.plan(asked)).acp).toMatchObject({ model: 'big', mode: 'code', maxTurns: 3 })
  })

  it('decides permissions by the role’s policy, and what that leaves open by its own table', async () => {
    const { install, cli } = machine()
    install('mine')
    const decided = async (policy: 'off' | 'ask' | 'list' | 'all', config: object = {}) => {
      const { acp } = await cli(config).plan(
        launchRequest({ permissions: { policy, allow: policy === 'list' ? ['git '] : [] } }),
      )
      return [acp?.permission, acp?.allow]
    }
    expect(await decided('off')).toEqual(['ask', []])
    expect(await decided('off', { permission: 'deny', allow: ['read'] })).toEqual([
      'deny',
      ['read'],
    ])
    expect(await decided('all', { permission: 'deny' })).toEqual(['allow', []])
    expect(await decided('list', { permission: 'allow', allow: ['read'] })).toEqual([
      'ask',
      ['git ', 'read'],
    ])
    expect(await decided('ask', { permission: 'allow' })).toEqual(['ask', []])
  })

  it('loads its own session on a resumption, and says what it can’t go on with', async () => {
    const { install, cli } = machine()
    install('mine')
    const own = { id: 's-7', transcript: null }
    expect(await cli().plan(launchRequest({ mode: 'resume', session: own }))).toMatchObject({
      session: 'resumed',
      sessionId: 's-7',
      acp: { load: 's-7' },
      warnings: [],
    })
    expect(await cli().plan(launchRequest({ mode: 'resume' }))).toMatchObject({
      session: 'fresh',
      acp: { load: null },
      warnings: [expect.stringContaining('no session is known')],
    })
    expect(await cli().plan(launchRequest({ mode: 'fork', session: own }))).toMatchObject({
      session: 'fresh',
      acp: { load: null },
      warnings: [expect.stringContaining('can’t be forked')],
    })
  })

  it('puts what a fork inherits into its prompt, since its file requests end at its worktree', async () => {
    const { folder, install, cli } = machine()
    install('mine')
    const transcript = join(folder, 'parent.txt')
    writeFileSync(transcript, `${'old '.repeat(50_000)}the last word`)
    const { acp } = await cli().plan(launchRequest({ prompt: 'Go on.', transcript }))
    expect(acp?.prompt?.startsWith(`Go on.\n\nThe end of ${transcript}`)).toBe(true)
    expect(acp?.prompt?.endsWith('the last word')).toBe(true)
    expect(acp?.prompt?.length).toBeLessThan(101_000)
  })
})

describe('the start of a session', () => {
  const settled = (sessions: Partial<AcpSessions>, load: string | null = null) => {
    const { cli } = machine()
    const request = launchRequest(
      load === null ? {} : { mode: 'resume', session: { id: load, transcript: null } },
    )
    const plan = {
      argv: [],
      env: {},
      files: [],
      session: 'fresh',
      sessionId: null,
      channel: null,
      warnings: [],
    } as const
    const acp = {
      mcpServers: [],
      prompt: null,
      load,
      model: null,
      mode: null,
      permission: 'ask',
      allow: [],
      maxTurns: null,
    } as const
    return cli({}, { sessions }).settle?.(live(), request, { ...plan, acp })
  }

  it('is waited for, and reports the session', async () => {
    let looks = 0
    const begins = async () =>
      session(
        ++looks < 3
          ? { state: 'starting', sessionId: null }
          : { state: 'running', sessionId: 's-1' },
      )
    expect(await settled({ session: begins, inspect: async () => pane(false) })).toEqual({
      session: { id: 's-1', transcript: null },
      forked: false,
      warnings: [],
    })
  })

  it('says so where the old session could not be taken up', async () => {
    const answer = await settled(
      { session: async () => session(), inspect: async () => pane(false) },
      's-0',
    )
    expect(answer).toMatchObject({
      warnings: [expect.stringContaining('[acp.mine] could not take up session s-0')],
    })
  })

  it('has not come up, and is not started again, where the program ends before', async () => {
    const sessions = {
      session: async () => session({ state: 'starting', sessionId: null }),
      inspect: async () => pane(true),
    }
    const answer = await settled(sessions)
    if (answer === undefined || !('notUp' in answer)) throw new Error('it came up')
    expect(answer.notUp).toBe('The program of [acp.mine] ended before its session began')
    expect(answer.again('no such model: huge')).toBe('no')
  })
})

describe('a running session', () => {
  it('is seen as the host sees it', async () => {
    const { cli } = machine()
    const seen = async (facts: Partial<HostedSession>) =>
      (await cli({}, { sessions: { session: async () => session(facts) } }).observe?.(live()))
        ?.state
    expect([
      await seen({ state: 'starting' }),
      await seen({ state: 'running' }),
      await seen({ state: 'idle', reason: 'end_turn' }),
    ]).toEqual(['running', 'running', 'idle'])
    expect(
      await cli(
        {},
        { sessions: { session: async () => session({ state: 'waiting', reason: 'to use Edit' }) } },
      ).observe?.(live()),
    ).toEqual({
      state: 'waiting',
      reason: 'to use Edit',
      source: 'session',
    })
  })

  it('is given messages as prompts, by its pane, and never by typing', async () => {
    const { cli } = machine()
    const prompts: unknown[] = []
    const mine = cli(
      {},
      {
        sessions: {
          prompt: async (...prompt) => (prompts.push(prompt), { kind: 'accepted' }),
          mentions: async (_, words) => words.slice(0, 1),
        },
      },
    )
    expect(await mine.channel?.send(live(), 'Hello')).toEqual({ kind: 'accepted' })
    expect([prompts, mine.channel?.midTurn, mine.inputLine?.('')]).toEqual([
      [[PANE, 'Hello']],
      false,
      'unseen',
    ])
    expect(await mine.mentions?.(live(), ['m-1', 'm-2'])).toEqual(new Set(['m-1']))
    expect(await mine.channel?.send(live({ paneId: null }), 'Hello')).toMatchObject({
      kind: 'refused',
    })
  })

  it('reports what happens in it in the host’s words', () => {
    const { hooks } = machine().cli()
    expect(hooks?.read('session-start', { sessionId: 's-1' })).toEqual({
      kind: 'session-start',
      sessionId: 's-1',
    })
    expect(hooks?.read('prompt', { prompt: 'Do it' })).toEqual({ kind: 'prompt', prompt: 'Do it' })
    expect(
      hooks?.read('tool-start', { id: 't', tool: 'Edit a', kind: 'edit', detail: 'a' }),
    ).toEqual({ kind: 'tool-start', tool: 'Edit a', detail: 'a' })
    expect(hooks?.read('tool-end', { id: 't', tool: 'Edit a', status: 'failed' })).toEqual({
      kind: 'tool-end',
      tool: 'Edit a',
      status: 'failed',
    })
    expect(hooks?.read('permission', { tool: 'Edit a', detail: 'a' })).toEqual({
      kind: 'permission',
      tool: 'Edit a',
      detail: 'a',
    })
    expect(hooks?.read('stop', { reason: 'end_turn', again: true })).toEqual({
      kind: 'stop',
      again: true,
    })
    expect([
      hooks?.read('interrupted', {})?.kind,
      hooks?.read('session-end', { reason: 'x' })?.kind,
      hooks?.read('SessionStart', {}),
    ]).toEqual(['interrupted', 'session-end', null])
    expect(hooks?.answer('stop', { kind: 'block', reason: 'Push first.' })).toEqual({
      decision: 'block',
      reason: 'Push first.',
    })
    expect(
      hooks?.answer('permission', { kind: 'permission', decision: 'deny', reason: 'no' }),
    ).toEqual({ decision: 'deny', reason: 'no' })
    expect(hooks?.answer('prompt', { kind: 'context', text: 'x' })).toBeNull()
  })
})

describe('the look at a program', () => {
  it('knows by name or command for which agent CLI it speaks', () => {
    expect([
      spokenForBy('claude-agent-acp', ['claude-agent-acp'])?.name,
      spokenForBy('x', ['node', '/opt/node_modules/@zed-industries/codex-acp/dist/index.js'])?.name,
      spokenForBy('fast', ['/usr/bin/gemini', '--acp'])?.name,
      spokenForBy('opencode', ['oc', 'acp'])?.name,
      spokenForBy('mine', ['mine']),
    ]).toEqual(['claude', 'codex', 'gemini', 'opencode', undefined])
  })

  it('says its package, and whether it could sign in', async () => {
    const { folder, cli } = machine()
    mkdirSync(join(folder, 'pkg', 'dist'), { recursive: true })
    writeFileSync(join(folder, 'pkg', 'package.json'), '{"name":"codex-acp","version":"1.2.3"}')
    writeFileSync(join(folder, 'pkg', 'dist', 'index.js'), '')
    chmodSync(join(folder, 'pkg', 'dist', 'index.js'), 0o755)
    symlinkSync(join(folder, 'pkg', 'dist', 'index.js'), join(folder, 'codex-acp'))
    const codex = (variables: Record<string, string>, env: Record<string, string> = {}) =>
      cli({ command: ['codex-acp'], env }, { name: 'codex-acp', variables }).diagnose('/repository')
    expect(
      await codex({ OPENAI_API_KEY: 'k' }, { DEFAULT_AUTH_REQUEST: '{"methodId":"api-key"}' }),
    ).toEqual([
      { status: 'ok', found: 'codex-acp 1.2.3' },
      { status: 'ok', found: 'signs in by DEFAULT_AUTH_REQUEST' },
    ])
    expect((await codex({}, { CODEX_CONFIG: '{"model_provider":"mine"}' }))[1]).toEqual({
      status: 'ok',
      found: 'a model provider of your own',
    })
    // With a bare key it says “Authentication required”.
    expect((await codex({ OPENAI_API_KEY: 'k' }))[1]).toMatchObject({
      status: 'warning',
      fix: expect.stringContaining('codex login'),
    })
    writeFileSync(
      join(folder, 'pkg', 'package.json'),
      '{"name":"@agentclientprotocol/codex-acp","version":"1.2.3"}',
    )
    expect((await codex({}))[0]).toMatchObject({
      status: 'warning',
      found: expect.stringContaining('tested with 2.6.0'),
    })
    expect(await cli({ command: ['gone'] }).locate()).toMatchObject({
      kind: 'missing',
      reason: expect.stringContaining('[acp.mine]'),
    })
  })
})
