import type { Agent } from '../../../domain/records.ts'
import { asExomonadError } from '../../../domain/errors.ts'
import type { Deps } from '../../deps.ts'
import type { LimitWatch } from '../../limits/limit-watch.ts'
import type { LaunchEnvironment } from '../launch.ts'
import { createRunCommand } from './run-command.ts'
import type { WorktreeVariables } from './variables.ts'

/**
 * Runs the teardown commands of a worktree that is about to be removed. What fails holds nothing
 * up: returns it in sentences.
 */
export type Teardown = (agent: Agent) => Promise<string[]>

export function createTeardown({
  files,
  settings,
  log,
  environmentOf,
  variablesOf,
  ...deps
}: Pick<Deps, 'files' | 'paths' | 'settings' | 'store' | 'log'> &
  Pick<LaunchEnvironment, 'environmentOf' | 'confine'> & {
    variablesOf: WorktreeVariables
    limits: Pick<LimitWatch, 'behind' | 'explain' | 'ended'>
  }): Teardown {
  const runCommand = createRunCommand({ ...deps, files })

  const run = async (agent: Agent): Promise<string[]> => {
    const { config } = await settings.snapshot()
    const { teardown, teardown_timeout: limit } = config.worktree
    if (teardown.length === 0 || !(await files.exists(agent.worktree))) return []
    await settings.requireTrust()
    const env = { ...environmentOf(config), ...(await variablesOf(agent)) }
    const failed: string[] = []
    for (const argv of teardown) {
      const result = await runCommand({ config, agent, argv, env, timeoutMs: limit * 1000 })
      if (!result.ok)
        failed.push(
          `The teardown command \`${argv.join(' ')}\` failed in ${agent.worktree}: ${result.output}`,
        )
    }
    await deps.limits.ended(agent)
    return failed
  }
  return async (agent) => {
    const failed = await run(agent).catch((thrown: unknown) => [
      `No teardown commands were run in ${agent.worktree}: ${asExomonadError(thrown).message}`,
    ])
    for (const warning of failed) log.warn({ agent: agent.name }, warning)
    return failed
  }
}
