import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AgentCli, LaunchRequest } from '../../src/adapters/agent-cli/agent-cli.ts'
import { asBranchName, newAgentId } from '../../src/ids.ts'

/** What an adapter under test is made of: a program on a PATH of its own. */
export interface AgentCliSetup {
  /** The adapter, with its program found in `path`. */
  create(options: { path: string; home: string }): AgentCli
  /** Name of the program that it looks for on the PATH. */
  readonly program: string
}

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
      expect(missing).toMatchObject({ kind: 'missing', reason: expect.stringContaining(setup.program) })
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
      const plan = await setup
        .create({ path, home: path })
        .plan(launchRequest({ mode: 'fork', session: { id: 'parent-session', transcript: '/transcripts/parent.jsonl' } }))
      if (plan.session === 'fresh') expect(plan.warnings).toHaveLength(1)
      else expect(plan.warnings).toEqual([])
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

    it('declares how it is talked to', () => {
      const cli = setup.create({ path: '/nowhere', home: '/nowhere' })
      expect(cli.enterDelay).toBeGreaterThanOrEqual(0)
      expect([typeof cli.acks, typeof cli.reportsState]).toEqual(['boolean', 'boolean'])
    })
  })
}
