import type { Exec } from '../../../../processes/exec.ts'

const TIMEOUT = 5000

/**
 * The host that an ssh alias stands for, as the user’s own ssh reads its configuration; null where
 * there is no ssh. No connection is made.
 */
export async function resolveSshAlias(
  host: string,
  exec: Exec,
  environment: Readonly<Record<string, string>>,
): Promise<string | null> {
  const answer = await exec('ssh', ['-G', '--', host], { env: environment, timeout: TIMEOUT })
  if (answer.exitCode !== 0) return null
  return /^hostname (\S+)$/m.exec(answer.stdout)?.[1]?.toLowerCase() ?? null
}
