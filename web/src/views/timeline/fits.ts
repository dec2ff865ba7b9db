import type { WireEvent } from '../../../../src/surfaces/client.ts'
import type { TreeNode } from '../../../../src/core/agents/tree-document.ts'

/** Which events are wanted. */
export interface EventWish {
  readonly since: number
  readonly until: number | null
  /** Null for all. */
  readonly types: readonly string[] | null
  /** Id of an agent: it and all below it. */
  readonly under: string | null
}

/** Whether what came in is what is wanted, as the daemon would say. */
export function fits(
  { type, at, agentId }: WireEvent,
  { since, until, types, under }: EventWish,
  byId: ReadonlyMap<string, Pick<TreeNode, 'parent_id'>>,
): boolean {
  if (at < since || (until !== null && at >= until)) return false
  if (types !== null && !types.includes(type)) return false
  if (under === null) return true
  for (let id: string | null = agentId; id !== null; id = byId.get(id)?.parent_id ?? null)
    if (id === under) return true
  return false
}
