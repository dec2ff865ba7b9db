import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { RepositoryFacts } from '../../../adapters/git/git.ts'
import type { Environment } from '../../../config/environment.ts'
import { movedError, setUpElsewhere } from '../../../config/moved-repository.ts'
import { readRepositoryFile, writeRepositoryFile } from '../../../config/repository-file.ts'
import { checkTrust, recordTrust } from '../../../config/trust.ts'
import { ensureOwnerToken, readIfThere, writeRepositoryRecord } from '../../../config/user-state.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import { pathsOf, type Paths } from '../../../runtime/paths.ts'
import { ensureDaemon } from '../daemon/daemon-process.ts'
import type { Health } from '../daemon/health.ts'
import type { Host } from '../host.ts'

/**
 * Keeps all of `.exomonad/` out of git, in every worktree. The configuration too: `git add -A`, an
 * agent’s habit, must not commit it. By name (`git add -f`) its user does; files, not folders, so
 * that git then takes changes as always.
 */
export const EXCLUDE_LINES: readonly string[] = [
  '/.exomonad/*',
  '!/.exomonad/templates/',
  '/.exomonad/templates/*',
]

/** Which earlier versions wrote as well, and which let `git add -A` take the configuration. */
const EARLIER_EXCLUDES: readonly string[] = ['!/.exomonad/config.toml']

export interface SetUp {
  readonly paths: Paths
  readonly rootWorktree: string
  readonly rootBranch: string | null
  readonly socket: string
  /** It was set up before. */
  readonly already: boolean
  readonly wroteConfig: boolean
  /** Configuration or templates that came with the repository and are not trusted yet. */
  readonly untrusted: readonly string[]
}

/** Where the tree will grow. */
export interface Beginning {
  readonly commonDir: string
  readonly home: string
  readonly rootWorktree: string
  readonly rootBranch: string | null
}

/**
 * Sets exomonad up in the repository around a folder, without starting anything. Where it is set up
 * already, nothing is changed, but a configuration that is gone is written anew, and what an
 * earlier version kept from git is brought up to date. Throws NOT_A_REPOSITORY, NO_COMMITS,
 * DETACHED_HEAD, REPOSITORY_MOVED, SOCKET_PATH_TOO_LONG.
 */
export async function setUpRepository(
  cwd: string,
  environment: Environment,
  host: Host,
  /** The configuration to begin with; asked for only where there is none. */
  initialConfig: (beginning: Beginning) => Promise<string>,
): Promise<SetUp> {
  const facts = await host.inspectRepository(cwd)
  const existing = await readRepositoryFile(join(facts.commonDir, 'exomonad', 'repository.json'))
  if (existing !== null) {
    const elsewhere = await setUpElsewhere(existing, facts.commonDir)
    if (elsewhere !== null) throw movedError(elsewhere, existing, facts.commonDir)
    const paths = pathsOf(facts.commonDir, existing.home)
    await ensureOwnerToken(environment, facts.commonDir)
    if (EARLIER_EXCLUDES.some((line) => existing.made?.excludes.includes(line) ?? true)) {
      const git = await host.git(facts.commonDir)
      await git.unexclude(EARLIER_EXCLUDES)
      await git.exclude(EXCLUDE_LINES)
    }
    const { rootWorktree } = existing
    const root =
      rootWorktree === facts.worktree
        ? facts
        : await host.inspectRepository(rootWorktree).catch(() => undefined)
    const rootBranch = root?.head.kind === 'branch' ? root.head.branch : null
    // `git clean -fd` takes a configuration that nobody committed.
    const beginning = { commonDir: facts.commonDir, home: existing.home, rootWorktree, rootBranch }
    const wroteConfig = (await writeInitialConfig(paths, () => initialConfig(beginning))) !== null
    if (wroteConfig)
      await recordTrust(trustSubject(paths, environment, host), ['.exomonad/config.toml'])
    return {
      paths,
      rootWorktree,
      rootBranch,
      socket: existing.socket,
      already: true,
      wroteConfig,
      untrusted: await untrustedFiles(paths, environment, host),
    }
  }

  const { worktree, branch } = startingPoint(facts, cwd)
  const home = facts.bare ? worktree : (facts.mainWorktree ?? worktree)
  const paths = pathsOf(facts.commonDir, home)
  const socket = await host.chooseSocket(facts.commonDir)
  // First, so that a home that can’t be written leaves the repository as it was.
  await ensureOwnerToken(environment, facts.commonDir)
  await mkdir(paths.state, { recursive: true, mode: 0o700 })
  const written = await writeInitialConfig(paths, () =>
    initialConfig({ commonDir: facts.commonDir, home, rootWorktree: worktree, rootBranch: branch }),
  )
  const wroteConfig = written !== null
  const git = await host.git(facts.commonDir)
  await git.exclude(EXCLUDE_LINES)
  if (wroteConfig)
    await recordTrust(trustSubject(paths, environment, host), ['.exomonad/config.toml'])
  await writeRepositoryRecord(environment, { commonDir: facts.commonDir, home, socket, pid: null })
  // Last: from here on it counts as set up, and an init that was cut off before is simply run
  // again.
  await writeRepositoryFile(paths.repositoryFile, {
    version: 1,
    home,
    rootWorktree: worktree,
    socket,
    made: { config: written === null ? null : sha256(written), excludes: EXCLUDE_LINES },
  })
  const untrusted = await untrustedFiles(paths, environment, host)
  return {
    paths,
    rootWorktree: worktree,
    rootBranch: branch,
    socket,
    already: false,
    wroteConfig,
    untrusted,
  }
}

