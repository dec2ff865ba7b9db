import { defineAgentCli } from '../define.ts'
import { PACKAGE } from './package.ts'

/** Gemini CLI. */
export const gemini = defineAgentCli({
  name: 'gemini',
  program: 'gemini',
  package: PACKAGE,
  acp: {
    name: 'gemini',
    command: ['gemini', '--acp'],
    package: PACKAGE,
    load: async () => (await import('./acp.ts')).geminiAcp,
  },
  load: async () => (await import('./adapter.ts')).createGeminiCli,
})
