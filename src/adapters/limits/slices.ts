import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Exec } from '../../processes/exec.ts'
import { LIMITS, type Bounds, type LimitName } from '../../domain/formats/resource-limits.ts'
import { settings } from './control-files.ts'
import type { OwnGroup } from './own-groups.ts'
import type { Scope, Tried } from './ways.ts'

/**
 * A slice of the systemd user manager for each agent, in which its program is a scope: the slice
 * stays when that has ended, with what was counted, until it is stopped.
 */
export interface Slices {
  try(tryScope: (slice: string, scope: Scope) => Promise<boolean>): Promise<Tried>
  /** Starts it where it is not there, and sets its limits. Absolute path of its control group. */
  make(slice: string, bounds: Bounds): Promise<string>
  /** Ends what is in it. Gone already is fine. */
  stop(slice: string): Promise<void>
}

/** Names without “-”, which would nest them. */
export const sliceName = (name: string, id: string): string =>
  `${name}_${id}`.replaceAll('-', '_').concat('.slice')

/** For one command to the manager. Milliseconds. */
const LIMIT = 10_000

const TRIAL: Bounds = {
  memory: { value: 1024 ** 3, key: '' },
  processes: { value: 100, key: '' },
  cpu_weight: { value: 50, key: '' },
}

export function createSlices(options: {
  readonly exec: Exec
  readonly path: string
  /** XDG_RUNTIME_DIR. */
  readonly runtime: string
  readonly own: () => Promise<readonly OwnGroup[]>
  readonly name: string
}): Slices {
  const { exec, path, runtime, own, name } = options

  const systemctl = async (...args: string[]): Promise<string> => {
    const { exitCode, stdout, stderr, startError } = await exec('systemctl', ['--user', ...args], {
      env: { PATH: path, LC_ALL: 'C', XDG_RUNTIME_DIR: runtime },
      timeout: LIMIT,
    })
    if (exitCode === 0) return stdout.trim()
    throw new Error(startError ?? stderr.trim().split('\n')[0] ?? 'systemctl failed')
  }

  const make: Slices['make'] = async (slice, bounds) => {
    const { memory, processes, cpu_weight: weight } = bounds
    const values = [
      `MemoryMax=${memory?.value ?? 'infinity'}`,
      `MemorySwapMax=${memory === undefined ? 'infinity' : 0}`,
      `TasksMax=${processes?.value ?? 'infinity'}`,
      `CPUWeight=${weight?.value ?? 100}`,
    ]
    await systemctl('start', slice)
    await systemctl('set-property', '--runtime', slice, ...values)
    const group = await systemctl('show', '--property=ControlGroup', '--value', slice)
    const root = (await own()).find(({ version }) => version === 2)
    if (group === '' || root === undefined) throw new Error(`${slice} has no control group`)
    return join(root.mount, group)
  }

  const stop: Slices['stop'] = async (slice) => {
    await systemctl('stop', slice)
    // What set-property wrote.
    await systemctl('revert', slice).catch(() => {})
  }

  return {
    make,
    stop,
    // From systemd 253 on a scope is ended whole when the kernel ends one process of it, unless it
    // is said; before, there is no such property.
    try: async (tryScope) => {
      const missing = (why: string): Tried => ({ way: {}, reasons: [`systemd: ${why}`] })
      // Where there is none, nothing is started to ask it.
      if (!existsSync(join(runtime, 'systemd', 'private')))
        return missing(`no user manager runs (${join(runtime, 'systemd')})`)
      const slice = sliceName(name, 'trial')
      try {
        const group = await make(slice, TRIAL)
        const holds = await keptIn(group)
        const scopes = ['OOMPolicy=continue', ''].map((property): Scope => ({ runtime, property }))
        const works = await Promise.all(scopes.map((scope) => tryScope(slice, scope)))
        const scope = scopes.find((_, index) => works[index])
        if (scope === undefined) return missing('a program can’t be put into a slice')
        const way = { kind: 'slice' as const, scope }
        return {
          way: Object.fromEntries(holds.map((limit) => [limit, way])),
          reasons: LIMITS.filter((limit) => !holds.includes(limit)).map(
            (limit) => `systemd: the user manager has no controller for ${limit}`,
          ),
        }
      } catch (error) {
        return missing((error as Error).message)
      } finally {
        await stop(slice).catch(() => {})
      }
    },
  }
}

/** Which of the trial’s limits the group has: the manager takes those it can’t keep, too. */
async function keptIn(group: string): Promise<LimitName[]> {
  const kept: LimitName[] = []
  for (const limit of LIMITS) {
    const wanted = settings([limit], 2, TRIAL).filter(({ optional }) => optional !== true)
    const has = await Promise.all(
      wanted.map(async ({ file, text }) => {
        const found = await readFile(join(group, file), 'utf8').catch(() => '')
        return found.trim() === text
      }),
    )
    if (has.every(Boolean)) kept.push(limit)
  }
  return kept
}
