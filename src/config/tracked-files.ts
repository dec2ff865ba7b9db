import type { Exec } from '../processes/exec.ts'
import { ExomonadError } from '../domain/errors.ts'

/**
 * Files of `.exomonad/` that git tracks in a worktree, relative to it, for `checkTrust`. GIT_FAILED
 * where git can’t list them.
 */
export async function listTrackedConfiguration(options: {
  exec: Exec
  worktree: string
  environment: Readonly<Record<string, string>>
}): Promise<string[]> {
  const result = await options.exec('git', ['--no-pager', 'ls-files', '-z', '--', '.exomonad'], {
    cwd: options.worktree,
    env: options.environment,
    timeout: 30_000,
  })
  if (result.exitCode !== 0) {
    const words = result.startError ?? result.stderr.trim()
    throw new ExomonadError(
      'GIT_FAILED',
      `Git couldn’t list which files of .exomonad/ it tracks: ${words}`,
      { worktree: options.worktree },
    )
  }
  return result.stdout.split('\0').filter((path) => path !== '')
}
