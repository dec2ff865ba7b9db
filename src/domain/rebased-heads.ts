import type { Sha } from './ids.ts'

/** Whether two heads of a branch are the same work, rebased by exomonad. */
export type SameHead = (a: string, b: string) => boolean

/**
 * Heads of one branch that are the same work: exomonad rebased one onto the other, and each commit
 * kept its patch.
 */
export interface RebasedHeads {
  readonly same: SameHead
  /** This head and those that were rebased into it, newest first. */
  readonly lineage: (head: Sha) => Sha[]
}

/** Where it is remembered: the store’s snapshots. */
interface Snapshots {
  get(key: string): Promise<Record<string, unknown> | undefined>
  put(key: string, value: Record<string, unknown>): Promise<void>
}

interface Move {
  readonly from: Sha
  readonly to: Sha
}

/** Of one branch so many are remembered. */
const MOST = 50
const keyOf = (branch: string): string => `rebases:${branch}`

const movesOf = async (
  snapshots: Pick<Snapshots, 'get'>,
  branch: string,
): Promise<readonly Move[]> =>
  ((await snapshots.get(keyOf(branch)))?.['moves'] as readonly Move[] | undefined) ?? []

/** Written before the rebased head is pushed: whoever sees it knows what it is. */
export async function noteRebase(snapshots: Snapshots, branch: string, move: Move): Promise<void> {
  const moves = (await movesOf(snapshots, branch)).filter(({ to }) => to !== move.to)
  await snapshots.put(keyOf(branch), { moves: [...moves, move].slice(-MOST) })
}

export async function rebasedHeads(
  snapshots: Pick<Snapshots, 'get'>,
  branch: string,
): Promise<RebasedHeads> {
  const before = new Map((await movesOf(snapshots, branch)).map(({ from, to }) => [to, from]))
  const lineage = (head: Sha): Sha[] => {
    const line = [head]
    for (
      let next = before.get(head);
      next !== undefined && !line.includes(next);
      next = before.get(next)
    )
      line.push(next)
    return line
  }
  return {
    lineage,
    same: (a, b) => lineage(a as Sha).includes(b as Sha) || lineage(b as Sha).includes(a as Sha),
  }
}
