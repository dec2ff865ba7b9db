import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

const BY = { person: 'the human', program: 'a program of the human’s (MCP)' }

export const agentActedFor = defineEvent({
  type: 'agent.acted_for',
  summary:
    'The owner called a tool as this agent (`--as`): what it did has the agent as its actor. Before it is done, and also where it is refused then.',
  payload: {
    tool: z.string(),
    /** `program`: one that speaks MCP with the owner’s token. */
    by: z.enum(['person', 'program']),
  },
  minor: true,
  line: ['→', 'dim', (p) => words`${p.tool} called as it by ${BY[p.by ?? 'person']}`],
})
