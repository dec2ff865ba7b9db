import { z } from 'zod'
import type { TreeView } from '../../core/agents/tree-document.ts'
import { STATE_FILTERS, TREE_SORTS } from '../../domain/tree-filters.ts'
import { defineTool } from '../define.ts'

export const tree = defineTool({
  name: 'tree',
  description:
    'The tree of agents: branch, kind, state, whose turn it is, pull request, checks, age and undelivered messages of each. Of a part of it those above stay, with `matches: false`.',
  audience: ['tl', 'dev', 'human'],
  effect: 'reads',
  listed: false,
  input: z.object({
    text: z
      .string()
      .optional()
      .describe('Only agents with this in their name, branch, task or command'),
    state: z
      .array(z.enum(STATE_FILTERS))
      .min(1)
      .optional()
      .describe(
        'Only agents in one of these states; red: with failed checks, done: merged and completed too, live: not ended',
      ),
    needs_me: z.boolean().default(false).describe('Only agents that wait for you'),
    under: z.string().min(1).optional().describe('Only this agent and those below it'),
    sort: z
      .enum(TREE_SORTS)
      .optional()
      .describe(
        'Order of those with one parent: the youngest first, by name, or what needs somebody first; without, the oldest first',
      ),
    depth: z.number().int().min(0).optional().describe('At most so many generations below'),
  }),
  output: z
    .custom<TreeView>((value) => typeof value === 'object' && value !== null)
    .meta({ type: 'object' }),
  command: {
    name: 'tree',
    summary: 'Show the tree of agents',
    fields: {
      text: '[text]',
      state: '-s, --state <state>',
      needs_me: '-m, --needs-me',
      under: '-u, --under <agent>',
      sort: '--sort <order>',
      depth: '-d, --depth <count>',
    },
    examples: [
      'exomonad tree --watch',
      'exomonad tree --needs-me',
      'exomonad tree --under search --state running,waiting',
    ],
  },
  handler: ({ core, caller }, { state, needs_me: needsMe, ...wanted }) =>
    core.view.tree({
      ...wanted,
      ...(state === undefined ? {} : { states: state }),
      ...(needsMe ? { turn: caller.kind === 'human' ? 'human' : caller.agent.id } : {}),
    }),
})
