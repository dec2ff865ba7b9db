import { ACP_AGENTS } from '../acp-agent.ts'
import { acpEndToEnd } from '../as-acp.ts'

acpEndToEnd(ACP_AGENTS.claude)
