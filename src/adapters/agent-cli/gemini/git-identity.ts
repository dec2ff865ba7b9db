import type { AgentCliOptions } from '../options.ts'

/**
 * Who commits, as variables for git. The shell tool of Gemini CLI (0.61) runs git without the
 * person’s own configuration (GIT_CONFIG_GLOBAL=/dev/null), where the name mostly stands: without
 * it no commit succeeds. What it is given by GIT_CONFIG_COUNT it keeps.
 */
export async function gitIdentity(
  options: Pick<AgentCliOptions, 'exec' | 'path' | 'userHome' | 'variables'>,
  worktree: string,
): Promise<Record<string, string>> {
  const { exec, path, userHome, variables } = options
  const env: Record<string, string> = { PATH: path, HOME: userHome }
  for (const name of [
    'XDG_CONFIG_HOME',
    'GIT_CONFIG_GLOBAL',
    'GIT_CONFIG_NOSYSTEM',
    'GIT_CONFIG_SYSTEM',
  ]) {
    const value = variables[name]
    if (value !== undefined) env[name] = value
  }
  const found: Record<string, string> = {}
  let count = 0
  for (const key of ['user.name', 'user.email']) {
    // A user’s own variables, GIT_AUTHOR_NAME and the like, go before this.
    const { exitCode, stdout } = await exec('git', ['config', '--get', key], {
      cwd: worktree,
      env,
      timeout: 5000,
    })
    const value = stdout.trim()
    if (exitCode !== 0 || value === '') continue
    found[`GIT_CONFIG_KEY_${count}`] = key
    found[`GIT_CONFIG_VALUE_${count}`] = value
    count += 1
  }
  return count === 0 ? {} : { GIT_CONFIG_COUNT: String(count), ...found }
}
