import type { AgentCli } from '../adapters/agent-cli/agent-cli.ts'
import { createClaudeCli } from '../adapters/agent-cli/claude.ts'
import { createCodexCli } from '../adapters/agent-cli/codex.ts'
import { createCommandCli } from '../adapters/agent-cli/command.ts'
import { createGeminiCli } from '../adapters/agent-cli/gemini.ts'
import { createOpenCodeCli } from '../adapters/agent-cli/opencode.ts'
import type { AgentCliOptions } from '../adapters/agent-cli/options.ts'
import type { AgentConfig } from '../config/schema.ts'

const CREATE: Readonly<Record<AgentConfig['adapter'], (options: AgentCliOptions) => AgentCli>> = {
  claude: createClaudeCli,
  gemini: createGeminiCli,
  codex: createCodexCli,
  opencode: createOpenCodeCli,
  command: createCommandCli,
}

/** The adapter of one [agents.NAME]. */
export const createAgentCli = (options: AgentCliOptions): AgentCli => CREATE[options.config.adapter](options)
