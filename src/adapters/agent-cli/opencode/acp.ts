import { inertText } from '../../../sanitize/inert.ts'
import type { AcpProgram } from '../acp/options.ts'

export const opencodeAcp: AcpProgram = {
  inert: inertText,
  askingMode: null,
  environment: async () => ({ env: { OPENCODE_DISABLE_AUTOUPDATE: '1' } }),
  // It has a free model where nobody signed in.
  login: async () => [],
}
