import type { NoSnapshot, WorktreeSnapshot } from '../../adapters/git/radar/radar-git.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { Deps } from '../deps.ts'
import type { Member } from './pairs.ts'

export type Snapshots = ReadonlyMap<AgentId, WorktreeSnapshot | NoSnapshot>

/** Takes snapshots of those who are due; of all others what is known is kept. */
export function createTakeSnapshots({ git, log }: Pick<Deps, 'git' | 'log'>): (
  members: readonly Member[],
  known: Snapshots,
  options: {
    readonly isDue: (member: Member) => boolean
    /** Before each: false where no more is to be done. */
    readonly goOn: () => Promise<boolean>
  },
) => Promise<Map<AgentId, WorktreeSnapshot | NoSnapshot>> {
  return async (members, known, { isDue, goOn }) => {
    const found = new Map<AgentId, WorktreeSnapshot | NoSnapshot>()
    for (const member of members) {
      const { id, name, worktree } = member
      const before = known.get(id)
      if (!isDue(member)) {
        if (before !== undefined) found.set(id, before)
        continue
      }
      if (!(await goOn())) break
      const last = before?.kind === 'taken' ? before : undefined
      const taken = await git.snapshotWorktree(worktree, last).catch((thrown: unknown) => {
        log.info({ err: thrown, agent: id }, 'a worktree could not be looked at; it is tried again')
        return {
          kind: 'unknown' as const,
          why: `its worktree can’t be read`,
          ...(git.isUnreadable(thrown) ? { unreadable: true as const } : {}),
        }
      })
      if (taken.kind === 'taken' && taken.skipped.length > 0 && last?.mark !== taken.mark)
        log.info(
          { agent: id, name, files: taken.skipped },
          'files over 50 MB, and those over 1 MB that were just written, are not looked at',
        )
      found.set(id, taken)
    }
    return found
  }
}
