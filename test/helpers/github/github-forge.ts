import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Forge } from '../../../src/adapters/forge/forge.ts'
import type { Lack } from '../../../src/adapters/forge/lack.ts'
import { createTextGate } from '../../../src/sanitize/text-gate.ts'
import { createGithubForge } from '../../../src/adapters/forge/github/forge.ts'
import type {
  GithubForgeOptions,
  GithubSettings,
} from '../../../src/adapters/forge/github/options.ts'
import type { Git } from '../../../src/adapters/git/git.ts'
import { openGit } from '../../../src/adapters/git/open.ts'
import { openSqliteStore } from '../../../src/adapters/store/sqlite/open.ts'
import type { Store } from '../../../src/adapters/store/store.ts'
import type { BranchName, Sha } from '../../../src/domain/ids.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { pathsOf, type Paths } from '../../../src/runtime/paths.ts'
import type { FakeGithub, FakeGithubOptions } from '../../fixtures/github/fake.ts'
import { startFakeGithub } from '../../fixtures/github/server.ts'
import { exec } from '../exec.ts'
import {
  tempRepository,
  type TempRepository,
  type TempRepositoryOptions,
} from '../temp-repository.ts'

export interface GithubForgeFixture {
  readonly github: FakeGithub
  readonly repository: TempRepository
  readonly git: Git
  readonly store: Store
  readonly paths: Paths
  readonly remote: string
  readonly forge: Forge
  /** What it was made with. */
  readonly options: GithubForgeOptions
  /** May be changed: the forge reads them for each request. */
  readonly settings: { -readonly [Key in keyof GithubSettings]: GithubSettings[Key] }
  /** The token in use; may be changed as well. */
  readonly token: { value: string }
  /** Lines that the forge logged, down to debug. */
  readonly lines: readonly string[]
  /** What it reported that GitHub lacks. */
  readonly lacks: readonly Lack[]
  /** A second forge on the same store, as after a restart of the daemon. */
  reopen(options?: Partial<GithubForgeOptions>): Forge
  close(): Promise<void>
}

/**
 * Test helper: a forge on a fake GitHub, with the real git and store; `main` is pushed to it.
 * Copilot is not asked unless a test wants it.
 */
export async function openGithubForge(
  options: Omit<TempRepositoryOptions, 'branch'> & {
    github?: FakeGithubOptions
    clock?: () => number
    settings?: Partial<GithubSettings>
  } = {},
): Promise<GithubForgeFixture> {
  const clock = options.clock ?? Date.now
  const github = await startFakeGithub({ clock, ...options.github })
  const repository = await tempRepository({
    ...options,
    branch: github.state.repository.defaultBranch,
  })
  const paths = pathsOf(join(repository.path, '.git'), repository.path)
  mkdirSync(paths.state, { mode: 0o700 })
  const token = { value: github.token }
  const git = openGit({ commonDir: paths.commonDir, environment: repository.env, exec })
  const url = new URL(github.cloneUrl)
  url.username = 'x-access-token'
  url.password = github.token
  const remote = 'origin'
  await git.addRemote(remote, url.href)

  const lines: string[] = []
  const log = createLog({
    level: 'debug',
    destination: { write: (line: string) => void lines.push(line) },
  })
  const store = await openSqliteStore({ file: paths.database, log })
  const settings: GithubForgeFixture['settings'] = {
    trustedBots: [],
    copilotReview: false,
    reserve: 0.2,
    checksExpectedWithin: 180,
    ...options.settings,
  }
  const lacks: Lack[] = []
  const forgeOptions: GithubForgeOptions = {
    repository: {
      host: new URL(github.url).host,
      owner: github.owner,
      name: github.name,
      apiUrl: github.apiUrl,
      graphqlUrl: github.graphqlUrl,
    },
    token: async () => token.value,
    settings: () => settings,
    gate: createTextGate(),
    clock,
    log,
    reportLack: async (lack) => void lacks.push(lack),
    userAgent: 'exomonad/test',
    retryDelay: 2,
    remote,
    git,
    store,
  }
  const opened: Forge[] = []
  const open = (changed: Partial<GithubForgeOptions> = {}): Forge => {
    const forge = createGithubForge({ ...forgeOptions, ...changed })
    opened.push(forge)
    return forge
  }
  const branch = github.state.repository.defaultBranch as BranchName
  const head = await git.resolve(branch)
  if (head !== null) await git.push(remote, { sha: head satisfies Sha, branch, expected: null })
  return {
    github,
    repository,
    git,
    store,
    paths,
    remote,
    forge: open(),
    options: forgeOptions,
    settings,
    token,
    lines,
    lacks,
    reopen: open,
    async close() {
      for (const forge of opened) await forge.dispose()
      await store.close()
      await github.close()
      repository.remove()
    },
  }
}
