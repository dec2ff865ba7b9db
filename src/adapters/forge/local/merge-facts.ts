import type { Sha } from '../../../domain/ids.ts'
import type { Git, MergeTreeResult } from '../../git/git.ts'

/** What merging a head into a base comes to. */
export interface MergeFacts {
  /** The files after the merge; null where it conflicts. */
  readonly tree: Sha | null
  readonly conflictFiles: readonly string[]
  /** The base has all that the head brings. */
  readonly changesNothing: boolean
}

/** So many are kept, of pairs of commits, which never change. */
const MOST = 5_000

/** Merges in objects, remembered; of many at once in one process. */
export function createMergeFacts(
  git: Pick<Git, 'mergeTrees'>,
): (pairs: readonly (readonly [base: Sha, head: Sha])[]) => Promise<MergeFacts[]> {
  const known = new Map<string, MergeFacts>()
  const keyOf = (base: Sha, head: Sha): string => `${base} ${head}`
  const facts = (merged: MergeTreeResult, base: MergeTreeResult | undefined): MergeFacts =>
    merged.kind === 'conflict'
      ? { tree: null, conflictFiles: merged.files, changesNothing: false }
      : {
          tree: merged.tree,
          conflictFiles: [],
          changesNothing: base?.kind === 'clean' && base.tree === merged.tree,
        }

  return async (pairs) => {
    if (known.size > MOST) known.clear()
    const before = pairs.map(([base, head]) => known.get(keyOf(base, head)))
    const missing = pairs.filter((_, index) => before[index] === undefined)
    const bases = [...new Set(missing.map(([base]) => base))]
    const merged = await git.mergeTrees([...missing, ...bases.map((base) => [base, base] as const)])
    for (const [index, [base, head]] of missing.entries()) {
      known.set(
        keyOf(base, head),
        facts(merged[index]!, merged[missing.length + bases.indexOf(base)]),
      )
    }
    return pairs.map(([base, head], index) => before[index] ?? known.get(keyOf(base, head))!)
  }
}
