import { findLogin } from '../acp/login.ts'
import type { AcpProgram } from '../acp/options.ts'
import { LOGIN_VARIABLES } from './home.ts'
import { inertForClaude } from './inert.ts'

export const claudeAcp: AcpProgram = {
  inert: inertForClaude,
  // Its default lets a model of its own decide.
  askingMode: 'default',
  environment: async (_, { toolTimeout }) => ({
    env: {
      DISABLE_AUTOUPDATER: '1',
      // A call that takes minutes would go on in the background, and its turn without its result.
      CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS: '0',
      // Guesses at what a person might say next cost a request after each turn.
      CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false',
      // exomonad’s tools are there from the first turn on, and not behind a search: the protocol
      // has no other way to say so.
      ENABLE_TOOL_SEARCH: 'false',
      MCP_TOOL_TIMEOUT: String((toolTimeout + 60) * 1000),
    },
  }),
  login: (options) =>
    findLogin(options, {
      keys: LOGIN_VARIABLES,
      files: ['.claude/.credentials.json'],
      fix: 'Run `claude` once and sign in, or set ANTHROPIC_API_KEY.',
    }),
}
