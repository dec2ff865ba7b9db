import type { FileHunks, LineRange, RadarGit } from '../../adapters/git/radar/radar-git.ts'
import type { Sha } from '../../domain/ids.ts'

/** At most so many places of one file are named. */
const MOST_PLACES = 4

/** The last line of the merge base that a hunk reaches to; one that only adds has one place. */
const endOf = ({ from, lines }: LineRange): number => from + Math.max(lines, 1) - 1

/** Hunks closer than this to one of the other side are where git sees a conflict. */
const NEAR = 1

/** Of one side those hunks that meet one of the other side’s; all of them where none does. */
export function meeting(
  own: FileHunks | undefined,
  other: FileHunks | undefined,
): FileHunks['hunks'] {
  const hunks = own?.hunks ?? []
  const met = hunks.filter(({ base }) =>
    (other?.hunks ?? []).some(
      (theirs) => base.from <= endOf(theirs.base) + NEAR && theirs.base.from <= endOf(base) + NEAR,
    ),
  )
  return met.length > 0 ? met : hunks
}

/** `lines 3-5, 9`, as the side has them now; or what else it did to the file. */
export function placesOf(own: FileHunks | undefined, other: FileHunks | undefined): string {
  if (own === undefined) return 'in another place'
  if (own.change === 'deleted') return 'deletes it'
  const renamed = own.change === 'renamed' ? `renames it to ${own.newPath}` : undefined
  if (own.binary) return renamed ?? (own.change === 'added' ? 'adds it (binary)' : 'binary')
  if (own.change === 'mode') return 'changes its mode'
  const hunks = meeting(own, other)
  const places = hunks
    .slice(0, MOST_PLACES)
    .map(({ own: { from, lines } }) => (lines > 1 ? `${from}-${from + lines - 1}` : `${from}`))
  const more = hunks.length > MOST_PLACES ? ' and more' : ''
  const one = hunks.length === 1 && (hunks[0]?.own.lines ?? 0) <= 1
  const lines =
    places.length === 0 ? undefined : `line${one ? '' : 's'} ${places.join(', ')}${more}`
  if (own.change === 'added') return lines === undefined ? 'adds it' : `adds it, ${lines}`
  return [renamed, lines].filter((words) => words !== undefined).join(', ') || 'changes it'
}

/** What each side did to a file, by whichever of its names. */
export type BothSides = (
  path: string,
) => readonly [a: FileHunks | undefined, b: FileHunks | undefined]

/** What two commits did to these files since their merge base. */
export async function bothSides(
  git: Pick<RadarGit, 'hunksOf'>,
  { base, a, b }: { base: Sha; a: Sha; b: Sha },
  files: readonly string[],
): Promise<BothSides> {
  const read = (paths: readonly string[]) =>
    Promise.all([git.hunksOf(base, a, paths), git.hunksOf(base, b, paths)])
  const found = await read(files)
  // What one of them renamed has its old name for the other.
  const names = new Set([...files, ...found.flat().map(({ path }) => path)])
  const [own, other] = names.size === files.length ? found : await read([...names])
  const named = (side: readonly FileHunks[], path: string): FileHunks | undefined =>
    side.find((file) => file.path === path) ?? side.find((file) => file.newPath === path)
  return (path) => {
    const [ours, theirs] = [named(own, path), named(other, path)]
    const before = ours?.path ?? theirs?.path ?? path
    return [ours ?? named(own, before), theirs ?? named(other, before)]
  }
}
