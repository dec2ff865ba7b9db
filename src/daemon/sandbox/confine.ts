import { realpath } from 'node:fs/promises'
import { delimiter, dirname, join, resolve } from 'node:path'
import { CONFINED_BIN } from '../../adapters/machine/bin-shim.ts'
import { createBubblewrap } from '../../adapters/sandbox/bubblewrap.ts'
import { ownConfig, ownGitFolder } from '../../adapters/sandbox/own-git-folder.ts'
import { preparePersonal } from '../../adapters/sandbox/personal.ts'
import { programFiles } from '../../adapters/sandbox/program-files.ts'
import {
  isWithin,
  logsOf,
  SOCKET_FOLDER,
  toolFolders,
  workspaceMounts,
} from '../../adapters/sandbox/workspace.ts'
import type { Environment } from '../../config/environment.ts'
import type { LaunchEnvironment } from '../../core/spawn/launch.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { exec } from '../../processes/exec.ts'
import { PACKAGE_ROOT } from '../../runtime/package-root.ts'
import type { Paths } from '../../runtime/paths.ts'
import { confinedSocketFolder } from '../../surfaces/http/socket-file.ts'
import { markConfined } from './confined-git.ts'
import { openWays } from './open-ways.ts'

/** Sockets of the person’s that an agent could act by; what they are for is not there anyway. */
export const UNSET = [
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
]

/** Of this package what agents run: the command line, hooks and plugins. */
const PACKAGE = ['dist', 'hooks', 'node_modules', 'package.json', 'packages', 'src', 'templates']

/** Starts agents in a sandbox of this machine. */
export function createConfine(options: {
  readonly paths: Paths
  readonly socket: string
  readonly environment: Environment
}): LaunchEnvironment['confine'] {
  const { paths, socket, environment } = options
  const sandbox = createBubblewrap({
    exec,
    env: { PATH: environment.path, LC_ALL: 'C' },
    platform: process.platform,
  })
  let isReady = false

  /** Found once it stays; what is missing may be installed meanwhile. */
  const requireReady = async (level: string): Promise<void> => {
    if (isReady) return
    const found = await sandbox.probe()
    if (found.kind === 'missing')
      throw new ExomonadError(
        'SANDBOX_UNAVAILABLE',
        `sandbox = "${level}" can’t be kept: ${found.reason}. ${found.fix}`,
        { level },
      )
    isReady = true
  }

  return async ({ level, agent, config, argv, env, personal, listens, hosts }) => {
    await requireReady(level)
    const home = env['HOME'] ?? environment.home
    const path = env['PATH'] ?? environment.path
    const folder = join(paths.agents, agent.id)
    const hidden = [
      paths.state,
      join(environment.stateHome, 'exomonad'),
      ...['.ssh', '.gnupg'].map((name) => join(environment.home, name)),
    ]
    await markConfined(paths, agent.worktree)
    const { branch } = agent
    const logs = logsOf({ commonDir: paths.commonDir, branch })
    await preparePersonal({ folder, home, personal, logs })
    const reads = [
      ...toolFolders(path.split(delimiter), {
        home,
        secret: [...hidden, ...Object.values(paths.worktrees)],
      }),
      ...(await programFiles(argv[0] ?? '', path)),
      ...(await programFiles(process.execPath, path)),
      ...PACKAGE.map((name) => join(PACKAGE_ROOT, name)),
      ...(env['GIT_CONFIG_GLOBAL'] === undefined ? [] : [env['GIT_CONFIG_GLOBAL']]),
      paths.bin,
      paths.origin,
      join(paths.auth, agent.id),
      join(paths.prompts, `${agent.id}.md`),
      ...(await resolverFiles()),
    ]
    const { read, write } = config.sandbox
    const gitDir = await ownGitFolder(agent.worktree, paths.commonDir)
    const given = (given: readonly string[]): Promise<string[]> => exposing(given, { home, hidden })
    const mounts = workspaceMounts({
      worktree: agent.worktree,
      commonDir: paths.commonDir,
      gitDir,
      branch,
      ...(await ownConfig(paths, gitDir)),
      state: paths.state,
      folder,
      home,
      socketFolder: confinedSocketFolder(socket),
      reads,
      personal,
      configured: { read: await given(read), write: await given(write) },
      hidden,
    })
    const ways =
      level === 'offline'
        ? await openWays({ folder, cwd: agent.worktree, env, listens, hosts, config })
        : undefined
    const inside = ways === undefined ? argv : [...ways.inside, ...argv]
    const confined = { level, mounts, cwd: agent.worktree, unset: UNSET }
    return {
      argv: [...(ways?.outside ?? []), ...(await sandbox.argv(confined, inside))],
      env: {
        ...withoutSockets(env),
        ...ways?.env,
        PATH: `${join(paths.bin, CONFINED_BIN)}${delimiter}${path}`,
        TMPDIR: '/tmp',
        EXOMONAD_SANDBOX: level,
        EXOMONAD_SOCKET: join(SOCKET_FOLDER, 'daemon.sock'),
        EXOMONAD_SPOOL: join(folder, 'spool'),
        ...withoutPacking(env),
      },
    }
  }
}

/** Of these, with `~` as the home, those that are not what must be hidden by another name. */
export async function exposing(
  given: readonly string[],
  { home, hidden }: { readonly home: string; readonly hidden: readonly string[] },
): Promise<string[]> {
  const expand = (one: string): string => resolve(one.replace(/^~(?=\/|$)/, home))
  const real = (path: string): Promise<string> => realpath(path).catch(() => path)
  const secret = await Promise.all(hidden.map(real))
  const places = await Promise.all(
    given.map(expand).map(async (path) => ({ path, real: await real(path) })),
  )
  return places
    .filter((place) => !secret.some((one) => isWithin(place.real, one)))
    .map(({ path }) => path)
}

/** What git would pack by itself is not the agent’s to write. Beside what it is told already. */
function withoutPacking(env: Readonly<Record<string, string>>): Record<string, string> {
  const count = Number(env['GIT_CONFIG_COUNT'] ?? 0)
  return {
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: 'gc.auto',
    [`GIT_CONFIG_VALUE_${count}`]: '0',
  }
}

const withoutSockets = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !UNSET.includes(name)))

/** Where names of hosts are looked up, if /etc only leads there. */
export async function resolverFiles(): Promise<string[]> {
  const file = await realpath('/etc/resolv.conf').catch(() => '/etc/resolv.conf')
  return isWithin(file, '/etc') ? [] : [dirname(file)]
}
