import type { AgentId } from '../../domain/ids.ts'
import type { Agent } from '../../domain/records.ts'
import type { BaseTips } from './base-tips.ts'
import { familiesOf, type Member } from './pairs.ts'

/**
 * Those whose work can conflict with nothing, so that no look could find anything: no sibling has
 * any, and their base is where they parted from it. `told`: whom something was told of.
 */
export function aloneOf(
  members: readonly Member[],
  {
    agents,
    tips,
    told,
  }: {
    readonly agents: readonly Pick<Agent, 'id' | 'forkPoint'>[]
    readonly tips: BaseTips
    readonly told: ReadonlySet<AgentId>
  },
): Set<AgentId> {
  const forkPoints = new Map(agents.map(({ id, forkPoint }) => [id, forkPoint]))
  const alone = new Set<AgentId>()
  for (const [member, ...siblings] of familiesOf(members).values()) {
    if (member === undefined || siblings.length > 0 || told.has(member.id)) continue
    const { id, baseBranch } = member
    const tip = baseBranch === null ? null : tips.get(baseBranch)
    if (baseBranch === null || (tip != null && tip === forkPoints.get(id))) alone.add(id)
  }
  return alone
}
