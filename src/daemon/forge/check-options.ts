import type { LocalForgeOptions } from '../../adapters/forge/local/options.ts'
import { createConfineCheck } from '../sandbox/confine-check.ts'
import type { ChooseForgeOptions } from './choose-forge.ts'

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
}: Pick<
  ChooseForgeOptions,
  'config' | 'agentEnvironment' | 'paths' | 'environment' | 'requireTrust' | 'holdCheck'
>): Promise<Pick<LocalForgeOptions, 'ciEnvironment' | 'ci' | 'confine' | 'hold' | 'trusted'>> {
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
