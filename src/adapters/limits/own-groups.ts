import { join } from 'node:path'

/** A control group hierarchy that is mounted, and the group that this process is in there. */
export interface OwnGroup {
  readonly version: 1 | 2
  /** Of version 1: those of this hierarchy. Version 2 says it in a file of each group. */
  readonly controllers: readonly string[]
  /** Absolute path of the folder that is our own group. */
  readonly path: string
  /** Nothing above it is mounted. */
  readonly isTop: boolean
  /** Absolute path of where the hierarchy is mounted. */
  readonly mount: string
}

/**
 * From the texts that processes/control-groups.ts reads. A hierarchy that is not mounted, or
 * of which another part is, is left out.
 */
export function parseOwnGroups(texts: {
  readonly groups: string
  readonly mounts: string
}): OwnGroup[] {
  const mounts = texts.mounts.split('\n').flatMap(parseMount)
  return texts.groups.split('\n').flatMap((line) => {
    const [, , names, group] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? []
    if (names === undefined || group === undefined) return []
    const version = names === '' ? 2 : 1
    const controllers = names.split(',').filter((name) => name !== '')
    const [first] = controllers
    if (first?.startsWith('name=') === true) return []
    const mount = mounts.find(({ type, options }) =>
      version === 2
        ? type === 'cgroup2'
        : type === 'cgroup' && controllers.every((name) => options.includes(name)),
    )
    const within = mount === undefined ? undefined : below(mount.root, group)
    if (mount === undefined || within === undefined) return []
    const isTop = within === '/'
    const path = isTop ? mount.point : join(mount.point, within)
    return [{ version, controllers, path, isTop, mount: mount.point }]
  })
}

interface Mount {
  readonly root: string
  readonly point: string
  readonly type: string
  readonly options: readonly string[]
}

function parseMount(line: string): Mount[] {
  const [left, right] = line.split(' - ')
  const [, , , root, point] = left?.split(' ') ?? []
  const [type, , options = ''] = right?.split(' ') ?? []
  if (root === undefined || point === undefined || type === undefined) return []
  return [{ root, point, type, options: options.split(',') }]
}

/** `path` as seen from a mount of `root`; undefined where it lies outside. */
function below(root: string, path: string): string | undefined {
  if (path.split('/').includes('..')) return undefined
  if (root === '/') return path
  if (path === root) return '/'
  return path.startsWith(`${root}/`) ? path.slice(root.length) : undefined
}
