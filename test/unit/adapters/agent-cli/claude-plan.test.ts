import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { LaunchRequest } from '../../../../src/adapters/agent-cli/agent-cli.ts'
import { createClaudeCli } from '../../../../src/adapters/agent-cli/claude/adapter.ts'
import { planClaude } from '../../../../src/adapters/agent-cli/claude/plan.ts'
import { exec } from '../../../../src/processes/exec.ts'
import { claude } from '../../../../src/adapters/agent-cli/claude/claude.ts'
import { agentSchema } from '../../../../src/config/sections/agent-schema.ts'
import { launchRequest } from '../../../conformance/agent-cli/suite.ts'

const PARENT = '11111111-2222-4333-8444-555555555555'

function person(config: object = {}, variables: Record<string, string> = {}) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'claude-')))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const program = join(home, 'bin', 'claude')
  mkdirSync(dirname(program))
  writeFileSync(program, '#!/bin/sh\n')
  chmodSync(program, 0o755)
  const options = {
    name: 'claude',
    config: agentSchema.parse({ ...claude.preset, ...config }),
    path: dirname(program),
    node: '/opt/node',
    home,
    userHome: home,
    variables,
    exec,
  }
  const keep = (id: string, folder = join(home, '.claude')): string => {
    const file = join(folder, 'projects', '-some-folder', `${id}.jsonl`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, '{}\n')
    return file
  }
  const plan = async (facts: Partial<LaunchRequest> = {}, isRoot = false) => {
    const made = await planClaude(options, launchRequest(facts), isRoot)
    const file = (name: string) =>
      JSON.parse(made.files.find(({ path }) => path.endsWith(name))?.content ?? 'null')
    return {
      ...made,
      args: made.argv.slice(1),
      settings: file('claude-settings.json'),
      mcp: file('claude-mcp.json').mcpServers.exomonad,
    }
  }
  return { home, program, options, keep, plan, cli: () => createClaudeCli(options) }
}

const after = (args: readonly string[], flag: string): string | undefined =>
  args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined

