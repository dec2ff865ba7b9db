import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openGit } from '../../adapters/git/open.ts'
import { ensureLocalRemote } from '../../adapters/forge/local/remote.ts'
import { acquireInstanceLock } from '../../adapters/machine/instance-lock.ts'
import { adoptCopy, type AdoptedAgent } from '../../adapters/store/sqlite/adopt-copy.ts'
import { inspectStore } from '../../adapters/store/sqlite/backup.ts'
import { gitEnvironment, type Environment } from '../../config/environment.ts'
import type { Config } from '../../config/schema.ts'
import { readIfThere } from '../../config/user-state.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { startedWith } from '../../processes/processes.ts'
import { silentLog } from '../../runtime/log.ts'
import type { Paths } from '../../runtime/paths.ts'
import {
  bringBranches,
  bringWorktrees,
  type BroughtBranches,
  type BroughtWorktrees,
} from './bring-refs.ts'
import { findDestination, type StoreDestination } from './bring-store.ts'
import { createRunGit, runTar } from './git-runner.ts'
import { copyPlain } from './make-backup.ts'
import { COPIED, ENTRIES, readManifest, relocated, type BackupManifest } from './manifest.ts'

export interface Restored extends BroughtBranches, BroughtWorktrees {
  /** When the backup was made; milliseconds since the epoch. */
  readonly at: number
  readonly agents: number
  /** Where the store that was there is kept; null where there was none. */
  readonly kept: string | null
  /** Where the backup’s configuration was put, as another one is here; else null. */
  readonly config: string | null
}

/** An unpacked backup that fits here: nothing but its own folder has been written yet. */
export interface UnpackedBackup {
  readonly folder: string
  readonly manifest: BackupManifest
  readonly agents: readonly AdoptedAgent[]
  /** `.exomonad/config.toml` of the backup; null where it has none. */
  readonly configFile: string | null
  /** What is here may be put aside: somebody said so, or it is what a cut-off restore left. */
  readonly replaces: boolean
  release(): void
  /** Lets go, and a restore is no longer under way, unless one was before. */
  giveUp(): Promise<void>
}

/** One agent is the root. */
const NOBODY = 1

/**
 * Unpacks a backup into the state folder, where it marks a restore as under way until `bringBack` has
 * finished, or `giveUp`. Throws INVALID_ARG where it is none or does not fit, ALREADY_RUNNING where a daemon runs,
 * NOT_AVAILABLE where there is a tree here (unless `force`), or the one of the backup still runs on
 * this machine.
 */
