import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createTextGate } from '../../src/sanitize/text-gate.ts'
import { createLocalForge } from '../../src/adapters/forge/local/forge.ts'
import type { CheckSettings, LocalForge } from '../../src/adapters/forge/local/options.ts'
import { ensureLocalRemote } from '../../src/adapters/forge/local/remote.ts'
import type { Git } from '../../src/adapters/git/git.ts'
import { openKeptGit } from '../../src/adapters/git/open.ts'
import { openSqliteStore } from '../../src/adapters/store/sqlite/open.ts'
import type { Store } from '../../src/adapters/store/store.ts'
import type { BranchName, Sha } from '../../src/domain/ids.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { pathsOf, type Paths } from '../../src/runtime/paths.ts'
import { exec } from './exec.ts'
import {
  tempRepository,
  type TempRepository,
  type TempRepositoryOptions,
} from './temp-repository.ts'

export interface LocalForgeFixture {
  readonly repository: TempRepository
  readonly git: Git
  readonly store: Store
  readonly paths: Paths
  readonly remote: string
  readonly forge: LocalForge
  /** A second forge on the same store, as after a restart of the daemon. */
  reopen(settings?: Partial<CheckSettings>): LocalForge
  close(): Promise<void>
}

/**
 * Test helper: a local forge with the real git, store and bare repository; its branch `main` is
 * pushed.
 */
export async function openLocalForge(
  options: TempRepositoryOptions & {
    ci?: Partial<CheckSettings>
    trusted?: () => Promise<void>
    env?: Record<string, string>
    /** What git does otherwise than it does. */
    withGit?: (git: Git) => Partial<Git>
  } = {},
): Promise<LocalForgeFixture> {
  const repository = await tempRepository(options)
  const paths = pathsOf(join(repository.path, '.git'), repository.path)
  mkdirSync(paths.state, { mode: 0o700 })
  let pushEnvironment = async (): Promise<Record<string, string>> => ({})
  // As the daemon opens it: a git for each look-up is most of what such a test would spend.
  const { git: kept, close: closeGit } = openKeptGit({
    commonDir: paths.commonDir,
    exec,
    environment: repository.env,
    pushEnvironment: () => pushEnvironment(),
    origin: paths.origin,
  })
  const git: Git = { ...kept, ...options.withGit?.(kept) }
  const local = await ensureLocalRemote({ git, paths, configuredRemote: undefined })
  pushEnvironment = local.pushEnvironment
  const store = await openSqliteStore({ file: paths.database, log: silentLog() })
  const opened: LocalForge[] = []
  const open = (settings: Partial<CheckSettings> = {}): LocalForge => {
    const forge = createLocalForge({
      repository: paths.home,
      git,
      store,
      remote: local.remote,
      ciEnvironment: { ...repository.env, ...options.env },
      ci: () => ({ argv: undefined, timeoutMs: 60_000, parallel: 2, ...options.ci, ...settings }),
      paths,
      gate: createTextGate(),
      clock: Date.now,
      log: silentLog(),
      trusted: options.trusted ?? (async () => {}),
    })
    opened.push(forge)
    return forge
  }
  const head = (await git.resolve('main')) as Sha
  await git.push(local.remote, { sha: head, branch: 'main' as BranchName, expected: null })
  return {
    repository,
    git,
    store,
    paths,
    remote: local.remote,
    forge: open(),
    reopen: open,
    async close() {
      for (const forge of opened) await forge.dispose()
      await store.close()
      closeGit()
      repository.remove()
    },
  }
}
