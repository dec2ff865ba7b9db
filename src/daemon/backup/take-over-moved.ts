import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { relinkWorktrees } from '../../adapters/git/worktrees/relink.ts'
import { acquireInstanceLock } from '../../adapters/machine/instance-lock.ts'
import { adoptCopy } from '../../adapters/store/sqlite/adopt-copy.ts'
import type { Environment } from '../../config/environment.ts'
import type { RepositoryFile } from '../../config/repository-file.ts'
import type { Config } from '../../config/schema.ts'
import {
  listRepositoryRecords,
  readIfThere,
  trustFile,
  writeWhole,
} from '../../config/user-state.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { startedWith } from '../../processes/processes.ts'
import { silentLog } from '../../runtime/log.ts'
import type { Paths } from '../../runtime/paths.ts'
import { findDestination } from './bring-store.ts'
import { copyStore } from './make-backup.ts'
import { relocated, type Place } from './manifest.ts'

/** A repository whose set-up is of another place. */
export interface MovedRepository {
  readonly file: RepositoryFile
  /** Where it is now. */
  readonly paths: Paths
  readonly rootWorktree: string
  readonly environment: Environment
}

/** Where the repository was: as the owner's records have it, else as git lays it out. */
export async function placeBefore({
  file,
  paths,
  environment,
}: Pick<MovedRepository, 'file' | 'paths' | 'environment'>): Promise<Place> {
  const { home, rootWorktree } = file
  const known = (await listRepositoryRecords(environment)).find(
    (one) => one.home === home && one.commonDir !== paths.commonDir,
  )
  return { home, rootWorktree, commonDir: known?.commonDir ?? join(home, '.git') }
}

/** Where what the set-up names lies now. */
export async function relocation(moved: MovedRepository): Promise<(path: string) => string> {
  const before = await placeBefore(moved)
  return (path) => relocated(path, before, moved.paths, moved.rootWorktree)
}

/** Takes the worktrees of a copy from the original's, which are not touched. */
export async function relinkCopy(moved: MovedRepository): Promise<void> {
  const relocate = await relocation(moved)
  await relinkWorktrees(moved.paths.commonDir, { relocate, former: null })
}

/**
 * Has the tree of a repository that was moved be one of where it is now, with its agents stopped:
 * worktrees, records and what the owner trusted. The set-up itself is written after it, so that all
 * of it is done again where it was cut off. Throws ALREADY_RUNNING and NOT_AVAILABLE, before anything
 * is touched, where daemon or agents still run.
 */
export async function takeOverMoved(
  moved: MovedRepository & { readonly store: Config['store'] },
): Promise<void> {
  const { file, paths, environment, store } = moved
  const back = `Move it back to ${file.home}, run \`exomonad down\` there, and move it again. Nothing was touched.`
  if (store.kind === 'postgres')
    throw new ExomonadError(
      'NOT_AVAILABLE',
      `The records of this tree are in PostgreSQL, and name ${file.home}. Move it back, make a backup (\`exomonad backup FILE\`), and restore that into a clone. Nothing was touched.`,
    )
  const lock = acquireInstanceLock(paths.lock)
  if (lock.kind === 'held')
    throw new ExomonadError(
      'ALREADY_RUNNING',
      `The daemon of before (process ${lock.pid ?? 'unknown'}) still runs, and ends within a minute where the repository is no more: run \`exomonad init\` again then. Nothing was touched.`,
      { pid: lock.pid },
    )
  try {
    const relocate = await relocation(moved)
    const staging = join(paths.state, 'taking-over')
    await rm(staging, { recursive: true, force: true })
    await mkdir(staging, { recursive: true, mode: 0o700 })
    const copy = join(staging, 'store.db')
    const agents = existsSync(paths.database)
      ? await copyStore({ paths, store, environment }, copy).then(() =>
          adoptCopy(copy, relocate, {
            log: silentLog(),
            now: Date.now(),
            reason: 'it ran when the repository was moved',
          }),
        )
      : null
    const running = await startedWith(agents?.map(({ id }) => `EXOMONAD_AGENT_ID=${id}`) ?? [])
    if (running.length > 0) {
      await rm(staging, { recursive: true, force: true })
      throw new ExomonadError(
        'NOT_AVAILABLE',
        `Agents of this tree still run (processes ${running.slice(0, 5).join(', ')}), in folders that are named otherwise now. ${back}`,
      )
    }
    const { commonDir: former } = await placeBefore(moved)
    await relinkWorktrees(paths.commonDir, { relocate, former })
    if (agents !== null) {
      const destination = await findDestination({ store, paths, environment, replaces: true })
      await destination.bring(copy)
    }
    await rm(staging, { recursive: true, force: true })
    await bringTrust(moved)
  } finally {
    lock.release()
  }
}

/** What was trusted stays so: it goes by content. The rest of the owner’s records is made anew. */
async function bringTrust(moved: MovedRepository): Promise<void> {
  const { environment, paths } = moved
  const { commonDir } = await placeBefore(moved)
  if (commonDir === paths.commonDir) return
  const [before, now] = [commonDir, paths.commonDir].map((one) => trustFile(environment, one))
  if (before === undefined || now === undefined) return
  const text = await readIfThere(before)
  if (text !== null && (await readIfThere(now)) === null) await writeWhole(now, text)
}
