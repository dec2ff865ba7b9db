import type { Sha } from '../../../domain/ids.ts'
import type { MergeBases } from './radar-git.ts'

/** Commits by their parents, as `git rev-list --parents` has them. */
export const parseHistory = (text: string): Map<Sha, readonly Sha[]> =>
  new Map(
    text.split('\n').flatMap((line) => {
      const [commit, ...parents] = line.split(' ') as Sha[]
      return commit === undefined || commit === ('' as Sha) ? [] : [[commit, parents] as const]
    }),
  )

/**
 * `history`: all commits that some heads reach and `bound`, an ancestor of all of them, does not.
 * What two heads have in common outside of that is an ancestor of `bound`, or it.
 */
export function mergeBasesIn(history: ReadonlyMap<Sha, readonly Sha[]>, bound: Sha): MergeBases {
  const reached = new Map<Sha, ReadonlySet<Sha>>()
  const ancestors = (head: Sha): ReadonlySet<Sha> => {
    const known = reached.get(head)
    if (known !== undefined) return known
    const found = new Set<Sha>()
    const todo = [head]
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      if (found.has(next) || !history.has(next)) continue
      found.add(next)
      todo.push(...(history.get(next) ?? []))
    }
    reached.set(head, found)
    return found
  }
  return (one, other) => {
    if (one === other) return one
    const theirs = ancestors(other)
    const common = [...ancestors(one)].filter((commit) => theirs.has(commit))
    if (common.length === 0) return bound
    // Those that no other one of them descends from.
    const older = new Set(common.flatMap((commit) => history.get(commit) ?? []))
    const best = common.filter((commit) => !older.has(commit))
    return best.length === 1 ? best[0] : undefined
  }
}
