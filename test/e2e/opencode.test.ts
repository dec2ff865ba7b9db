import { agentCliEndToEnd } from './agent-cli.ts'
import { opencode } from './clis/opencode.ts'

agentCliEndToEnd(opencode)
