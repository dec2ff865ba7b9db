import { z } from 'zod'
import { defineTool } from '../define.ts'

export const spawnChoices = defineTool({
  name: 'spawn_choices',
  description:
    'What may be chosen where something is spawned: programs and roles of the configuration, whether issues can be given, and how much room there is.',
  audience: ['human'],
  effect: 'reads',
  listed: false,
  input: z.object({}),
  output: z.object({
    agents: z
      .array(z.object({ name: z.string(), adapter: z.string() }))
      .describe('Values of `agent`: an [agents.NAME], or acp:NAME'),
    roles: z.array(z.object({ name: z.string(), agent: z.string().nullable() })),
    default_roles: z.object({ subtree: z.string(), worker: z.string() }),
    issues: z.boolean().describe('Whether `issue` can be given'),
    max_live_agents: z.number().int(),
    live_agents: z.number().int(),
    max_depth: z.number().int(),
  }),
  handler: ({ core }) => core.view.spawnChoices(),
})
