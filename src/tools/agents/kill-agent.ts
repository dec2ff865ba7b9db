import { z } from 'zod'
import { defineTool } from '../define.ts'

export const killAgent = defineTool({
  name: 'kill_agent',
  description:
    'End a session or background task below you, and everything that it started. Use it when its result is no longer wanted or it hangs; what it has changed and written so far stays.',
  audience: ['tl', 'human'],
  effect: 'ends',
  listed: true,
  input: z.object({ agent_id: z.string().min(1).describe('Id, branch or name') }),
  output: z.object({ killed: z.literal(true) }),
  handler: ({ core, caller }, { agent_id: address }) => core.sessions.kill(caller, address),
})
