import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../../src/config/load.ts'
import { chosenAcp, chosenAgents } from '../../../src/config/presets.ts'
import {
  programOfRole,
  runtimeOf,
  toolsOf,
  withVariables,
} from '../../../src/core/agents/programs.ts'

const parse = (text: string) =>
  parseConfig(text, 'config.toml', { toolNames: ['note', 'question'] })
const problem = (text: string): string => {
  try {
    parse(text)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('it was accepted')
}
const programOf = (text: string, role: string, override?: string): string =>
  programOfRole(parse(text), role, override, 'config.toml')

describe('[acp.NAME]', () => {
  it('is there for four agents without being written, and counts key by key where it is', () => {
    const { acp } = parse('[acp.gemini]\nmodel = "flash"\n[acp.mine]\ncommand = ["mine"]\n')
    expect(Object.keys(acp)).toEqual([
      'gemini',
      'opencode',
      'claude-agent-acp',
      'codex-acp',
      'mine',
    ])
    expect(acp['gemini']).toEqual({
      command: ['gemini', '--acp'],
      model: 'flash',
      permission: 'ask',
      allow: [],
      env: {},
    })
    expect(acp['mine']).toMatchObject({ command: ['mine'], permission: 'ask' })
  })

  it('refuses what leads nowhere, with the nearest name', () => {
    expect(problem('[roles.dev]\nruntime = "acp"\n')).toContain(
      'roles.dev.runtime: found "acp", but no agent: write agent = "NAME" beside it; allowed: gemini,',
    )
    expect(problem('[roles.dev]\nruntime = "acp"\nagent = "gemeni"\n')).toBe(
      'config.toml:3: roles.dev.agent: found "gemeni", but there is no [acp.gemeni]; did you mean "gemini"?',
    )
    expect(
      problem(
        '[agents.mine]\nadapter = "command"\ncommand = ["x"]\n[roles.dev]\nruntime = "acp"\nagent = "mine"\n',
      ),
    ).toContain(
      'found "mine", which does not speak the Agent Client Protocol; write an [acp.mine] with a command that does, or runtime = "pane"',
    )
    expect(problem('[roles.dev]\nagent = "codex-acp"\n')).toBe(
      'config.toml:2: roles.dev.agent: found "codex-acp", but there is no [agents.codex-acp]; with runtime = "acp" beside it the one that speaks the Agent Client Protocol runs',
    )
    expect(problem('[headless]\nacp = "opncode"\n')).toContain(
      'headless.acp: found "opncode", but there is no [acp.opncode]; did you mean "opencode"?',
    )
    expect(problem('[headless]\nacp = "acp:gemini"\n')).toContain('did you mean "gemini"?')
    expect(problem('[acp.gemini]\ntools = ["qestion"]\n')).toContain(
      'acp.gemini.tools.0: found "qestion", which is no tool; did you mean "question"?',
    )
    expect(problem('[roles.dev]\nruntime = "pty"\nagent = "gemini"\n')).toContain(
      'allowed: "pane", "acp"',
    )
  })

  it('is chosen by a role, by [headless] or by being written', () => {
    const config = parse(
      '[headless]\nacp = "opencode"\n[roles.dev]\nruntime = "acp"\nagent = "claude"\n[acp.mine]\ncommand = ["mine"]\n',
    )
    expect(chosenAcp(config)).toEqual(['opencode', 'claude-agent-acp', 'mine'])
    expect(chosenAgents(config)).toEqual([])
    expect(chosenAcp(parse(''))).toEqual([])
  })
})

describe('the program of a role', () => {
  it('is the [agents.NAME] in a terminal, and with runtime acp the [acp.NAME] of that name or the one that belongs to it', () => {
    expect(programOf('[roles.dev]\nagent = "claude"\n', 'dev')).toBe('claude')
    const acp = '[roles.dev]\nruntime = "acp"\nagent = "claude"\n'
    expect(programOf(acp, 'dev')).toBe('acp:claude-agent-acp')
    expect(programOf(`${acp}[acp.claude]\ncommand = ["own"]\n`, 'dev')).toBe('acp:claude')
    expect(
      ['codex', 'gemini', 'opencode', 'codex-acp', 'acp:gemini'].map((name) =>
        programOf(acp, 'dev', name),
      ),
    ).toEqual(['acp:codex-acp', 'acp:gemini', 'acp:opencode', 'acp:codex-acp', 'acp:gemini'])
    expect(programOf('[roles.dev]\nagent = "claude"\n', 'dev', 'acp:opencode')).toBe('acp:opencode')
    expect(programOf(`${acp}[agents.fast]\nadapter = "codex"\n`, 'dev', 'fast')).toBe(
      'acp:codex-acp',
    )
    expect([runtimeOf('acp:gemini'), runtimeOf('gemini')]).toEqual(['acp', 'pane'])
  })

  it('is missed with what to write', () => {
    const acp =
      '[roles.dev]\nruntime = "acp"\nagent = "gemini"\n[agents.mine]\nadapter = "command"\ncommand = ["x"]\n'
    expect(() => programOf(acp, 'dev', 'mine')).toThrow(
      '"mine" has no program that speaks the Agent Client Protocol, and the role "dev" has runtime = "acp".',
    )
    expect(() => programOf('', 'dev')).toThrow('No program is set for the role "dev".')
  })

  it('has the tools of its own table', () => {
    const config = parse('[acp.gemini]\ntools = ["note"]\n[agents.gemini]\ntools = ["question"]\n')
    expect([
      toolsOf(config, 'acp:gemini'),
      toolsOf(config, 'gemini'),
      toolsOf(config, 'claude'),
    ]).toEqual([['note'], ['question'], null])
  })
})

describe('what a session’s servers are given', () => {
  it('has the agent’s variables in the place of their names, and nothing else', () => {
    const env = { EXOMONAD_TOKEN: 's3cret', EXOMONAD_SOCKET: '/s' }
    const headers = [{ name: 'Authorization', value: 'Bearer ${EXOMONAD_TOKEN} ${UNKNOWN}' }]
    const socket = [{ name: 'EXOMONAD_SOCKET', value: '${EXOMONAD_SOCKET}' }]
    expect(
      withVariables(
        [
          { type: 'http', name: 'exomonad', url: 'http://127.0.0.1:1/mcp', headers },
          { type: 'stdio', name: 'exomonad', command: 'exomonad', args: ['mcp'], env: socket },
        ],
        env,
        '/state/bin/exomonad',
      ),
    ).toEqual([
      {
        type: 'http',
        name: 'exomonad',
        url: 'http://127.0.0.1:1/mcp',
        headers: [{ name: 'Authorization', value: 'Bearer s3cret ${UNKNOWN}' }],
      },
      {
        type: 'stdio',
        name: 'exomonad',
        command: '/state/bin/exomonad',
        args: ['mcp'],
        env: [{ name: 'EXOMONAD_SOCKET', value: '/s' }],
      },
    ])
  })
})
