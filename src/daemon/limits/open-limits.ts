import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createLimits } from '../../adapters/limits/create-limits.ts'
import type { Limits } from '../../adapters/limits/limits.ts'
import type { Environment } from '../../config/environment.ts'
import { exec } from '../../processes/exec.ts'
import { PACKAGE_ROOT } from '../../runtime/package-root.ts'
import { repositoryHash, type Paths } from '../../runtime/paths.ts'

/** Holds the agents of a repository to limits by what this machine has. */
export function openLimits(
  paths: Pick<Paths, 'commonDir' | 'limits'>,
  environment: Environment,
): Limits {
  const uid = process.getuid?.()
  return createLimits({
    folder: paths.limits,
    name: `exomonad-${repositoryHash(paths.commonDir)}`,
    script: join(PACKAGE_ROOT, 'hooks', 'limited.sh'),
    exec,
    path: environment.path,
    // As a login sets it, where something in between took it away.
    runtime: environment.variables['XDG_RUNTIME_DIR'] || `/run/user/${String(uid)}`,
    platform: process.platform,
  })
}

/** Takes away what held agents that have been ended, and ends what they hid. */
export async function endLimits(paths: Paths, environment: Environment): Promise<void> {
  if (!existsSync(paths.limits)) return
  const limits = openLimits(paths, environment)
  for (const id of await limits.list()) await limits.release(id, { kill: true })
}