export async function unpackBackup(options: {
  file: string
  force: boolean
  paths: Paths
  rootWorktree: string
  /** What is checked out there. */
  branch: string
  environment: Environment
}): Promise<UnpackedBackup> {
  const { file, force, paths, rootWorktree, branch, environment } = options
  if (!existsSync(file)) throw new ExomonadError('INVALID_ARG', `${file} is not there.`, { file })
  await mkdir(paths.state, { recursive: true, mode: 0o700 })
  const lock = acquireInstanceLock(paths.lock)
  if (lock.kind === 'held')
    throw new ExomonadError(
      'ALREADY_RUNNING',
      'A daemon runs here. `exomonad down` ends it and its agents; then restore.',
      { pid: lock.pid },
    )
  const cutOff = existsSync(paths.restoring)
  try {
    const health = await inspectStore(paths.database)
    // What a restore that was cut off put there, or was told to put aside, is nobody’s tree.
    if (!cutOff && !force && health.kind === 'sound' && health.agents > NOBODY)
      throw new ExomonadError(
        'NOT_AVAILABLE',
        `There is a tree here already, with ${health.agents} agents. \`exomonad restore --force FILE\` puts the backup in its place: its store is kept beside the backups, its branches and worktrees stay.`,
        { agents: health.agents },
      )
    // The folder itself is the mark, which is never gone in between.
    for (const name of cutOff ? await readdir(paths.restoring) : [])
      await rm(join(paths.restoring, name), { recursive: true, force: true })
    await mkdir(paths.restoring, { recursive: true, mode: 0o700 })
    try {
      const folder = paths.restoring
      await runTar(environment, ['-xzf', file, '-C', folder], paths.state).catch(
        (error: unknown) => {
          throw new ExomonadError(
            'INVALID_ARG',
            `${file} can’t be unpacked: ${(error as Error).message}`,
            {
              file,
            },
          )
        },
      )
      const manifest = await readManifest(folder, file)
      if (manifest.rootBranch !== null && manifest.rootBranch !== branch)
        throw new ExomonadError(
          'INVALID_ARG',
          `The tree of the backup grows from ${manifest.rootBranch}, and ${branch} is checked out in ${rootWorktree}. \`git switch ${manifest.rootBranch}\` first (\`git switch -c\` where there is none). Nothing was touched.`,
          { branch },
        )
      const place = (path: string): string => relocated(path, manifest, paths, rootWorktree)
      const agents = await adoptCopy(join(folder, ENTRIES.store), place, {
        log: silentLog(),
        // The same store each time, so that it is recognized where it was brought already.
        now: manifest.at,
      })
      const running = await startedWith(agents.map(({ id }) => `EXOMONAD_AGENT_ID=${id}`))
      if (running.length > 0)
        throw new ExomonadError(
          'NOT_AVAILABLE',
          `Agents of that tree still run on this machine (processes ${running.slice(0, 5).join(', ')}), and would be taken for those of this one. \`exomonad down\` in ${manifest.home} first. Nothing was touched.`,
        )
      const configFile = join(folder, ENTRIES.config, 'config.toml')
      return {
        folder,
        manifest,
        agents,
        configFile: existsSync(configFile) ? configFile : null,
        replaces: force || cutOff,
        release: lock.release,
        giveUp: async () => {
          if (!cutOff) await rm(folder, { recursive: true, force: true })
          lock.release()
        },
      }
    } catch (error) {
      // Where a restore was cut off before, it still is.
      if (!cutOff) await rm(paths.restoring, { recursive: true, force: true })
      throw error
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/**
 * Brings back what was unpacked: branches, worktrees with what was not committed in them, the local
 * forge, what was kept of agents, and last the store. Each step finds what a kill left of it, so that
 * all of it can be done again. Throws as `findDestination` does, before anything is touched.
 */
export async function bringBack(
  unpacked: UnpackedBackup,
  options: {
    paths: Paths
    rootWorktree: string
    /** Of the configuration that is here now. */
    store: Config['store']
    environment: Environment
  },
): Promise<Restored> {
  let destination: StoreDestination
  try {
    destination = await findDestination({ ...options, replaces: unpacked.replaces })
  } catch (error) {
    await unpacked.giveUp()
    throw error
  }
  try {
    const { folder, manifest, agents } = unpacked
    const { paths, rootWorktree, environment } = options
    const run = createRunGit(environment)
    const bundle = join(folder, ENTRIES.bundle)
    const { commonDir } = paths
    const branches = await bringBranches({ run, bundle, commonDir })
    const git = openGit({ commonDir, environment: gitEnvironment(environment) })
    if (manifest.forge) {
      await ensureLocalRemote({ git, paths, configuredRemote: undefined })
      await run(paths.origin, [
        ...['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance'],
        ...['--', bundle, '+refs/forge/*:refs/*'],
      ])
    }
    const worktrees = await bringWorktrees({
      ...{ run, git, commonDir, agents, rootWorktree },
      worktrees: manifest.worktrees.map((one) => ({
        ...one,
        path: relocated(one.path, manifest, paths, rootWorktree),
      })),
    })
    for (const name of COPIED) {
      const from = join(folder, name)
      if (!existsSync(from)) continue
      await mkdir(paths[name], { recursive: true, mode: 0o700 })
      await copyPlain(from, paths[name])
    }
    const templates = join(folder, ENTRIES.config, 'templates')
    if (existsSync(templates) && !existsSync(paths.templates))
      await copyPlain(templates, paths.templates)

    const config = await bringConfig(join(folder, ENTRIES.config, 'config.toml'), paths)
    const kept = await destination.bring(join(folder, ENTRIES.store))
    await writeFile(paths.accepted, '', { mode: 0o600 })
    await rm(folder, { recursive: true, force: true })
    return {
      ...{ at: manifest.at, agents: agents.length - NOBODY, kept, config },
      ...branches,
      ...worktrees,
    }
  } finally {
    unpacked.release()
  }
}

async function bringConfig(from: string, { config, configFile }: Paths): Promise<string | null> {
  const [theirs, ours] = await Promise.all([from, configFile].map((file) => readIfThere(file)))
  if (theirs === null || theirs === ours) return null
  const beside = join(config, 'config.restored.toml')
  await writeFile(beside, theirs ?? '')
  return beside
}
