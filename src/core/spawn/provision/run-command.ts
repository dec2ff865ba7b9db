import type { Config } from '../../../config/schema.ts'
import type { Agent } from '../../../domain/records.ts'
import type { Deps } from '../../deps.ts'
import { confinementOf } from '../confinement.ts'
import type { LimitWatch } from '../../limits/limit-watch.ts'
import type { LaunchEnvironment } from '../launch.ts'

/**
 * Runs a command of the configuration in an agent’s worktree, its output behind what is in the
 * agent’s log of set-up; returns the end of that where it failed. Where the agent is confined the
 * command is as well, and held to the agent’s limits: it executes what agents wrote.
 * SANDBOX_UNAVAILABLE, LIMITS_UNAVAILABLE.
 */
export type RunCommand = (command: {
  readonly config: Config
  readonly agent: Agent
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** Ends it. */
  readonly signal?: AbortSignal
}) => Promise<{ ok: true } | { ok: false; output: string }>

export const createRunCommand =
  (
    deps: Pick<Deps, 'files' | 'paths' | 'store'> &
      Pick<LaunchEnvironment, 'confine'> & { limits: Pick<LimitWatch, 'behind' | 'explain'> },
  ): RunCommand =>
  async ({ config, agent, timeoutMs, signal, ...given }) => {
    const level = await confinementOf(deps, config, agent)
    const none = { personal: [], listens: [], hosts: [] }
    const { argv, env } =
      level === 'off' ? given : await deps.confine({ ...given, ...none, level, agent, config })
    const behind = await deps.limits.behind(config, agent)
    const result = await deps.files.runSetup([...behind.argv, ...argv], agent.worktree, {
      env,
      timeoutMs,
      ...(signal === undefined ? {} : { signal }),
      log: deps.files.setupLog(agent.id),
    })
    if (result.ok) return result
    const why = await deps.limits.explain(
      agent,
      { exitCode: null, exitSignal: 'SIGKILL' },
      'it failed',
    )
    return why === 'it failed' ? result : { ok: false, output: `${why}\n${result.output}` }
  }
