import { z } from 'zod'
import { defineTool } from '../define.ts'

export const attach = defineTool({
  name: 'attach',
  description:
    'Where an agent’s pane is, and the command that shows it, or the stream of one that has no terminal.',
  audience: ['human'],
  exact: ['argv'],
  effect: 'reads',
  listed: false,
  input: z.object({
    agent: z.string().min(1),
    inside: z.string().optional().describe('Name of the Zellij session that the caller is in.'),
  }),
  output: z.object({
    agent_id: z.string(),
    multiplexer: z.string(),
    pane: z.string(),
    argv: z.array(z.string()).nullable(),
  }),
  command: {
    name: 'attach',
    summary: 'Show an agent’s terminal, or the stream of one that has none',
    fields: { agent: '[agent]  Id, branch or name; default: the root' },
    given: { agent: 'root' },
    examples: ['exomonad attach auth', 'exomonad attach auth --print'],
  },
  handler: ({ core }, input) => core.control.attach(input.agent, input.inside),
})
