import { createGeminiCli } from '../../../src/adapters/agent-cli/gemini.ts'
import { exec } from '../../../src/processes/exec.ts'
import { AGENT_PRESETS } from '../../../src/config/presets.ts'
import { agentSchema } from '../../../src/config/agent-schema.ts'
import { agentCliConformance } from './suite.ts'

agentCliConformance('gemini', {
  program: 'gemini',
  create: ({ path, home }) =>
    createGeminiCli({
      name: 'gemini',
      config: agentSchema.parse(AGENT_PRESETS.gemini),
      path,
      node: '/opt/node',
      home,
      userHome: home,
      variables: { GEMINI_API_KEY: 'key' },
      exec,
    }),
})
