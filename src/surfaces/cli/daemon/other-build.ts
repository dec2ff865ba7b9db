import { BUILD, FROM_SOURCES } from '../../../runtime/version.ts'
import type { CliContext } from '../context.ts'
import { locateRepository } from '../locate.ts'
import { readHealth, type Health } from './health.ts'

/** What is said of a daemon that was started before another exomonad was installed. */
export const RESTART = '`exomonad daemon stop; exomonad daemon start` (agents go on meanwhile)'

/** Whether it is not of the same build as this command line; one of before names none. */
export const isOtherBuild = (
  { version, build }: Pick<Health, 'version' | 'build'>,
  context: Pick<CliContext, 'version'>,
): boolean =>
  version !== context.version || (![build, BUILD].includes(FROM_SOURCES) && build !== BUILD)

/**
 * Why what the daemon of this repository said may not have been understood, or the other way round;
 * null where it is of this build, or nothing can be found out. Never throws.
 */
export async function otherBuildReason(context: CliContext): Promise<string | null> {
  // Who is an agent can’t restart it.
  if (context.elsewhere !== null || context.environment.agentId !== null) return null
  try {
    const { cwd } = context.options()
    const { file } = await locateRepository(cwd, context.environment, context.host)
    const health = await readHealth(file.socket)
    return health === null || !isOtherBuild(health, context)
      ? null
      : `The daemon (process ${health.pid}) was started by another exomonad than this one: ${RESTART}`
  } catch {
    return null
  }
}
