import { z } from 'zod'
import { defineTool } from '../define.ts'

export const interrupt = defineTool({
  name: 'interrupt',
  description:
    'Interrupt the turn of an agent below you, as Escape in its terminal does: it stops what it is doing and waits for what it is told next. Use it when an agent goes the wrong way and a message at its next stop would be too late; then send it what to do instead.',
  audience: ['tl', 'human'],
  listed: true,
  input: z.object({ agent: z.string().min(1).describe('Id, branch or name') }),
  output: z.object({
    agent_id: z.string(),
    interrupted: z.boolean().describe('False where it rests: there was nothing to interrupt'),
  }),
  command: {
    name: 'interrupt',
    summary: 'Interrupt the turn of an agent, as Escape in its terminal does',
    fields: { agent: '<agent>' },
    examples: ['exomonad interrupt auth'],
  },
  handler: ({ core, caller }, { agent }) => core.control.interrupt(caller, agent),
})
