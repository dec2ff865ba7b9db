import type { TouchedPath } from '../../adapters/git/radar/radar-git.ts'

/** What one side touched since the merge base, to be compared with many others. */
export interface Touched {
  readonly paths: ReadonlySet<string>
  /** All folders above those paths. */
  readonly folders: ReadonlySet<string>
  readonly adds: boolean
  /** It may have renamed something, and with that a folder, into which others’ new files follow. */
  readonly moves: boolean
}

export function touchedOf(touched: readonly TouchedPath[]): Touched {
  const folders = new Set<string>()
  for (const { path } of touched)
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end)
      if (folders.has(folder)) break
      folders.add(folder)
    }
  const adds = touched.some(({ change }) => change === 'A')
  return {
    paths: new Set(touched.map(({ path }) => path)),
    folders,
    adds,
    moves: adds && touched.some(({ change }) => change === 'D'),
  }
}

/**
 * False only where the two are certain to merge: they touched no path in common, none that is a
 * folder for the other, and neither may have renamed a folder that the other one adds files to.
 */
export function areTouching(one: Touched, other: Touched): boolean {
  if ((one.moves && other.adds) || (other.moves && one.adds)) return true
  const [small, large] = one.paths.size <= other.paths.size ? [one, other] : [other, one]
  for (const path of small.paths) if (large.paths.has(path) || large.folders.has(path)) return true
  for (const path of large.paths) if (small.folders.has(path)) return true
  return false
}
