import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadConfig, parseConfig } from '../../../src/config/load.ts'
import { ACP_PRESETS, AGENT_PRESETS } from '../../../src/config/presets.ts'
import { configSchema } from '../../../src/config/schema.ts'
import { ExomonadError } from '../../../src/domain/errors.ts'

function refusal(text: string, toolNames?: readonly string[]): ExomonadError {
  try {
    parseConfig(text, 'config.toml', toolNames === undefined ? {} : { toolNames })
  } catch (error) {
    if (error instanceof ExomonadError) return error
    throw error
  }
  throw new Error('it was accepted')
}

describe('the configuration', () => {
  it('is the defaults where there is no file', async () => {
    expect(await loadConfig('/nowhere/at/all/config.toml')).toEqual(
      configSchema.parse({ agents: AGENT_PRESETS, acp: ACP_PRESETS }),
    )
  })

  it('is read from a file and frozen to its leaves', async () => {
    const folder = mkdtempSync(join(tmpdir(), 't-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'config.toml')
    writeFileSync(file, '[limits]\nmax_live_agents = 7\n[forge.local]\nci = ["npm", "test"]\n')
    const config = await loadConfig(file)
    expect(config.limits.max_live_agents).toBe(7)
    expect(config.limits.max_tree_depth).toBe(3)
    expect(() => (config.forge.local.ci as string[]).push('more')).toThrow(TypeError)
    expect(() => Object.assign(config.limits, { max_live_agents: 8 })).toThrow(TypeError)
  })

  it('says file, line, key, what was found and what is allowed', () => {
    const error = refusal('# a comment\n[limits]\nmax_live_agents = "many"\n')
    expect(error.code).toBe('CONFIG_INVALID')
    expect(error.message).toBe(
      'config.toml:3: limits.max_live_agents: found "many" (a string); allowed: a whole number from 1',
    )
    expect(error.facts['findings']).toEqual([
      {
        key: 'limits.max_live_agents',
        line: 3,
        problem: 'found "many" (a string); allowed: a whole number from 1',
      },
    ])
  })

  it('names the nearest known key for an unknown one, at every depth', () => {
    expect(refusal('[forge.local]\nci_timout = 3').message).toBe(
      'config.toml:2: forge.local.ci_timout: unknown key; did you mean "ci_timeout"?',
    )
    expect(refusal('[limts]\nmax_tree_depth = 1').message).toBe(
      'config.toml:1: limts: unknown key; did you mean "limits"?',
    )
    expect(
      refusal('[agents.a]\nadapter = "command"\ncommand = ["x"]\nack = true').message,
    ).toContain('agents.a.ack: unknown key; did you mean "acks"?')
    expect(refusal('[log]\nxyzzy = 1').message).toContain('unknown key; known here: level')
  })

  it('reports all findings at once, in the order of the file', () => {
    const error = refusal(
      '[limits]\nmax_live_agents = 0\n[multiplexer]\nkind = "screen"\n[log]\nlevle = "info"\n',
    )
    expect(error.message.split('\n')).toEqual([
      'config.toml has 3 findings:',
      '  line 2: limits.max_live_agents: found 0 (a number); allowed: a whole number from 1',
      '  line 4: multiplexer.kind: found "screen" (a string); allowed: "auto", "tmux", "zellij", "headless"',
      '  line 6: log.levle: unknown key; did you mean "level"?',
    ])
  })

  it('shows where TOML itself is broken', () => {
    const error = refusal('[limits]\nmax_live_agents = = 3\n')
    expect(error.message).toMatch(/^config\.toml:2: not valid TOML \(column \d+\)/)
    expect(error.facts['findings']).toMatchObject([{ key: '', line: 2 }])
  })

  it('says what is missing', () => {
    expect(refusal('[agents.a]\nadapter = "command"').message).toBe(
      'config.toml:1: agents.a.command: missing; allowed: a list of one or more strings',
    )
  })

  it('finds references that lead nowhere', () => {
    expect(
      refusal('[roles.tl]\nagent = "clade"\n[agents.claude]\nadapter = "command"\ncommand = ["x"]')
        .message,
    ).toBe(
      'config.toml:2: roles.tl.agent: found "clade", but there is no [agents.clade]; did you mean "claude"?',
    )
    expect(
      refusal('[agents.a]\nadapter = "command"\ncommand = ["x", "--in={{promt_file}}"]').message,
    ).toBe(
      'config.toml:3: agents.a.command.1: found {{promt_file}}, which stands for nothing; did you mean "prompt_file"?',
    )
    expect(refusal('[roles.reviewer]\ntools = ["pr_dif"]', ['pr_diff', 'note']).message).toContain(
      'found "pr_dif", which is no tool; did you mean "pr_diff"?',
    )
    expect(refusal('[roles.dev]\ntools = ["note"]').message).toContain(
      'the tools of tl and dev are fixed',
    )
    expect(refusal('[agents.claude]\ntools = ["nte"]', ['note']).message).toBe(
      'config.toml:2: agents.claude.tools.0: found "nte", which is no tool; did you mean "note"?',
    )
  })

  it('accepts what those references lead to', () => {
    const config = parseConfig(
      '[roles.r]\nagent = "a"\ntools = ["note"]\n[agents.a]\nadapter = "command"\ncommand = ["x", "{{ prompt_file }}"]',
      'f',
      {
        toolNames: ['note'],
      },
    )
    expect(config.roles['r']?.agent).toBe('a')
  })

  it('has the agent CLIs it knows, each key of which can be written over', () => {
    const { agents } = parseConfig(
      '[agents.claude]\ncommand = ["/opt/claude"]\nmodel = "haiku"\n[agents.fast]\nadapter = "gemini"\nargs = ["--fast"]\n[agents.codex]\nadapter = "command"\ncommand = ["x"]',
      'f',
    )
    expect(agents).toMatchObject({
      claude: {
        adapter: 'claude',
        command: ['/opt/claude'],
        model: 'haiku',
        acks: true,
        reports_state: true,
        enter_delay_ms: 300,
      },
      fast: { adapter: 'gemini', command: ['gemini'], args: ['--fast'], acks: true },
      opencode: { adapter: 'opencode', command: ['opencode'] },
      // Another program by a known name is what it says it is, and nothing more.
      codex: {
        adapter: 'command',
        command: ['x'],
        acks: false,
        reports_state: false,
        enter_delay_ms: 50,
      },
    })
  })

  it('refuses keys that say nothing with the adapter', () => {
    expect(
      refusal(
        '[agents.a]\nadapter = "command"\ncommand = ["x"]\nmodel = "m"\nargs = []',
      ).message.split('\n'),
    ).toEqual([
      'config.toml has 2 findings:',
      '  line 4: agents.a.model: says nothing with adapter "command": put it into the command itself',
      '  line 5: agents.a.args: says nothing with adapter "command": put it into the command itself',
    ])
    for (const key of ['acks = true', 'reports_state = true', 'resume_command = ["claude"]']) {
      expect(refusal(`[agents.claude]\n${key}`).message).toContain(
        'says nothing with adapter "claude": exomonad knows it of this program',
      )
    }
    expect(refusal('[agents.gemini]\nargs = ["-i", "{{prompt}}"]').message).toBe(
      'config.toml:2: agents.gemini.args.1: found {{prompt}}, which only adapter "command" replaces; exomonad gives gemini its task by itself',
    )
  })

  it('refuses to show a token or take a webhook in plain text', () => {
    const said = (text: string): string => refusal(`[forge.github]\n${text}\n`).message
    expect(said('api_url = "http://git.example.com/api/v3"')).toContain(
      'config.toml:2: forge.github.api_url: found "http://git.example.com/api/v3", over which',
    )
    expect(said('graphql_url = "http://127.0.0.1.evil.example/graphql"')).toContain(
      'forge.github.graphql_url',
    )
    expect(said('host = "https://git.example.com"')).toContain(
      'forge.github.host: found "https://git.example.com", which is no host',
    )
    expect(said('host = "-evil"')).toContain('no host')
    expect(said('webhook_port = 7718')).toContain('needs webhook_secret_file beside it')
    // (20.15) An app and its key belong together.
    expect(said('app_id = 7')).toContain('forge.github.app_id: needs app_key_file')
    expect(said('app_key_file = "app.pem"')).toContain('forge.github.app_key_file: needs app_id')
    expect(said('app_installation_id = 8')).toContain(
      'forge.github.app_installation_id: needs app_id',
    )
    expect(said('repository = "widgets"')).toContain('forge.github.repository')
    const fine = parseConfig(
      '[forge.github]\napi_url = "http://127.0.0.1:8080/api/v3"\nhost = "git.example.com:8443"\nwebhook_port = 1\nwebhook_secret_file = "s"',
      'f',
    )
    expect(fine.forge.github.host).toBe('git.example.com:8443')
  })

  it('refuses a Gitea that is nowhere, or reached in plain text (20.21)', () => {
    expect(refusal('[forge]\nkind = "gitea"').message).toContain('forge.gitea.url: is missing')
    expect(refusal('[forge.gitea]\nurl = "http://git.example.com"').message).toContain(
      'forge.gitea.url: found "http://git.example.com", over which',
    )
    expect(
      parseConfig('[forge]\nkind = "gitea"\n[forge.gitea]\nurl = "http://127.0.0.1:3000"', 'f')
        .forge.kind,
    ).toBe('gitea')
  })

  it('asks nobody and allows nothing by itself', () => {
    expect(parseConfig('[roles.dev]\nagent = "claude"', 'f').roles['dev']?.permissions).toEqual({
      policy: 'off',
      allow: [],
    })
    expect(refusal('[roles.dev.permissions]\npolicy = "yes"').message).toContain(
      'allowed: "off", "ask", "list", "all"',
    )
  })
})
