import { createHash } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { SNAPSHOT_FILE_LIMIT } from './radar-git.ts'
import { LEAST_OBJECT } from './radar-objects.ts'

/**
 * What is larger and was written more recently is left out until it rests: a database that changes
 * all the time would be stored anew at each look. Bytes, milliseconds.
 */
const RESTLESS = { size: 1_000_000, rest: 60_000 }
/** Files that are looked at side by side. */
const AT_ONCE = 64
/** Changed files that are looked at for a sign that there is more. */
const MOST_SIGNS = 64

/** Changes with each write of an index: git renames a new one to it. */
export const stampOf = (index: string): Promise<string> =>
  lstat(index, { bigint: true }).then(
    ({ ino, size, mtimeNs }) => `${ino} ${size} ${mtimeNs}`,
    () => '',
  )

/**
 * What is written by most that an agent does next: its index and HEAD, the files that it changed
 * last, and the folders of these.
 */
export function signsOf(gitDir: string, dirty: readonly string[]): string[] {
  const changed = dirty.slice(0, MOST_SIGNS)
  return [
    ...['index', 'HEAD', 'logs/HEAD'].map((name) => join(gitDir, name)),
    ...new Set(['.', ...changed, ...changed.map(dirname)]),
  ]
}

export const stampsOf = async (
  worktree: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> =>
  new Map(
    await Promise.all(
      paths.map(async (path) => [path, await stampOf(resolve(worktree, path))] as const),
    ),
  )

/**
 * What tells one state of a worktree from another, without reading a file, what is too large, and
 * how many bytes the rest comes to at most as objects.
 */
export async function markOf(
  worktree: string,
  status: string,
  dirty: readonly string[],
): Promise<{ mark: string; large: string[]; bytes: number }> {
  const hash = createHash('sha256').update(status)
  const large: string[] = []
  let bytes = 0
  const now = Date.now()
  for (let at = 0; at < dirty.length; at += AT_ONCE) {
    const part = dirty.slice(at, at + AT_ONCE)
    const found = await Promise.all(
      part.map((path) => lstat(join(worktree, path), { bigint: true }).catch(() => null)),
    )
    for (const [index, file] of found.entries()) {
      if (file === null) continue
      hash.update(`${file.mtimeNs} ${file.ctimeNs} ${file.size} ${file.ino} ${file.mode}\0`)
      const isLeftOut =
        file.size > SNAPSHOT_FILE_LIMIT ||
        (file.size > RESTLESS.size && now - Number(file.mtimeMs) < RESTLESS.rest)
      const path = part[index] ?? ''
      if (file.isFile() && isLeftOut) large.push(path)
      else bytes += Number(file.size) + LEAST_OBJECT * (1 + path.split('/').length)
    }
  }
  return { mark: hash.update(large.join('\0')).digest('hex'), large, bytes }
}
