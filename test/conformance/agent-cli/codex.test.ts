import { createCodexCli } from '../../../src/adapters/agent-cli/codex.ts'
import { exec } from '../../../src/processes/exec.ts'
import { AGENT_PRESETS } from '../../../src/config/presets.ts'
import { agentSchema } from '../../../src/config/agent-schema.ts'
import { agentCliConformance } from './suite.ts'

agentCliConformance('codex', {
  program: 'codex',
  create: ({ path, home }) =>
    createCodexCli({
      name: 'codex',
      config: agentSchema.parse(AGENT_PRESETS.codex),
      path,
      node: process.execPath,
      home,
      userHome: home,
      variables: {},
      exec,
    }),
})
