import { asArguments, gitVariables, SETTINGS } from '../../adapters/git/settings.ts'
import { gitEnvironment, type Environment } from '../../config/environment.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { exec } from '../../processes/exec.ts'

/** Runs git in a folder, with the daemon’s settings; returns its output. GIT_FAILED with its words. */
export type RunGit = (
  cwd: string,
  args: readonly string[],
  options?: { input?: string; env?: Readonly<Record<string, string>> },
) => Promise<string>

export const createRunGit =
  (environment: Environment): RunGit =>
  async (cwd, args, { input, env } = {}) => {
    const { exitCode, stdout, stderr, startError } = await exec(
      'git',
      ['--no-pager', ...asArguments(SETTINGS), ...args],
      {
        cwd,
        env: { ...gitVariables(gitEnvironment(environment)), ...env },
        ...(input === undefined ? {} : { input }),
      },
    )
    if (exitCode === 0) return stdout
    throw new ExomonadError(
      'GIT_FAILED',
      `\`git ${args.slice(0, 2).join(' ')}\` failed in ${cwd}: ${(stderr || startError || stdout).trim()}`,
      { cwd },
    )
  }

export interface Ref {
  readonly name: string
  readonly sha: string
}

/** Below a prefix such as `refs/heads/`; symbolic ones are left out. */
export async function listRefs(run: RunGit, cwd: string, ...prefixes: string[]): Promise<Ref[]> {
  const format = '--format=%(objectname) %(symref:short)%(refname)'
  const text = await run(cwd, ['for-each-ref', format, ...prefixes])
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({
      sha: line.slice(0, line.indexOf(' ')),
      name: line.slice(line.indexOf(' ') + 1),
    }))
    .filter(({ name }) => name.startsWith('refs/'))
}

/** An update of many refs in one transaction. */
export const setRefs = (run: RunGit, cwd: string, lines: readonly string[]): Promise<unknown> =>
  lines.length === 0
    ? Promise.resolve()
    : run(cwd, ['update-ref', '--stdin'], { input: lines.map((line) => `${line}\n`).join('') })

/** Runs tar, which every system has; NOT_AVAILABLE with its words. */
export async function runTar(
  environment: Environment,
  args: readonly string[],
  cwd: string,
): Promise<void> {
  const { PATH = '' } = environment.variables
  const { exitCode, stderr, startError } = await exec('tar', args, {
    cwd,
    env: { PATH, LC_ALL: 'C' },
  })
  if (exitCode === 0) return
  throw new ExomonadError(
    'NOT_AVAILABLE',
    startError === null
      ? `tar failed: ${stderr.trim()}`
      : 'tar is not on PATH: backups are archives that it makes and unpacks. Install it.',
  )
}
