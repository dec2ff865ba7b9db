import type { AgentId } from '../../domain/ids.ts'
import type { Deps } from '../deps.ts'
import type { Member } from './pairs.ts'
import type { Snapshots } from './take-snapshots.ts'

/** Looks by the clock that one without a sign of changes is spared in a row. */
const MOST_SPARED = 3

/**
 * Who is at work and shows no sign of having changed a file is not looked at each time the clock
 * says so: git would read the state of every file to find nothing. What begins elsewhere, in a
 * file that was not changed before, is seen some looks later, or when the turn ends.
 */
export function createResting({ git }: Pick<Deps, 'git'>): {
  /** Counts as one look that was due by the clock. */
  isSpared(member: Member, known: Snapshots): Promise<boolean>
  /** At these; nobody else was looked at for now. */
  looked(at: ReadonlySet<AgentId> | 'all'): void
} {
  const spared = new Map<AgentId, number>()
  return {
    isSpared: async ({ id, worktree }, known) => {
      const snapshot = known.get(id)
      const times = spared.get(id) ?? 0
      if (snapshot?.kind !== 'taken' || times >= MOST_SPARED) return false
      if (!(await git.seemsUnchanged(worktree, snapshot))) return false
      spared.set(id, times + 1)
      return true
    },
    looked: (at) => {
      if (at === 'all') return spared.clear()
      for (const id of at) spared.delete(id)
    },
  }
}
