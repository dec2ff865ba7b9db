import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { LiveAgent } from '../../../../src/adapters/agent-cli/agent-cli.ts'
import { createClaudeCli } from '../../../../src/adapters/agent-cli/claude/adapter.ts'
import { PACKAGE } from '../../../../src/adapters/agent-cli/claude/package.ts'
import { exec } from '../../../../src/processes/exec.ts'
import { claude } from '../../../../src/adapters/agent-cli/claude/claude.ts'
import { agentSchema } from '../../../../src/config/agent-schema.ts'
import { newAgentId } from '../../../../src/domain/ids.ts'

const KEY = 'sk-ant-dummy-0123456789abcdefghij'
const REPOSITORY = '/home/me/repository'

function person(
  state: object | string | undefined,
  options: { variables?: Record<string, string>; version?: string } = {},
) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'claude-')))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const stateFile = join(home, '.claude.json')
  if (state !== undefined)
    writeFileSync(stateFile, typeof state === 'string' ? state : JSON.stringify(state))
  writeFileSync(
    join(home, 'claude'),
    `#!/bin/sh\necho '${options.version ?? PACKAGE.tested} (Claude Code)'\n`,
  )
  chmodSync(join(home, 'claude'), 0o755)
  const cli = createClaudeCli({
    name: 'claude',
    config: agentSchema.parse(claude.preset),
    path: `${home}:/usr/bin:/bin`,
    node: '/opt/node',
    home,
    userHome: home,
    variables: options.variables ?? { ANTHROPIC_API_KEY: KEY },
    exec,
  })
  const problems = async () =>
    (await cli.diagnose(REPOSITORY)).filter(({ status }) => status === 'problem')
  return { home, stateFile, cli, problems }
}

const TOKEN = { ANTHROPIC_AUTH_TOKEN: 'x' }

