import { createAcpCli } from '../adapters/agent-cli/acp.ts'
import type { AcpSessions, AcpCliOptions } from '../adapters/agent-cli/acp/options.ts'
import { vendorOf } from '../adapters/agent-cli/acp/programs.ts'
import type { AgentCli } from '../adapters/agent-cli/agent-cli.ts'
import { createClaudeCli } from '../adapters/agent-cli/claude.ts'
import { createCodexCli } from '../adapters/agent-cli/codex.ts'
import { createCommandCli } from '../adapters/agent-cli/command.ts'
import { createGeminiCli } from '../adapters/agent-cli/gemini.ts'
import { createOpenCodeCli } from '../adapters/agent-cli/opencode.ts'
import type { AgentCliOptions } from '../adapters/agent-cli/options.ts'
import { AGENT_PRESETS } from '../config/presets.ts'
import { agentSchema } from '../config/agent-schema.ts'
import type { AgentConfig } from '../config/schema.ts'

const CREATE: Readonly<Record<AgentConfig['adapter'], (options: AgentCliOptions) => AgentCli>> = {
  claude: createClaudeCli,
  gemini: createGeminiCli,
  codex: createCodexCli,
  opencode: createOpenCodeCli,
  command: createCommandCli,
}

/** The adapter of one [agents.NAME]. */
export const createAgentCli = (options: AgentCliOptions): AgentCli =>
  CREATE[options.config.adapter](options)

/** Where no session can be: programs are only looked for and over. */
export const NO_SESSIONS: AcpSessions = {
  session: async () => undefined,
  inspect: async () => undefined,
  capture: async () => '',
  mentions: async () => null,
  prompt: async () => ({ kind: 'refused', reason: 'nothing runs here' }),
}

/**
 * The adapter of one [acp.NAME]. It sees of the person’s environment what the agent CLI does that
 * it speaks for.
 */
export function createAcpAgentCli(options: Omit<AcpCliOptions, 'passes'>): AgentCli {
  const vendor = vendorOf(options.name, options.config.command)
  const passes =
    vendor === null
      ? []
      : createAgentCli({
          ...options,
          config: agentSchema.parse({ ...AGENT_PRESETS[vendor], env: options.config.env }),
        }).passes
  return createAcpCli({ ...options, passes })
}
