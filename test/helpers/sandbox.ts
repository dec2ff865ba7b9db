import { spawnSync } from 'node:child_process'
import process from 'node:process'

/** Whether agents can be confined here; where not, tests are skipped, and fail in CI. */
export function isInstalled(): boolean {
  const found = spawnSync('bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true'])
  if (found.status === 0) return true
  const why = found.error?.message ?? String(found.stderr).trim()
  if ((process.env['CI'] ?? '') !== '') throw new Error(`bubblewrap can’t be used: ${why}`)
  process.stderr.write(`skipped, bubblewrap can’t be used here: ${why}\n`)
  return false
}
