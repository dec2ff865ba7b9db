import { inertEveryAt } from '../../../sanitize/inert.ts'
import { findLogin } from '../acp/login.ts'
import type { AcpProgram } from '../acp/options.ts'
import { gitIdentity } from './git-identity.ts'

export const geminiAcp: AcpProgram = {
  inert: inertEveryAt,
  askingMode: null,
  environment: async (options, { worktree }) => ({
    env: {
      GEMINI_CLI_NO_RELAUNCH: 'true',
      // Without trust it has no MCP, and asks. Who set exomonad up in the repository trusts it.
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      ...(await gitIdentity(options, worktree)),
    },
  }),
  login: (options) =>
    findLogin(options, {
      keys: [
        'GEMINI_API_KEY',
        'GOOGLE_API_KEY',
        'GOOGLE_GENAI_USE_VERTEXAI',
        'GOOGLE_GENAI_USE_GCA',
      ],
      files: ['.gemini/oauth_creds.json', '.gemini/.env'],
      fix: 'Run `gemini` once and sign in, or set GEMINI_API_KEY.',
    }),
}
