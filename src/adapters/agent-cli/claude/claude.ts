import { defineAgentCli } from '../define.ts'
import { PACKAGE } from './package.ts'

/** Claude Code. */
export const claude = defineAgentCli({
  name: 'claude',
  program: 'claude',
  package: PACKAGE,
  sessionVariables: ['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_CODE_SSE_PORT'],
  acp: {
    name: 'claude-agent-acp',
    command: ['claude-agent-acp'],
    package: { name: '@agentclientprotocol/claude-agent-acp', tested: '0.101.0' },
    load: async () => (await import('./acp.ts')).claudeAcp,
  },
  load: async () => (await import('./adapter.ts')).createClaudeCli,
})
