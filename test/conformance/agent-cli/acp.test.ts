import { NO_SESSIONS } from '../../../src/daemon/agent-clis.ts'
import { createAcpCli } from '../../../src/adapters/agent-cli/acp.ts'
import { exec } from '../../../src/processes/exec.ts'
import { acpSchema } from '../../../src/config/agent-schema.ts'
import { agentCliConformance } from './suite.ts'

for (const [name, ...argv] of [
  ['gemini', '--acp'],
  ['claude-agent-acp'],
  ['codex-acp'],
  ['opencode', 'acp'],
  ['mine'],
] as const) {
  agentCliConformance(`acp:${name}`, {
    program: name,
    create: ({ path, home }) =>
      createAcpCli({
        name,
        config: acpSchema.parse({ command: [name, ...argv] }),
        path,
        node: '/opt/node',
        home,
        userHome: home,
        variables: {},
        exec,
        passes: [],
        sessions: NO_SESSIONS,
      }),
  })
}
