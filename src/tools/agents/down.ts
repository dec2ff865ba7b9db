import { z } from 'zod'
import { defineTool } from '../define.ts'

export const down = defineTool({
  name: 'down',
  description: 'Ends the programs of all agents and keeps all work; resume brings them back.',
  audience: ['human'],
  effect: 'ends',
  listed: false,
  input: z.object({}),
  output: z.object({ stopped: z.array(z.string()) }),
  handler: ({ core }) => core.control.down(),
})
