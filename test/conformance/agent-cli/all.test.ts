import { AGENT_CLIS } from '../../../src/adapters/agent-cli/all.ts'
import { acpSchema, agentSchema } from '../../../src/config/sections/agent-schema.ts'
import { ACP_PRESETS, AGENT_PRESETS } from '../../../src/config/presets.ts'
import { loadAgentClis, NO_SESSIONS } from '../../../src/daemon/agent-clis.ts'
import { exec } from '../../../src/processes/exec.ts'
import { agentCliConformance } from './suite.ts'

/** Every agent CLI of the registry, in its terminal and by the program that speaks for it. */

const clis = await loadAgentClis()
const here = ({ path, home }: { path: string; home: string }) => ({
  path,
  node: '/opt/node',
  home,
  userHome: home,
  // Some refuse to be planned without a login.
  variables: { GEMINI_API_KEY: 'key' },
  exec,
})

for (const { name, program } of AGENT_CLIS) {
  agentCliConformance(name, {
    program,
    create: (options) =>
      clis.create({ ...here(options), name, config: agentSchema.parse(AGENT_PRESETS[name]) }),
  })
}

for (const [name, preset] of [
  ...Object.entries(ACP_PRESETS),
  ['mine', { command: ['mine'] }] as const,
]) {
  agentCliConformance(`acp:${name}`, {
    program: preset.command[0] ?? '',
    create: (options) =>
      clis.createAcp({
        ...here(options),
        name,
        config: acpSchema.parse(preset),
        sessions: NO_SESSIONS,
      }),
  })
}