describe('a launch of Claude Code', () => {
  it('starts with settings, tools and a session id of its own, and the prompt at its end', async () => {
    const { plan, program } = person({ model: 'opus', args: ['--verbose'] })
    const request = launchRequest()
    const { argv, args, session, sessionId } = await plan(request)
    expect(argv[0]).toBe(program)
    expect(after(args, '--settings')).toBe(`${request.folder}/claude-settings.json`)
    expect(after(args, '--mcp-config')).toBe(`${request.folder}/claude-mcp.json`)
    expect([after(args, '--session-id'), after(args, '--model'), session]).toEqual([
      request.agentId,
      'opus',
      'fresh',
    ])
    expect(sessionId).toBe(request.agentId)
    expect(args.slice(-3)).toEqual(['--verbose', '--', request.prompt])
    expect(args).not.toContain('--strict-mcp-config')
  })

  it('says in its hooks what happened, and gives only a person’s decision time', async () => {
    const { plan } = person()
    const hookScript = "/it's/program.sh"
    const { settings } = await plan({ hookScript })
    expect(settings.hooks.Stop).toEqual([
      {
        hooks: [
          {
            type: 'command',
            command: `sh '/it'\\''s/program.sh' Stop`,
            timeout: expect.any(Number),
          },
        ],
      },
    ])
    expect(settings.hooks.Stop[0].hooks[0].timeout).toBeGreaterThan(65)
    expect(settings.hooks.PermissionRequest[0].hooks[0].timeout).toBeLessThan(60)
    const asking = await plan({ permissions: { policy: 'ask', allow: [] } })
    expect(asking.settings.hooks.PermissionRequest[0].hooks[0].timeout).toBe(86_400)
  })

  it('allows the tree’s tools and, by policy, what the person said', async () => {
    const { plan } = person()
    const allow = ['Bash(git commit:*)']
    const off = await plan({ permissions: { policy: 'off', allow } })
    expect(off.settings.permissions.allow).toEqual(['mcp__exomonad'])
    expect(off.args.filter((part) => part.includes('permission'))).toEqual([])
    const list = await plan({ permissions: { policy: 'list', allow } })
    expect(list.settings.permissions.allow).toEqual(['mcp__exomonad', ...allow])
    const ask = await plan({ permissions: { policy: 'ask', allow } })
    expect(after(ask.args, '--permission-mode')).toBe('default')
    const all = await plan({ permissions: { policy: 'all', allow } }, true)
    expect(all.args).toContain('--dangerously-skip-permissions')
    expect(all.settings.skipDangerousModePermissionPrompt).toBe(true)
    expect(all.env['IS_SANDBOX']).toBe('1')
    expect(
      (await plan({ permissions: { policy: 'all', allow } }, false)).env['IS_SANDBOX'],
    ).toBeUndefined()
  })

  it('reaches the tools over HTTP with a token that stands in no file, or on stdio, and waits for the longest of them', async () => {
    const { plan } = person()
    expect((await plan()).mcp).toEqual({
      type: 'http',
      url: 'http://127.0.0.1:4100/mcp',
      headers: { Authorization: 'Bearer ${EXOMONAD_TOKEN}' },
      alwaysLoad: true,
      timeout: 86_460_000,
    })
    expect((await plan({ mcpUrl: null })).mcp).toMatchObject({
      type: 'stdio',
      command: 'exomonad',
      args: ['mcp'],
    })
  })

  it.each(['-p', '--help', '!touch x', '@README.md', '# heading'])(
    'takes %j for a prompt',
    async (prompt) => {
      const { args } = await person().plan({ prompt })
      expect(args.slice(-2)).toEqual(['--', prompt])
    },
  )

  it('takes a prompt that looks like a command for a prompt, and none for none', async () => {
    const { plan } = person()
    for (const prompt of ['/quit', ' \n/quit'])
      expect((await plan({ prompt })).args.slice(-2)).toEqual(['--', `Your task:\n${prompt}`])
    expect((await plan({ prompt: '  ' })).args).not.toContain('--')
  })

  it('has a prompt that is too long for an argument read from its file', async () => {
    const { args, settings } = await person().plan({ prompt: 'ü'.repeat(60_000) })
    expect(args.at(-1)).toContain('/state/prompts/auth.md')
    expect(settings.permissions.allow).toContain('Read(//state/prompts/auth.md)')
  })

  it('may read the file of what its parent’s terminal showed', async () => {
    const { settings } = await person().plan({ transcript: '/state/agents/auth/parent.txt' })
    expect(settings.permissions.allow).toContain('Read(//state/agents/auth/parent.txt)')
  })

  it('forks the parent’s conversation wherever it was begun', async () => {
    const { plan, keep } = person()
    const request = launchRequest({
      mode: 'fork',
      session: { id: PARENT, transcript: keep(PARENT) },
    })
    const { args, session, sessionId, warnings } = await plan(request)
    expect(args.slice(4, 9)).toEqual([
      '--resume',
      PARENT,
      '--fork-session',
      '--session-id',
      request.agentId,
    ])
    expect([session, sessionId, warnings]).toEqual(['forked', request.agentId, []])
    expect((await plan({ mode: 'fork', session: { id: PARENT, transcript: null } })).session).toBe(
      'forked',
    )
  })

  it('forks one whose transcript is only being written, as of an agent that spawns in its first step', async () => {
    const { plan, keep } = person()
    const planned = plan({ mode: 'fork', session: { id: PARENT, transcript: null } })
    // It is looked for and not found by then.
    await delay(200)
    keep(PARENT)
    expect(await planned).toMatchObject({ session: 'forked', warnings: [] })
  })

  it('resumes its own', async () => {
    const { plan, keep } = person()
    const { args, session, sessionId } = await plan({
      mode: 'resume',
      session: { id: PARENT, transcript: keep(PARENT) },
    })
    expect(args.slice(4, 6)).toEqual(['--resume', PARENT])
    expect(args).not.toContain('--session-id')
    expect([session, sessionId]).toEqual(['resumed', PARENT])
  })

  it('starts fresh with a warning where the session is gone, unreadable or no session', async () => {
    const { plan, keep } = person()
    for (const id of [PARENT, '--dangerously-skip-permissions', '../../etc/passwd']) {
      const { args, session, warnings } = await plan({
        mode: 'fork',
        session: { id, transcript: '/nowhere.jsonl' },
      })
      expect([session, warnings.length]).toEqual(['fresh', 1])
      expect(args).not.toContain(id)
    }
    const locked = keep(PARENT)
    chmodSync(locked, 0o000)
    // Root reads it all the same.
    if (process.getuid?.() !== 0)
      expect(
        (await plan({ mode: 'resume', session: { id: PARENT, transcript: locked } })).session,
      ).toBe('fresh')
  })

  it('takes another id where its own was used before', async () => {
    const { plan, keep } = person()
    const request = launchRequest()
    keep(request.agentId)
    const { sessionId } = await plan(request)
    expect(sessionId).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
    expect(sessionId).not.toBe(request.agentId)
    keep(sessionId ?? '')
    expect((await plan(request)).sessionId).not.toBe(sessionId)
  })

  it('looks for sessions where the person’s configuration is', async () => {
    const { keep, plan, home } = person(
      {},
      { CLAUDE_CONFIG_DIR: join(realpathSync(tmpdir()), 'claude-elsewhere') },
    )
    keep(PARENT, join(home, '.claude'))
    expect((await plan({ mode: 'fork', session: { id: PARENT, transcript: null } })).session).toBe(
      'fresh',
    )
  })

  it('does without the project’s MCP servers that the person has not decided about, so that no dialog asks', async () => {
    const { plan, home } = person()
    const repository = join(home, 'repository')
    const worktree = join(home, 'worktree')
    for (const folder of [repository, worktree])
      mkdirSync(join(folder, '.claude'), { recursive: true })
    expect((await plan({ repository, worktree })).settings.disabledMcpjsonServers).toBeUndefined()
    writeFileSync(
      join(worktree, '.mcp.json'),
      JSON.stringify({ mcpServers: { liked: {}, refused: {}, unknown: {} } }),
    )
    const decisions = join(repository, '.claude', 'settings.local.json')
    writeFileSync(
      decisions,
      JSON.stringify({ enabledMcpjsonServers: ['liked'], disabledMcpjsonServers: ['refused'] }),
    )
    expect((await plan({ repository, worktree })).settings.disabledMcpjsonServers).toEqual([
      'unknown',
    ])
    writeFileSync(decisions, JSON.stringify({ enableAllProjectMcpServers: true }))
    expect((await plan({ repository, worktree })).settings.disabledMcpjsonServers).toBeUndefined()
  })

  it('keeps loopback out of a proxy, and lets the configuration’s variables win', async () => {
    expect((await person().plan()).env['NO_PROXY']).toBeUndefined()
    const { env } = await person(
      { env: { DISABLE_AUTOUPDATER: '0' } },
      { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: '.corp' },
    ).plan()
    expect(env).toMatchObject({ NO_PROXY: '.corp,127.0.0.1,localhost', DISABLE_AUTOUPDATER: '0' })
  })
})

describe('the environment that Claude Code is passed', () => {
  const passes = (variables: Record<string, string>, name: string) =>
    person({}, variables)
      .cli()
      .passes.some((pass) =>
        pass.endsWith('*') ? name.startsWith(pass.slice(0, -1)) : name === pass,
      )

  it('holds keys and addresses, of other clouds only where it runs there, and nothing of a session that the daemon runs in', () => {
    for (const name of [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_BASE_URL',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'HTTPS_PROXY',
    ])
      expect(passes({}, name)).toBe(true)
    for (const name of [
      'CLAUDECODE',
      'CLAUDE_CODE_ENTRYPOINT',
      'CLAUDE_CODE_SESSION_ID',
      'CLAUDE_CODE_SSE_PORT',
      'GITHUB_TOKEN',
      'AWS_SECRET_ACCESS_KEY',
    ])
      expect(passes({}, name)).toBe(false)
    expect(passes({ CLAUDE_CODE_USE_BEDROCK: '1' }, 'AWS_SECRET_ACCESS_KEY')).toBe(true)
  })
})
