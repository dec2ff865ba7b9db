import { coversFolder, isGlob, mayReachInto } from './globs.ts'

export type IncludeMethod = 'copy' | 'reflink' | 'hardlink' | 'symlink'

/** One file or folder to be brought whole; relative, without a `/` at its end. */
export interface ChosenEntry {
  readonly path: string
  readonly folder: boolean
  readonly method: IncludeMethod
  /** By the shared list, not by the configuration. */
  readonly shared: boolean
}

interface Pattern {
  readonly path: string
  readonly method: IncludeMethod
}

/** Folders that no pattern of the shared list means a part of: half of one serves nobody. */
const WHOLE = /(?:^|\/)node_modules\//

/**
 * What is brought, of all that is ignored (`all`: a folder that is ignored whole ends in `/`). A
 * folder goes as a whole where its whole is meant. `within`: patterns that may mean a part of a
 * folder that isn’t.
 */
export function chooseEntries({
  all,
  include,
  shared,
}: {
  all: readonly string[]
  include: readonly Pattern[]
  shared: readonly string[]
}): { entries: ChosenEntry[]; within: Pattern[] } {
  const chosen = new Map<string, ChosenEntry>()
  const within: Pattern[] = []
  const choose = (name: string, method: IncludeMethod, isShared: boolean): void => {
    const path = name.replace(/\/+$/, '')
    if (!chosen.has(path))
      chosen.set(path, { path, folder: name.endsWith('/'), method, shared: isShared })
  }
  for (const { path, method } of include) {
    const pattern = path.replace(/\/+$/, '')
    let reaches = false
    for (const name of all) {
      const entry = name.replace(/\/$/, '')
      if (isGlob(pattern) ? coversFolder(pattern, entry) : isWithin(entry, pattern))
        choose(name, method, false)
      else if (name.endsWith('/') && mayReachInto(pattern, entry)) reaches = true
    }
    if (reaches) within.push({ path: pattern, method })
  }
  // Of the list only what git ignores: of a folder that both mean, the smaller part.
  for (const name of shared) {
    if (WHOLE.test(name.replace(/\/$/, ''))) continue
    const entry = name.replace(/\/$/, '')
    if (all.some((other) => isWithin(entry, other.replace(/\/$/, '')))) choose(name, 'copy', true)
    else if (name.endsWith('/'))
      for (const other of all) if (isWithin(other, entry)) choose(other, 'copy', true)
  }
  const entries = [...chosen.values()]
  return {
    entries: entries.filter(
      ({ path }) =>
        !isOwn(path) && !entries.some((other) => other.folder && path.startsWith(`${other.path}/`)),
    ),
    within,
  }
}

/** Of exomonad itself: the worktrees of others are in it. */
const isOwn = (path: string): boolean => isWithin(path, '.exomonad')

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder}/`)
