import { existsSync } from 'node:fs'
import { cp, lstat, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { openGit } from '../../adapters/git/open.ts'
import { parseWorktreeList, withMainAt } from '../../adapters/git/worktrees/worktree-list.ts'
import { gitEnvironment, type Environment } from '../../config/environment.ts'
import type { Config } from '../../config/schema.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { isRunning } from '../../processes/processes.ts'
import { silentLog } from '../../runtime/log.ts'
import type { Paths } from '../../runtime/paths.ts'
import { readVersion } from '../../runtime/version.ts'
import { createRunGit, listRefs, runTar, setRefs, type Ref, type RunGit } from './git-runner.ts'
import { COPIED, ENTRIES, FORMAT, type BackupManifest } from './manifest.ts'

export interface BackupMade {
  readonly file: string
  readonly bytes: number
  readonly branches: number
  /** Worktrees of which uncommitted changes are in it. */
  readonly uncommitted: readonly string[]
  /** Worktrees that could not be looked at, and are in it as they were committed. */
  readonly missing: readonly string[]
}

/** A folder of this process in the state folder; those that a kill left are taken away. */
const STAGING = /^backing-up-(\d+)$/

/**
 * Writes one file with the store, the branches, tags and uncommitted work of the repository and of the
 * local forge, what is kept of agents, and the configuration. The daemon and agents go on meanwhile.
 * The store is read before the branches, so that what is restored is at worst what a crash in between
 * would have left. The file is whole or not there. INVALID_ARG where it is there already, unless
 * `replace`.
 */
export async function makeBackup(options: {
  file: string
  replace: boolean
  paths: Paths
  rootWorktree: string
  store: Config['store']
  environment: Environment
}): Promise<BackupMade> {
  const { file, replace, paths, rootWorktree, environment } = options
  if (existsSync(file) && !replace)
    throw new ExomonadError(
      'INVALID_ARG',
      `${file} is there already. Name another file, or replace it with --force.`,
      { file },
    )
  await removeAbandoned(paths.state, STAGING)
  await removeAbandoned(dirname(file), draftsOf(file))
  const staging = join(paths.state, `backing-up-${process.pid}`)
  const folder = join(staging, 'backup')
  const draft = `${file}.part-${process.pid}`
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    await copyStore(options, join(folder, ENTRIES.store))
    const run = createRunGit(environment)
    const bundled = await bundle({ run, staging, folder, paths, rootWorktree, environment })
    await copyFiles(folder, paths)
    const manifest: BackupManifest = {
      format: FORMAT,
      version: readVersion(),
      at: Date.now(),
      commonDir: paths.commonDir,
      home: paths.home,
      rootWorktree,
      ...bundled.facts,
    }
    await writeFile(join(folder, ENTRIES.manifest), `${JSON.stringify(manifest, null, 2)}\n`)
    await writeFile(draft, '', { mode: 0o600 })
    await runTar(environment, ['-czf', draft, '-C', folder, '.'], staging)
    await rename(draft, file)
    const { size } = await stat(file)
    const { branches, missing } = bundled
    const uncommitted = manifest.worktrees.filter((one) => one.uncommitted).map(({ path }) => path)
    return { file, bytes: size, branches, uncommitted, missing }
  } finally {
    await rm(draft, { force: true })
    await rm(staging, { recursive: true, force: true })
  }
}

const draftsOf = (file: string): RegExp =>
  new RegExp(`^${basename(file).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\.part-(\\d+)$`)

/** Entries of a folder that name a process which runs no more. */
async function removeAbandoned(folder: string, pattern: RegExp): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = Number(pattern.exec(name)?.[1])
    if (Number.isInteger(pid) && pid !== process.pid && !(await isRunning(pid)))
      await rm(join(folder, name), { recursive: true, force: true })
  }
}

/** As it is in one instant; a daemon that writes is not disturbed. */
export async function copyStore(
  {
    paths,
    store,
    environment,
  }: Pick<Parameters<typeof makeBackup>[0], 'paths' | 'store' | 'environment'>,
  to: string,
): Promise<void> {
  const { database } = paths
  if (store.kind === 'postgres') {
    const [{ copyToSqlite }, { postgresPlace }] = await Promise.all([
      import('../../adapters/store/copy-to-sqlite.ts'),
      import('../store/store-place.ts'),
    ])
    const place = await postgresPlace(store, { environment, paths })
    return copyToSqlite({ file: to, place, log: silentLog() })
  }
  if (!existsSync(database))
    throw new ExomonadError(
      'NOT_AVAILABLE',
      `There is no store at ${database}, so there is nothing to back up.`,
    )
  const source = new Database(database, { readonly: true, fileMustExist: true })
  try {
    await source.backup(to)
  } finally {
    source.close()
  }
}

