import { createOpenCodeCli } from '../../src/adapters/agent-cli/opencode.ts'
import { exec } from '../../src/adapters/exec.ts'
import { AGENT_PRESETS } from '../../src/config/presets.ts'
import { agentSchema } from '../../src/config/schema.ts'
import { agentCliConformance } from './agent-cli.ts'

agentCliConformance('opencode', {
  program: 'opencode',
  create: ({ path, home }) =>
    createOpenCodeCli({
      name: 'opencode',
      config: agentSchema.parse(AGENT_PRESETS.opencode),
      path,
      node: '/opt/node',
      home,
      userHome: home,
      variables: {},
      exec,
    }),
})
