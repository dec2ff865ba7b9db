import { defineAgentCli } from '../define.ts'
import { PACKAGE } from './package.ts'

/** Codex CLI. */
export const codex = defineAgentCli({
  name: 'codex',
  program: 'codex',
  package: PACKAGE,
  acp: {
    name: 'codex-acp',
    command: ['codex-acp'],
    package: { name: '@agentclientprotocol/codex-acp', tested: '2.6.0' },
    load: async () => (await import('./acp.ts')).codexAcp,
  },
  load: async () => (await import('./adapter.ts')).createCodexCli,
})
