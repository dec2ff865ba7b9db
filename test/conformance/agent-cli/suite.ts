import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AgentCli, LaunchRequest } from '../../../src/adapters/agent-cli/agent-cli.ts'
import { asBranchName, newAgentId } from '../../../src/domain/ids.ts'

/** What an adapter under test is made of: a program on a PATH of its own. */
export interface AgentCliSetup {
  /** The adapter, with its program found in `path`. */
  create(options: { path: string; home: string }): AgentCli
  /** Name of the program that it looks for on the PATH. */
  readonly program: string
  /** False for a program that is given the prompt in whatever way its configuration says. */
  readonly handlesLongPrompts?: false
}

/** What the hooks of the agent CLIs are called. */
const HOOK_EVENTS = [
  ...[
    'SessionStart',
    'UserPromptSubmit',
    'PreToolUse',
    'PostToolUse',
    'PermissionRequest',
    'Notification',
    'Stop',
    'Interrupt',
    'SessionEnd',
  ],
  ...['BeforeAgent', 'AfterAgent', 'BeforeTool', 'AfterTool', 'PreCompress'],
  ...[
    'session.idle',
    'session.status',
    'permission.asked',
    'chat.message',
    'tool.execute.before',
    'tool.execute.after',
  ],
]

export function launchRequest(facts: Partial<LaunchRequest> = {}): LaunchRequest {
  return {
    mode: 'start',
    agentId: newAgentId(),
    name: 'auth',
    role: 'dev',
    branch: asBranchName('main.auth'),
    worktree: '/repository/.exomonad/worktrees/auth',
    prompt: 'Add a login page; "quotes", $(substitutions) and\nlines stay what they are.',
    promptFile: '/state/prompts/auth.md',
    session: null,
    repository: '/repository',
    folder: '/state/agents/auth',
    hookScript: '/package/hooks/program.sh',
    mcpUrl: 'http://127.0.0.1:4100/mcp',
    permissions: { policy: 'off', allow: [] },
    toolTimeout: 86_400,
    freePort: async () => 4200,
    ...facts,
  }
}

