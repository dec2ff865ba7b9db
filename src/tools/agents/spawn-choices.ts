import { z } from 'zod'
import { defineTool } from '../define.ts'

const missing = z.string().nullable().describe('Why it can’t be started; null where it can')

export const spawnChoices = defineTool({
  name: 'spawn_choices',
  description:
    'What a spawn may be given by the configuration of now: roles, programs, and how many more agents there may be. For whoever lets a person choose.',
  audience: ['human'],
  effect: 'reads',
  listed: false,
  input: z.object({}),
  output: z.object({
    roles: z.array(
      z.object({
        name: z.string(),
        agent: z.string().nullable().describe('What runs it; null where none is set'),
        missing,
      }),
    ),
    agents: z
      .array(
        z.object({
          name: z.string().describe('As specs name it: an [agents.NAME], or acp:NAME'),
          adapter: z.string(),
          missing,
        }),
      )
      .describe('Those that run a role first'),
    limits: z.object({
      max_live_agents: z.number().int(),
      live: z.number().int(),
      max_live_headless: z.number().int().describe('Of agents without a terminal'),
      live_headless: z.number().int(),
      max_tree_depth: z.number().int(),
    }),
  }),
  handler: ({ core }) => core.spawnChoices(),
})
