import { z } from 'zod'
import type { TreeChanges } from '../../core/agents/tree-document.ts'
import { defineTool } from '../define.ts'

export const treeChanges = defineTool({
  name: 'tree_changes',
  description:
    'The nodes of the tree that changed since an earlier answer, for a client that keeps the tree and hears of events: call it after each, with the revision of the answer before. Put `nodes` in place of those with the same id, take `removed` away; with `complete` drop all others first. A node stands below `under`, beside others by `order`; its ages are of `at`.',
  audience: ['human'],
  effect: 'reads',
  listed: false,
  input: z.object({
    since: z
      .string()
      .optional()
      .describe('Revision of the answer before; without, or of another daemon: everything'),
  }),
  output: z
    .custom<TreeChanges>((value) => typeof value === 'object' && value !== null)
    .meta({ type: 'object' }),
  handler: ({ core }, { since }) => core.view.changes(since),
})
