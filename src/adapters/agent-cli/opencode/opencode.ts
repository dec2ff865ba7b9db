import { defineAgentCli } from '../define.ts'
import { PACKAGE } from './package.ts'

/** OpenCode. */
export const opencode = defineAgentCli({
  name: 'opencode',
  program: 'opencode',
  package: PACKAGE,
  acp: {
    name: 'opencode',
    command: ['opencode', 'acp'],
    package: PACKAGE,
    load: async () => (await import('./acp.ts')).opencodeAcp,
  },
  load: async () => (await import('./adapter.ts')).createOpenCodeCli,
})
