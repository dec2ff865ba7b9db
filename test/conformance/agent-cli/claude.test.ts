import { createClaudeCli } from '../../../src/adapters/agent-cli/claude.ts'
import { exec } from '../../../src/processes/exec.ts'
import { AGENT_PRESETS } from '../../../src/config/presets.ts'
import { agentSchema } from '../../../src/config/agent-schema.ts'
import { agentCliConformance } from './suite.ts'

agentCliConformance('claude', {
  program: 'claude',
  create: ({ path, home }) =>
    createClaudeCli({
      name: 'claude',
      config: agentSchema.parse(AGENT_PRESETS.claude),
      path,
      node: '/opt/node',
      home,
      userHome: home,
      variables: {},
      exec,
    }),
})
