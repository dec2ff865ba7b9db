import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { createLimits } from '../../src/adapters/limits/create-limits.ts'
import type { Limits, LimitsFound } from '../../src/adapters/limits/limits.ts'
import type { LimitName } from '../../src/domain/formats/resource-limits.ts'
import { exec } from '../../src/processes/exec.ts'

/** As the daemon holds agents; its records go into this folder. */
export const limitsIn = (folder: string): Limits =>
  createLimits({
    folder,
    name: `exomonad-test-${process.pid}`,
    script: join(import.meta.dirname, '../../hooks/limited.sh'),
    exec,
    path: process.env['PATH'] ?? '',
    runtime: process.env['XDG_RUNTIME_DIR'] ?? `/run/user/${String(process.getuid?.())}`,
    platform: process.platform,
  })

/** What this machine can hold agents by, tried as the daemon tries it. */
export const probeLimits = (folder: string): Promise<LimitsFound> => limitsIn(folder).probe()

/** Whether a limit is held by a control group here; says why a test is skipped. */
export function isGrouped(found: LimitsFound, limit: LimitName): boolean {
  if (found.of[limit] !== undefined) return true
  process.stderr.write(
    `skipped, no control group holds ${limit} here: ${found.reasons.join('; ')}\n`,
  )
  return false
}

/** Control groups that are on record, by limit. */
export function groupsOf(state: string): Partial<Record<LimitName, string>>[] {
  const folder = join(state, 'limits')
  return readdirSync(folder).map((name) => {
    const { groups } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
      groups: { path: string; holds: LimitName[] }[]
    }
    return Object.fromEntries(
      groups.flatMap(({ path, holds }) => holds.map((limit) => [limit, path])),
    )
  })
}

/** Process ids in a control group and all below it. */
export function membersOf(path: string): number[] {
  const own = readFileSync(join(path, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean)
  const below = readdirSync(path, { withFileTypes: true }).filter((one) => one.isDirectory())
  return [...own.map(Number), ...below.flatMap(({ name }) => membersOf(join(path, name)))]
}
