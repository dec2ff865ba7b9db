import { expect, it } from 'vitest'
import { itemsByAgent } from '../../../../src/core/inbox/items-by-agent.ts'
import type { Item } from '../../../../src/core/inbox/item.ts'
import type { AgentId } from '../../../../src/domain/ids.ts'
import { makeAgent } from '../make-agent.ts'

it('items count for whom the tree shows: of one out of sight for the next above, of nobody for the root', () => {
  const root = makeAgent({ kind: 'root', parentId: null })
  const lead = makeAgent({ kind: 'subtree', parentId: root.id })
  const gone = makeAgent({ kind: 'worker', parentId: lead.id, reapedAt: 5 })
  const about = (id: string | null): Item => ({
    ...{ number: 1, id: 'x', type: 'failed', agent: null, agent_id: id as AgentId | null },
    ...{ since: 1, title: '', text: '', settle: [] },
  })
  const agents = new Map([root, lead, gone].map((agent) => [agent.id, agent]))
  const items = [about(lead.id), about(gone.id), about(null), about('no longer there')]
  expect(itemsByAgent(items, agents, ({ parentId }) => parentId)).toEqual(
    new Map([
      [lead.id, 2],
      [root.id, 2],
    ]),
  )
})