describe('what stands between Claude Code and its first turn', () => {
  it('is said of an empty home, and nothing of it is left after the person agreed to have it fixed', async () => {
    const { problems, stateFile } = person(undefined)
    const found = await problems()
    expect(found.map((finding) => finding.found).join('\n')).toMatch(
      /first-run[^]*the key in ANTHROPIC_API_KEY[^]*trust \/home\/me\/repository/,
    )
    for (const { fix, repair } of found) {
      expect(fix).toContain('claude')
      expect(await repair?.()).toContain(stateFile)
    }
    expect(await problems()).toEqual([])
    expect(statSync(stateFile).mode & 0o777).toBe(0o600)
  })

  it('keeps all else that stands in the person’s file, its mode, and the link to it', async () => {
    const { problems, stateFile, home } = person(undefined)
    const kept = join(home, 'dotfiles.json')
    const before = {
      userID: 'me',
      projects: {
        '/other': { hasTrustDialogAccepted: true },
        [REPOSITORY]: { allowedTools: ['x'] },
      },
      customApiKeyResponses: { rejected: ['abc'] },
    }
    writeFileSync(kept, JSON.stringify(before), { mode: 0o640 })
    symlinkSync(kept, stateFile)
    for (const { repair } of await problems()) await repair?.()
    expect(JSON.parse(readFileSync(kept, 'utf8'))).toEqual({
      ...before,
      hasCompletedOnboarding: true,
      customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: ['abc'] },
      projects: {
        '/other': { hasTrustDialogAccepted: true },
        [REPOSITORY]: { allowedTools: ['x'], hasTrustDialogAccepted: true },
      },
    })
    expect(statSync(kept).mode & 0o777).toBe(0o640)
  })

  it('is not fixed where the person’s file can’t be understood', async () => {
    const { problems, stateFile } = person('{ "half": ')
    for (const { repair } of await problems()) await expect(repair?.()).rejects.toThrow(/JSON/)
    expect(readFileSync(stateFile, 'utf8')).toBe('{ "half": ')
  })

  it('is nothing in a home that is set up, a folder above the repository trusted', async () => {
    const { problems } = person(
      {
        hasCompletedOnboarding: true,
        oauthAccount: { emailAddress: 'me@example.org' },
        projects: { '/home/me': { hasTrustDialogAccepted: true } },
      },
      { variables: {} },
    )
    expect(await problems()).toEqual([])
  })

  it.each([
    ['default', {}, true],
    ['acceptEdits', {}, true],
    ['auto', {}, false],
    [undefined, {}, false],
    ['default', { 'settings.local.json': { permissions: { defaultMode: 'plan' } } }, false],
  ] as [string | undefined, Record<string, object>, boolean][])(
    'is the question for auto mode where another is chosen and nothing nearer decides: %s %j',
    async (mode, nearer, asks) => {
      const repository = mkdtempSync(join(tmpdir(), 'claude-repository-'))
      const { cli, home, stateFile } = person(
        {
          hasCompletedOnboarding: true,
          projects: { [repository]: { hasTrustDialogAccepted: true } },
        },
        { variables: TOKEN },
      )
      const findings = async () =>
        (await cli.diagnose(repository)).filter(({ found }) => found.includes('auto mode'))
      mkdirSync(join(home, '.claude'))
      mkdirSync(join(repository, '.claude'))
      writeFileSync(
        join(home, '.claude', 'settings.json'),
        JSON.stringify({ permissions: { defaultMode: mode } }),
      )
      for (const [name, content] of Object.entries(nearer))
        writeFileSync(join(repository, '.claude', name), JSON.stringify(content))
      expect((await findings()).map(({ status }) => status)).toEqual(asks ? ['problem'] : [])
      for (const { repair } of await findings()) await repair?.()
      expect((await findings()).map(({ status }) => status)).toEqual(asks ? ['ok'] : [])
      expect(JSON.parse(readFileSync(stateFile, 'utf8')).hasSeenAutoDefaultNudge).toBe(
        asks ? true : undefined,
      )
      rmSync(repository, { recursive: true })
    },
  )

  it('is a missing login, hooks that are off, another version, a missing program', async () => {
    const { problems, cli, home } = person(
      {
        hasCompletedOnboarding: true,
        projects: { [REPOSITORY]: { hasTrustDialogAccepted: true } },
      },
      { variables: {}, version: '2.0.1' },
    )
    mkdirSync(join(home, '.claude'))
    writeFileSync(join(home, '.claude', 'settings.json'), '{"disableAllHooks": true}')
    expect((await problems()).map(({ found }) => found)).toEqual([
      'it is not logged in',
      expect.stringContaining('disableAllHooks'),
    ])
    expect((await cli.diagnose(REPOSITORY)).filter(({ status }) => status === 'warning')).toEqual([
      {
        status: 'warning',
        found: expect.stringContaining('2.0.1'),
        fix: expect.stringContaining(PACKAGE.tested),
      },
    ])
    rmSync(join(home, 'claude'))
    expect(await problems()).toEqual([
      {
        status: 'problem',
        found: expect.stringContaining('claude'),
        fix: expect.stringContaining('npm install'),
      },
    ])
  })
})

describe('the state of Claude Code', () => {
  const SESSION = '11111111-2222-4333-8444-555555555555'
  const setUp = (words: object | string, pid = process.pid) => {
    const { home, cli } = person(undefined)
    const file = join(home, '.claude', 'sessions', `${pid}.json`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(
      file,
      typeof words === 'string' ? words : JSON.stringify({ pid, sessionId: SESSION, ...words }),
    )
    const live: LiveAgent = {
      agentId: newAgentId(),
      pid: process.pid,
      worktree: home,
      session: null,
      folder: home,
      channel: null,
      title: null,
    }
    return { cli, live }
  }

  it.each([
    [{ status: 'idle' }, { state: 'idle', reason: null }],
    [{ status: 'busy' }, { state: 'running', reason: null }],
    [{ status: 'shell' }, { state: 'running', reason: null }],
    [
      { status: 'waiting', waitingFor: 'permission prompt' },
      { state: 'waiting', reason: 'permission prompt' },
    ],
    [{ status: 'something new' }, { state: 'unknown', reason: null }],
    [{}, { state: 'unknown', reason: null }],
    ['{"pid', { state: 'unknown', reason: null }],
  ])('%j', async (words, seen) => {
    const { cli, live } = setUp(words)
    expect(await cli.observe?.(live)).toEqual({ ...seen, source: 'session' })
  })

  it('is found by the session where the terminal’s process is a wrapper of it', async () => {
    const { cli, live } = setUp({ status: 'idle' }, process.ppid)
    expect((await cli.observe?.(live))?.state).toBe('unknown')
    expect(
      (await cli.observe?.({ ...live, session: { id: SESSION, transcript: null } }))?.state,
    ).toBe('idle')
  })
})
