import type { LocalForgeOptions } from '../../adapters/forge/local/options.ts'
import type { Environment } from '../../config/environment.ts'
import type { Config } from '../../config/schema.ts'
import type { Settings } from '../../core/deps.ts'
import type { Paths } from '../../runtime/paths.ts'
import type { HoldCheck } from '../limits/hold-checks.ts'
import { createConfineCheck } from '../sandbox/confine-check.ts'

/**
 * With what is checked here. Where the pull requests are elsewhere, they have checks of their own:
 * only what they come to together is checked then, and only with a command that was given for it.
 */
export async function checkOptions({
  config,
  agentEnvironment,
  paths,
  environment,
  requireTrust,
  holdCheck,
}: {
  readonly config: () => Config
  /** Of checks. */
  readonly agentEnvironment: () => Promise<Record<string, string>>
  readonly paths: Paths
  readonly environment: Environment
  readonly requireTrust: Settings['requireTrust']
  readonly holdCheck: HoldCheck
}): Promise<Pick<LocalForgeOptions, 'ciEnvironment' | 'ci' | 'confine' | 'hold' | 'trusted'>> {
  return {
    ciEnvironment: await agentEnvironment(),
    ci: () => {
      const { forge, fold, retention } = config()
      const { ci, ci_timeout: timeout, ci_parallel: parallel } = forge.local
      return {
        argv: forge.kind === 'local' ? ci : undefined,
        timeoutMs: timeout * 1000,
        parallel,
        maxLogBytes: retention.ci_logs_mb * 1_000_000,
        results: {
          ...(fold.check === undefined ? {} : { argv: fold.check }),
          ...(fold.parallel === undefined ? {} : { parallel: fold.parallel }),
        },
      }
    },
    confine: createConfineCheck({ paths, environment, config }),
    hold: holdCheck,
    trusted: requireTrust,
  }
}
