import { z } from 'zod'
import { defineTool } from '../define.ts'

export const killAgents = defineTool({
  name: 'kill_agents',
  description:
    'Ends several agents below you and everything below them, or all that are done: all of those that are named, or none. Branches, worktrees and pull requests stay.',
  audience: ['tl', 'human'],
  effect: 'ends',
  listed: false,
  input: z.object({
    agents: z.array(z.string().min(1)).default([]).describe('Ids, branches or names'),
    done: z
      .boolean()
      .default(false)
      .describe(
        'All at rest whose work is merged or who reported success, who were given nothing since, with nobody below at work',
      ),
  }),
  output: z.object({ killed: z.array(z.string()) }),
  command: {
    name: 'kill',
    summary: 'End agents and everything below them; their work stays',
    fields: { agents: '[agents...]  Ids, branches or names', done: '--done' },
    examples: ['exomonad kill auth', 'exomonad kill main.search.index', 'exomonad kill --done'],
  },
  handler: ({ core, caller }, { agents, done }) => core.control.killAll(caller, agents, { done }),
})
