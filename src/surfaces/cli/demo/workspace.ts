import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PACKAGE_ROOT, programFile } from '../../../runtime/package-root.ts'
import { readEnvironment, type Environment } from '../../../config/environment.ts'
import type { ExecResult } from '../../../processes/exec.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import type { Host } from '../host.ts'

/**
 * A folder of the demo’s own: repository, home, per-user state. Nothing outside it is written,
 * apart from sockets.
 */
export interface Workspace {
  readonly folder: string
  /** The repository’s worktree. */
  readonly repository: string
  readonly environment: Environment
  /** Script that runs `exomonad` with the demo’s environment, for looking around. */
  readonly command: string
  git(...args: string[]): Promise<string>
  /** Runs this exomonad in the repository, as a user would; throws what it said where it fails. */
  exomonad(...args: string[]): Promise<string>
  /** Any program in the repository, to its end. */
  run(file: string, args: readonly string[], cwd?: string): Promise<ExecResult>
  remove(): Promise<void>
}

/**
 * In the demo’s folder: the process group of its own GitHub, where it has one. `down` ends that
 * too.
 */
export const GITHUB_PID = 'github.pid'

/** The files shipped under examples/. */
export const examplesFolder = (): string => join(PACKAGE_ROOT, 'examples')

export async function createWorkspace(
  host: Pick<Host, 'run'>,
  own: Environment,
): Promise<Workspace> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'exomonad-demo-')))
  const repository = join(folder, 'repository')
  const home = join(folder, 'home')
  const runtime = join(folder, 'run')
  await Promise.all([mkdir(home), mkdir(runtime, { mode: 0o700 })])
  const gitConfig = join(home, '.gitconfig')
  await writeFile(
    gitConfig,
    '[user]\n\tname = exomonad demo\n\temail = demo@agents.invalid\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n',
  )
  const variables = isolated(own, { home, runtime, gitConfig })
  const command = join(folder, 'exomonad')
  await writeFile(command, wrapper(variables, join(folder, GITHUB_PID)), { mode: 0o755 })

  const run: Workspace['run'] = (file, args, cwd = repository) =>
    host.run(file, args, { cwd, env: variables })
  const checked = async (file: string, args: readonly string[], shown: string): Promise<string> => {
    const result = await run(file, args)
    if (result.exitCode === 0) return result.stdout.replace(/\n$/, '')
    if (result.startError === 'ENOENT')
      throw new ExomonadError(
        'NOT_AVAILABLE',
        `The demo needs ${file}, which is not on PATH. Install it, then run \`exomonad demo\` again; \`exomonad doctor\` says what else is missing.`,
      )
    const said =
      (result.stderr || result.stdout).trim() ||
      (result.startError ?? `exit code ${String(result.exitCode)}`)
    throw new ExomonadError(
      'NOT_AVAILABLE',
      `The demo could not go on: \`${shown}\` failed: ${said}`,
    )
  }
  return {
    folder,
    repository,
    environment: readEnvironment(variables),
    command,
    run,
    git: (...args) => checked('git', args, `git ${args[0] ?? ''}`),
    exomonad: (...args) =>
      checked(
        process.execPath,
        [programFile('bin/exomonad'), ...args],
        `exomonad ${args[0] ?? ''}`,
      ),
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  }
}

/**
 * What the demo’s programs see: where programs are and how text is written, nothing of the user’s
 * own.
 */
function isolated(
  own: Environment,
  places: { home: string; runtime: string; gitConfig: string },
): Record<string, string> {
  const kept = [
    'PATH',
    'LANG',
    'LANGUAGE',
    'LC_ALL',
    'LC_CTYPE',
    'TERM',
    'COLORTERM',
    'TZ',
    'TMPDIR',
    'SHELL',
    'USER',
    'LOGNAME',
    'NO_COLOR',
    'FORCE_COLOR',
  ]
  return {
    ...Object.fromEntries(
      kept.flatMap((name) =>
        own.variables[name] === undefined ? [] : [[name, own.variables[name]]],
      ),
    ),
    HOME: places.home,
    XDG_CONFIG_HOME: join(places.home, '.config'),
    XDG_STATE_HOME: join(places.home, '.local', 'state'),
    XDG_CACHE_HOME: join(places.home, '.cache'),
    XDG_DATA_HOME: join(places.home, '.local', 'share'),
    XDG_RUNTIME_DIR: places.runtime,
    GIT_CONFIG_GLOBAL: places.gitConfig,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
  }
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const wrapper = (
  variables: Readonly<Record<string, string>>,
  githubPid: string,
): string => `#!/bin/sh
# exomonad with the state and identity of this demo.
unset EXOMONAD_AGENT_ID EXOMONAD_TOKEN EXOMONAD_AUTH_FILE EXOMONAD_SOCKET
${Object.entries(variables)
  .filter(([name]) => /^(HOME|XDG_|GIT_)/.test(name))
  .map(([name, value]) => `export ${name}=${quote(value)}`)
  .join('\n')}
if [ "$1" = down ] && [ -e ${quote(githubPid)} ]; then
  ${quote(process.execPath)} ${quote(programFile('bin/exomonad'))} "$@" || exit
  kill -TERM "-$(cat ${quote(githubPid)})"
  exec rm -f ${quote(githubPid)}
fi
exec ${quote(process.execPath)} ${quote(programFile('bin/exomonad'))} "$@"
`
