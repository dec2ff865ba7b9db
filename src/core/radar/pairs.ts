import { sharesBranch } from '../../domain/agent-kinds.ts'
import type { AgentId, BranchName } from '../../domain/ids.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import type { Agent } from '../../domain/records.ts'

/** An agent with a branch and a worktree of its own. */
export type Member = Pick<
  Agent,
  'id' | 'name' | 'parentId' | 'branch' | 'baseBranch' | 'worktree' | 'state' | 'spawnedAt'
>

/** Two whose work will have to be merged: siblings, or an agent and its base (`b` is null). */
export interface Pair {
  readonly id: string
  readonly a: Member
  readonly b: Member | null
  /** Of `b` null. */
  readonly base: BranchName | null
}

/** As people and models call the second of the two. */
export const otherNameOf = ({ b, base }: Pair): string => b?.name ?? base ?? ''

/** `filed`: branches with an open pull request: that work comes, whether its agent lives or not. */
export const membersOf = (agents: readonly Agent[], filed: ReadonlySet<string>): Member[] =>
  agents
    .filter(
      (agent) =>
        agent.kind !== 'root' &&
        agent.ownsWorktree &&
        !sharesBranch(agent) &&
        agent.cleanedAt === null &&
        agent.state !== 'spawning' &&
        (isAlive(agent.state) || filed.has(agent.branch)),
    )
    .toSorted((one, other) => one.spawnedAt - other.spawnedAt || (one.id < other.id ? -1 : 1))

/** All pairs, those of one parent together, the older agent first. */
export function pairsOf(members: readonly Member[]): Pair[] {
  const pairs: Pair[] = []
  for (const siblings of familiesOf(members).values())
    for (const [index, a] of siblings.entries()) {
      for (const b of siblings.slice(index + 1))
        pairs.push({ id: `${a.id}:${b.id}`, a, b, base: null })
      if (a.baseBranch !== null) pairs.push({ id: `${a.id}:base`, a, b: null, base: a.baseBranch })
    }
  return pairs
}

export const familiesOf = (members: readonly Member[]): Map<AgentId | null, Member[]> =>
  Map.groupBy(members, ({ parentId }) => parentId)
