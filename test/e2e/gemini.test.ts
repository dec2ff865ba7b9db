import { agentCliEndToEnd } from './agent-cli.ts'
import { gemini } from './clis/gemini.ts'

agentCliEndToEnd(gemini)
