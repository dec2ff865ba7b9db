import type { TreeNode } from '../../../core/agents/tree-document.ts'
import type { WireEvent } from '../../client.ts'

/** Who an event is about, as the tree calls them; what is in no tree as its events do. */
export function namesOf(
  nodes: readonly Pick<TreeNode, 'id' | 'short'>[],
): (event: Pick<WireEvent, 'agentId' | 'type' | 'payload'>) => string | null {
  const names = new Map<string, string>(nodes.map(({ id, short }) => [id, short]))
  return ({ agentId, type, payload }) => {
    if (agentId === null) return null
    if (!names.has(agentId) && type.startsWith('agent.') && typeof payload['name'] === 'string')
      names.set(agentId, payload['name'])
    return names.get(agentId) ?? agentId.slice(0, 8)
  }
}
