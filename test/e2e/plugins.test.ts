import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AGENT_CLIS_BIN, requireInstalled } from './real-cli.ts'

/**
 * What plugins/ has for each agent CLI, given to the real ones as docs/integrations.md says, in a
 * home of its own. None is asked to think: no model is needed.
 */

const top = join(import.meta.dirname, '..', '..')
const CLIS = ['claude', 'gemini', 'codex', 'opencode'].map((name) => ({ name }))

describe.skipIf(!requireInstalled(CLIS))('the real agent CLIs', () => {
  let home: string
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 't-plugins-'))
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  /** Output of a command that has to succeed. */
  function run(program: string, args: readonly string[], input = ''): string {
    const result = spawnSync(join(AGENT_CLIS_BIN, program), args, {
      cwd: home,
      encoding: 'utf8',
      input,
      timeout: 120_000,
      env: {
        HOME: home,
        PATH: [AGENT_CLIS_BIN, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
        TERM: 'dumb',
        GEMINI_API_KEY: 'dummy',
        CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_AUTOUPDATE: '1',
      },
    })
    const said = `${result.stdout}${result.stderr}`
    expect({ program, args, status: result.status, said }).toMatchObject({ status: 0 })
    return said
  }

  it('Claude Code takes the plugin, with its commands, skill and hook', () => {
    run('claude', ['plugin', 'validate', '--strict', join(top, 'plugins', 'claude-code')])
    run('claude', ['plugin', 'validate', '--strict', top])
    run('claude', ['plugin', 'marketplace', 'add', top])
    run('claude', ['plugin', 'install', 'exomonad@exomonad'])
    const details = run('claude', ['plugin', 'details', 'exomonad'])
    expect(details).toMatch(/Skills \(5\)\s+grow, next, review, split-work, tree/)
    expect(details).toMatch(/Hooks \(1\)\s+SessionStart/)
  })

  it('Gemini CLI takes the extension', () => {
    const extension = join(top, 'plugins', 'gemini-cli')
    // It validates, and asks whether the folder may be trusted.
    run('gemini', ['extensions', 'install', '--consent', extension], 'y\n')
    const listed = run('gemini', ['extensions', 'list'])
    expect(listed).toContain('exomonad')
    expect(listed).toContain('split-work')
  })

  it('Codex takes the plugin, and the server of the tools', () => {
    run('codex', ['plugin', 'marketplace', 'add', top])
    run('codex', ['plugin', 'add', 'exomonad@exomonad'])
    expect(run('codex', ['plugin', 'list'])).toMatch(/exomonad@exomonad\s+installed, enabled/)
    run('codex', ['mcp', 'add', 'exomonad', '--', 'exomonad', 'mcp'])
    expect(run('codex', ['mcp', 'list'])).toMatch(/exomonad\s+exomonad\s+mcp .*enabled/)
  })

  it('OpenCode takes the commands and the skill', () => {
    const folder = join(home, '.config', 'opencode')
    // With that it asks npm for nothing.
    mkdirSync(join(folder, 'node_modules'), { recursive: true })
    cpSync(join(top, 'plugins', 'opencode'), folder, { recursive: true })
    const { command } = JSON.parse(run('opencode', ['debug', 'config'])) as {
      command: Record<string, unknown>
    }
    expect(Object.keys(command).toSorted()).toEqual(
      ['grow', 'next', 'review', 'tree'].map((name) => `exomonad-${name}`),
    )
    expect(run('opencode', ['debug', 'skill'])).toContain('"name": "split-work"')
  })
})