/** What every agent program’s adapter must do. */
export function agentCliConformance(name: string, setup: AgentCliSetup): void {
  const folder = (): string => {
    const path = realpathSync(mkdtempSync(join(tmpdir(), 'cli-')))
    onTestFinished(() => rmSync(path, { recursive: true, force: true }))
    return path
  }
  const install = (path: string): string => {
    const file = join(path, setup.program)
    writeFileSync(file, '#!/bin/sh\nexit 0\n')
    chmodSync(file, 0o755)
    return file
  }

  describe(`${name} as an agent program`, () => {
    it('finds its program on the PATH it is given, and says what to do where it is not there', async () => {
      const path = folder()
      const cli = setup.create({ path, home: path })
      const missing = await cli.locate()
      expect(missing).toMatchObject({
        kind: 'missing',
        reason: expect.stringContaining(setup.program),
      })
      const file = install(path)
      expect(await cli.locate()).toEqual({ kind: 'found', path: file })
      chmodSync(file, 0o644)
      expect((await cli.locate()).kind).toBe('missing')
    })

    it('starts fresh, with an argv of plain strings that begins with its program', async () => {
      const path = folder()
      install(path)
      const plan = await setup.create({ path, home: path }).plan(launchRequest())
      expect(plan.session).toBe('fresh')
      expect(plan.argv[0]).toMatch(new RegExp(`${setup.program}$`))
      for (const part of plan.argv) expect(typeof part).toBe('string')
    })

    it('says so where it can’t inherit the parent’s conversation', async () => {
      const path = folder()
      install(path)
      const plan = await setup.create({ path, home: path }).plan(
        launchRequest({
          mode: 'fork',
          session: { id: 'parent-session', transcript: '/transcripts/parent.jsonl' },
        }),
      )
      if (plan.session === 'fresh') expect(plan.warnings).toHaveLength(1)
      else expect(plan.warnings).toEqual([])
    })

    it('starts as ever where it is handed a file of what its parent’s terminal showed', async () => {
      const path = folder()
      install(path)
      const cli = setup.create({ path, home: path })
      const [plan, usual] = [
        await cli.plan(launchRequest({ transcript: '/state/agents/auth/parent.txt' })),
        await cli.plan(launchRequest()),
      ]
      expect([plan.session, plan.sessionId === null, plan.warnings]).toEqual([
        'fresh',
        usual.sessionId === null,
        usual.warnings,
      ])
    })

    it('plans the same launch for the same request, and keeps no state between them', async () => {
      const path = folder()
      install(path)
      const cli = setup.create({ path, home: path })
      const request = launchRequest()
      const first = await cli.plan(request)
      await cli.plan(launchRequest({ mode: 'resume', session: { id: 'own', transcript: null } }))
      expect(await cli.plan(request)).toEqual(first)
    })

    it('writes nothing itself when it plans or looks the set-up over, and never throws for what it finds there', async () => {
      const path = folder()
      const home = folder()
      const cli = setup.create({ path, home })
      const missing = await cli.diagnose('/nowhere/repository')
      for (const { found } of missing) expect(found).not.toBe('')
      install(path)
      const findings = await cli.diagnose('/nowhere/repository')
      for (const { found } of findings) expect(found).not.toBe('')
      // Nobody agreed to anything yet.
      for (const mode of ['start', 'fork', 'resume'] as const)
        await cli.plan(launchRequest({ mode }))
      expect(readdirSync(home, { recursive: true })).toEqual([])
    })

    it('keeps its files in the folder of the agent, or in its worktree where git ignores them', async () => {
      const path = folder()
      install(path)
      const request = launchRequest()
      const { files } = await setup.create({ path, home: path }).plan(request)
      for (const file of files)
        expect(
          [request.folder, request.worktree].some((root) => file.path.startsWith(`${root}/`)),
          file.path,
        ).toBe(true)
    })

    it('puts no secret into its arguments, and no argument that the system refuses', async () => {
      const path = folder()
      install(path)
      const cli = setup.create({ path, home: path })
      const { argv, channel, env } = await cli.plan(launchRequest())
      const secrets = [...Object.entries(channel ?? {}), ...Object.entries(env)].filter(([key]) =>
        /password|token|secret/i.test(key),
      )
      for (const [key, value] of secrets)
        if (value.length >= 8) expect(argv.join('\n').includes(value), key).toBe(false)
      if (setup.handlesLongPrompts === false) return
      const long = await cli.plan(launchRequest({ prompt: 'A long task. '.repeat(20_000) }))
      for (const part of long.argv) expect(Buffer.byteLength(part)).toBeLessThan(128 * 1024)
    })

    it('starts fresh, and says so, where no session is known', async () => {
      const path = folder()
      install(path)
      const cli = setup.create({ path, home: path })
      const fork = await cli.plan(launchRequest({ mode: 'fork', session: null }))
      expect([fork.session, fork.warnings.length]).toEqual(['fresh', 1])
      const resume = await cli.plan(launchRequest({ mode: 'resume', session: null }))
      expect(resume.session).not.toBe('forked')
    })

    it('reports no state of a process that is not there, and reads no conversation that is not', async () => {
      const path = folder()
      const cli = setup.create({ path, home: path })
      const gone = spawnSync('true').pid
      const live = {
        agentId: newAgentId(),
        worktree: path,
        session: {
          id: '6f0d3a52-4d43-4b0e-9a54-1d9a3b0d8c11',
          transcript: join(path, 'gone.jsonl'),
        },
        folder: path,
        channel: null,
        title: null,
      }
      for (const pid of [gone, null]) {
        const seen = await cli.observe?.({ ...live, pid })
        if (seen !== undefined) expect(seen?.state).toBe('unknown')
        expect((await cli.mentions?.({ ...live, pid }, ['m-0123456789ab'])) ?? null).toBeNull()
        expect((await cli.usage?.({ ...live, pid })) ?? null).toBeNull()
      }
    })

    it('reads any hook without throwing, and answers in it only what it can carry', () => {
      const { hooks } = setup.create({ path: '/nowhere', home: '/nowhere' })
      if (hooks === null) return
      fc.assert(
        fc.property(
          fc.oneof(fc.string(), fc.constantFrom(...HOOK_EVENTS)),
          fc.dictionary(fc.string(), fc.jsonValue()),
          (event, body) => {
            hooks.read(event, body)
            expect(hooks.answer(event, { kind: 'none' })).toBeNull()
          },
        ),
      )
      for (const event of ['NoSuchEvent', ...HOOK_EVENTS]) {
        const answer = hooks.answer(event, { kind: 'context', text: 'words for the model' })
        if (hooks.carries(event)) expect(JSON.stringify(answer)).toContain('words for the model')
        else expect(answer).toBeNull()
      }
    })

    it('declares how it is talked to', () => {
      const cli = setup.create({ path: '/nowhere', home: '/nowhere' })
      expect(cli.enterDelay).toBeGreaterThanOrEqual(0)
      expect([typeof cli.acks, typeof cli.reportsState]).toEqual(['boolean', 'boolean'])
    })
  })
}
