import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { LIMITS, type Bounds, type LimitName } from '../../domain/formats/resource-limits.ts'
import { CONTROLLER } from './control-files.ts'
import { enable, makeGroup, removeEmpty, removeGroup, type Group } from './groups.ts'
import type { OwnGroup } from './own-groups.ts'
import type { Tried, Way } from './ways.ts'

/** systemd’s, which nobody else may divide unless it says so. */
const UNIT = /\.(?:scope|service|slice)$/

/** What a group for the trial is set to: no less than anything needs. */
const TRIAL: Bounds = {
  memory: { value: 1024 ** 3, key: '' },
  processes: { value: 100, key: '' },
  cpu_weight: { value: 50, key: '' },
}

/** Whether a program can be put into this group. */
export type TryJoin = (path: string) => Promise<boolean>

/** Makes a group below `base`, has a program join it, and takes it away again. */
async function tryGroups(
  base: string,
  group: Pick<Group, 'version' | 'holds'>,
  tryJoin: TryJoin,
): Promise<string | undefined> {
  const path = join(base, `trial-${randomBytes(4).toString('hex')}`)
  try {
    await makeGroup({ path, ...group }, TRIAL)
    return (await tryJoin(path)) ? undefined : 'a program can’t be put into a group there'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? (error as Error).message
  } finally {
    await removeGroup(path, false)
    await removeEmpty(base)
  }
}

const inAll = (holds: readonly LimitName[], way: Way): Tried['way'] =>
  Object.fromEntries(holds.map((limit) => [limit, way]))

/**
 * Control groups of version 2, where the one that the daemon is in, or the one above, was given to
 * it: it is not systemd’s, and what lies above a process’s own is there to be divided.
 */
export async function findGroups2(
  own: readonly OwnGroup[],
  name: string,
  tryJoin: TryJoin,
): Promise<Tried> {
  const found = own.find(({ version }) => version === 2)
  const missing = (why: string): Tried => ({ way: {}, reasons: [`cgroup v2: ${why}`] })
  if (found === undefined) return missing('it is not mounted')
  const { path, isTop } = found
  if (UNIT.test(basename(path)))
    return missing(`the daemon is in ${basename(path)}, which is systemd’s to divide`)
  const above = dirname(path)
  const candidates = [path, ...(isTop || above.endsWith('.slice') ? [] : [above])]
  const reasons: string[] = []
  for (const candidate of candidates) {
    const controllers = await readFile(join(candidate, 'cgroup.controllers'), 'utf8').catch(
      () => '',
    )
    const has = new Set(controllers.trim().split(/\s+/))
    const holds = LIMITS.filter((limit) => has.has(CONTROLLER[limit]))
    if (holds.length === 0) {
      reasons.push(`${candidate} has no controller of these`)
      continue
    }
    const base = join(candidate, name)
    const why = await enable(candidate, holds).then(
      () => tryGroups(base, { version: 2, holds }, tryJoin),
      (error: NodeJS.ErrnoException) =>
        error.code === 'EBUSY' ? 'it has processes itself' : (error.code ?? error.message),
    )
    if (why === undefined)
      return { way: inAll(holds, { kind: 'group', version: 2, base }), reasons: [] }
    reasons.push(`${candidate}: ${why}`)
  }
  return missing(reasons.join('; '))
}

/**
 * Control groups of version 1, of each controller where the daemon is at the top of what is there:
 * nothing says of any other group that it may be divided.
 */
export async function findGroups1(
  own: readonly OwnGroup[],
  name: string,
  tryJoin: TryJoin,
): Promise<Tried> {
  const way: Tried['way'] = {}
  const reasons: string[] = []
  for (const limit of LIMITS) {
    const controller = CONTROLLER[limit]
    const found = own.find(
      ({ version, controllers }) => version === 1 && controllers.includes(controller),
    )
    // A machine without version 1 says so once: by version 2.
    if (found === undefined) continue
    const base = join(found.path, name)
    const why = found.isTop
      ? await tryGroups(base, { version: 1, holds: [limit] }, tryJoin)
      : `the daemon is in ${found.path}, which somebody else made`
    if (why === undefined) way[limit] = { kind: 'group', version: 1, base }
    else reasons.push(`cgroup v1, ${controller}: ${why}`)
  }
  return { way, reasons }
}
