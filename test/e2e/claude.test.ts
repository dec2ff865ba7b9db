import { agentCliEndToEnd } from './agent-cli.ts'
import { claude } from './clis/claude.ts'

agentCliEndToEnd(claude)
