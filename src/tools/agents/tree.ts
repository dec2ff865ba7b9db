import { z } from 'zod'
import type { TreeView } from '../../core/agents/tree-document.ts'
import { defineTool } from '../define.ts'

export const tree = defineTool({
  name: 'tree',
  description:
    'The tree of agents: branch, kind, state, pull request, checks, age and undelivered messages of each.',
  audience: ['tl', 'dev', 'human'],
  effect: 'reads',
  listed: false,
  input: z.object({}),
  output: z
    .custom<TreeView>((value) => typeof value === 'object' && value !== null)
    .meta({ type: 'object' }),
  command: {
    name: 'tree',
    summary: 'Show the tree of agents',
    examples: ['exomonad tree', 'exomonad tree --watch'],
  },
  handler: ({ core }) => core.view.tree(),
})
