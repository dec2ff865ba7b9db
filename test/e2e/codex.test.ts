import { agentCliEndToEnd } from './agent-cli.ts'
import { codex } from './clis/codex.ts'

agentCliEndToEnd(codex)