/**
 * All that is to be kept of git, gathered by name in a repository of its own that borrows the objects:
 * nothing is written into the user’s but loose objects of what is not committed.
 */
async function bundle(options: {
  run: RunGit
  staging: string
  folder: string
  paths: Paths
  rootWorktree: string
  environment: Environment
}): Promise<{
  facts: Pick<BackupManifest, 'rootBranch' | 'forge' | 'worktrees'>
  branches: number
  missing: string[]
}> {
  const { run, staging, folder, paths, rootWorktree, environment } = options
  const gathering = join(staging, 'git')
  await run(staging, ['init', '--quiet', '--bare', gathering])
  const forge = existsSync(join(paths.origin, 'HEAD'))
  const lenders = [paths.commonDir, ...(forge ? [paths.origin] : [])]
  await writeFile(
    join(gathering, 'objects', 'info', 'alternates'),
    lenders.map((lender) => `${join(lender, 'objects')}\n`).join(''),
  )
  const shallow = await readFile(join(paths.commonDir, 'shallow'), 'utf8').catch(() => '')
  if (shallow !== '') await writeFile(join(gathering, 'shallow'), shallow)

  const listed = withMainAt(
    parseWorktreeList(await run(paths.commonDir, ['worktree', 'list', '--porcelain', '-z'])),
    { commonDir: paths.commonDir, main: paths.home },
  )
  const git = openGit({ commonDir: paths.commonDir, environment: gitEnvironment(environment) })
  /** The daemon may be looking at the same worktree in this moment. */
  const lookAt = async (path: string, tries = 3): Promise<string | null> =>
    git
      .snapshotTree(path)
      .catch(() => (tries > 1 ? delay(200).then(() => lookAt(path, tries - 1)) : null))
  const refs: Ref[] = []
  const worktrees: BackupManifest['worktrees'] = []
  const missing: string[] = []
  for (const [number, { path, branch, head, bare }] of listed.entries()) {
    if (bare || head === null || !existsSync(path)) continue
    refs.push({ name: `refs/worktrees/${number}`, sha: head })
    const tree = await lookAt(path)
    if (tree === null) missing.push(path)
    const treeOf = (sha: string): Promise<string> =>
      run(paths.commonDir, ['rev-parse', `${sha}^{tree}`])
    const uncommitted = tree !== null && (await treeOf(head)) !== (await treeOf(tree))
    if (uncommitted) {
      const words = ['commit-tree', tree, '-p', head, '-m', `Not committed in ${path}`]
      const sha = (await run(gathering, words, { env: AUTHOR })).trim()
      refs.push({ name: `refs/uncommitted/${number}`, sha })
    }
    worktrees.push({ path, branch, number, uncommitted })
  }
  const own = await listRefs(run, paths.commonDir, 'refs/heads/', 'refs/tags/')
  refs.push(...own)
  if (forge)
    refs.push(
      ...(await listRefs(run, paths.origin)).map(({ name, sha }) => ({
        name: name.replace(/^refs\//, 'refs/forge/'),
        sha,
      })),
    )
  await setRefs(
    run,
    gathering,
    refs.map(({ name, sha }) => `create ${name} ${sha}`),
  )
  await run(gathering, ['bundle', 'create', '--quiet', join(folder, ENTRIES.bundle), '--all'])
  const rootBranch = listed.find(({ path }) => path === rootWorktree)?.branch ?? null
  const branches = own.filter(({ name }) => name.startsWith('refs/heads/')).length
  return { facts: { rootBranch, forge, worktrees }, branches, missing }
}

/** It needs one, and nobody reads it. */
const AUTHOR = {
  GIT_AUTHOR_NAME: 'exomonad',
  GIT_AUTHOR_EMAIL: 'exomonad@localhost',
  GIT_COMMITTER_NAME: 'exomonad',
  GIT_COMMITTER_EMAIL: 'exomonad@localhost',
}

async function copyFiles(folder: string, paths: Paths): Promise<void> {
  for (const name of COPIED)
    if (existsSync(paths[name])) await copyPlain(paths[name], join(folder, name))
  const config = join(folder, ENTRIES.config)
  await mkdir(config)
  const source = existsSync(paths.configFile) ? paths.configFile : paths.keptConfigFile
  if (existsSync(source)) await copyPlain(source, join(config, basename(paths.configFile)))
  if (existsSync(paths.templates)) await copyPlain(paths.templates, join(config, 'templates'))
}

/** Files and folders alone: a link would lead elsewhere on another machine. */
export const copyPlain = (from: string, to: string): Promise<void> =>
  cp(from, to, {
    recursive: true,
    preserveTimestamps: true,
    filter: async (path) => {
      const found = await lstat(path).catch(() => undefined)
      return found?.isFile() === true || found?.isDirectory() === true
    },
  })
