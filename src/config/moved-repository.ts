import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { ExomonadError } from '../domain/errors.ts'
import { findRepository } from './find-repository.ts'
import type { RepositoryFile } from './repository-file.ts'

/** `copied`: the repository that the set-up is of is still there. */
export type SetUpElsewhere = 'moved' | 'copied'

/**
 * What became of a repository whose set-up names other folders than its own; null where it is its
 * own. All that is recorded is absolute (worktrees, socket, terminals), so that a command which
 * went by it would act on the repository that stands there.
 */
export async function setUpElsewhere(
  { home }: Pick<RepositoryFile, 'home'>,
  commonDir: string,
): Promise<SetUpElsewhere | null> {
  // Earlier versions kept `.exomonad/` in a git directory that is not called `.git`.
  if (home === commonDir) return null
  const place = await realpath(home).catch(() => null)
  const found = place === null ? undefined : await findRepository(place).catch(() => undefined)
  // A repository further up is another one, in whose folder this one was.
  if (found === undefined || found.worktree !== place) return 'moved'
  if (found.commonDir === commonDir) return null
  // Where nothing is set up, that is another repository in its place.
  return existsSync(join(found.commonDir, 'exomonad', 'repository.json')) ? 'copied' : 'moved'
}

/** REPOSITORY_MOVED, with what to do. */
export const movedError = (
  how: SetUpElsewhere,
  { home }: Pick<RepositoryFile, 'home'>,
  commonDir: string,
): ExomonadError =>
  new ExomonadError(
    'REPOSITORY_MOVED',
    how === 'copied'
      ? `This repository is a copy of ${home}, and its set-up is still of the tree there, which commands here would reach. \`exomonad deinit\` takes it out of the copy and leaves ${home} alone; then \`exomonad init\` begins a tree here.`
      : `This repository was set up in ${home} and is not there any more. If it was moved here, \`exomonad init\` takes its tree over; to undo that instead, move it back.`,
    { repository: commonDir, home, how },
  )