export const startAfterSetUp = (
  setUp: SetUp,
  host: Host,
): Promise<{ health: Health; started: boolean }> =>
  ensureDaemon({ paths: setUp.paths, socket: setUp.socket, host })

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

export const trustSubject = (
  paths: Paths,
  environment: Environment,
  host: Host,
): Parameters<typeof checkTrust>[0] => ({
  paths,
  environment,
  trackedFiles: () => host.trackedFiles(paths),
})

async function untrustedFiles(
  paths: Paths,
  environment: Environment,
  host: Host,
): Promise<readonly string[]> {
  const trust = await checkTrust(trustSubject(paths, environment, host))
  return trust.trusted ? [] : trust.changed
}

function startingPoint(facts: RepositoryFacts, cwd: string): { worktree: string; branch: string } {
  if (facts.worktree === null) {
    const where =
      facts.mainWorktree === null
        ? 'Make one with `git worktree add ../main` and'
        : 'Go to one of its worktrees (`git worktree list`) and'
    throw new ExomonadError(
      'NOT_A_REPOSITORY',
      `${cwd} has no files checked out: it is a bare repository or a .git folder. ${where} run \`exomonad init\` there.`,
      {
        repository: facts.commonDir,
      },
    )
  }
  switch (facts.head.kind) {
    case 'unborn':
      throw new ExomonadError(
        'NO_COMMITS',
        `Branch ${facts.head.branch} has no commit yet, so agents would have nothing to start from. Make a first one (\`git commit --allow-empty -m "Begin"\`), then run \`exomonad init\` again.`,
        { branch: facts.head.branch },
      )
    case 'detached':
      throw new ExomonadError(
        'DETACHED_HEAD',
        `${facts.worktree} is on commit ${facts.head.sha.slice(0, 10)} and on no branch, but the tree grows from a branch. Check one out (\`git switch BRANCH\`), then run \`exomonad init\` again.`,
        { worktree: facts.worktree },
      )
    case 'branch':
      return { worktree: facts.worktree, branch: facts.head.branch }
  }
}

/**
 * The configuration that was in use last, where the daemon kept one; else the initial one. Returns
 * what was written; null where there is a file.
 */
async function writeInitialConfig(
  paths: Paths,
  initialConfig: () => Promise<string>,
): Promise<string | null> {
  if ((await readIfThere(paths.configFile)) !== null) return null
  await mkdir(dirname(paths.configFile), { recursive: true })
  const text = (await readIfThere(paths.keptConfigFile)) ?? (await initialConfig())
  try {
    await writeFile(paths.configFile, text, { flag: 'wx' })
    return text
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null
    throw error
  }
}

/**
 * The configuration with other words in it, which a person agreed to: trusted as before, and still
 * what init made alone, for deinit to take away, where it was that.
 */
export async function rewriteConfiguration(
  { environment, host }: { environment: Environment; host: Host },
  { paths }: Pick<SetUp, 'paths'>,
  { before, after }: { before: string; after: string },
): Promise<void> {
  await writeFile(paths.configFile, after)
  await recordTrust(trustSubject(paths, environment, host), ['.exomonad/config.toml'])
  const file = await readRepositoryFile(paths.repositoryFile)
  if (file?.made?.config === sha256(before))
    await writeRepositoryFile(paths.repositoryFile, {
      ...file,
      made: { ...file.made, config: sha256(after) },
    })
}
