import { describe, expect, it } from 'vitest'
import { codexAcpEnvironment } from '../../../../../src/adapters/agent-cli/codex/acp.ts'
import { launchRequest } from '../../../../conformance/agent-cli/suite.ts'

const config = (environment: Record<string, string> | null): any =>
  JSON.parse(environment?.['CODEX_CONFIG'] ?? 'null')

describe('the environment of codex-acp', () => {
  it('has exomonad’s tools approved, seen and waited for, without their token', () => {
    const environment = codexAcpEnvironment(
      launchRequest({ mcpUrl: 'http://127.0.0.1:4100/mcp' }),
      'ask',
      undefined,
    )
    expect(environment).toMatchObject({ NO_BROWSER: '1', INITIAL_AGENT_MODE: 'workspace-write' })
    expect(config(environment)).toMatchObject({
      allow_login_shell: false,
      features: { code_mode: { direct_only_tool_namespaces: ['mcp__exomonad'] } },
      mcp_servers: {
        exomonad: {
          url: 'http://127.0.0.1:4100/mcp',
          bearer_token_env_var: 'EXOMONAD_TOKEN',
          default_tools_approval_mode: 'approve',
          required: true,
        },
      },
    })
  })

  it('asks nobody where everything is allowed', () => {
    expect(codexAcpEnvironment(launchRequest(), 'allow', undefined)).toMatchObject({
      INITIAL_AGENT_MODE: 'agent-full-access',
    })
  })

  it('goes into the person’s own configuration', () => {
    const own = {
      model: 'gpt-6.1-sol',
      mcp_servers: { mine: { command: 'mine' } },
      features: { code_mode: { direct_only_tool_namespaces: ['mcp__mine'] }, other: true },
    }
    expect(config(codexAcpEnvironment(launchRequest(), 'ask', JSON.stringify(own)))).toMatchObject({
      model: 'gpt-6.1-sol',
      mcp_servers: { mine: { command: 'mine' }, exomonad: {} },
      features: {
        code_mode: { direct_only_tool_namespaces: ['mcp__mine', 'mcp__exomonad'] },
        other: true,
      },
    })
  })

  it('leaves out the tools of who gets none, and leaves alone what is no JSON', () => {
    expect(
      config(codexAcpEnvironment(launchRequest({ noTools: true }), 'ask', '')).mcp_servers,
    ).toBeUndefined()
    expect(codexAcpEnvironment(launchRequest(), 'ask', 'model = 1')).toBeNull()
    expect(codexAcpEnvironment(launchRequest(), 'ask', '[1]')).toBeNull()
  })
})
