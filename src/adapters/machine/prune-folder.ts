import { lstat, readdir, rm, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Removes the oldest files below a folder (by modification time) until the rest is within
 * `maxBytes`, and folders that this empties. Symbolic links are not followed. A missing folder is
 * empty. What `spared` names stays, and counts for at most half. With `instead` a file that was
 * removed leaves that text in its place.
 */
export async function pruneFolder(
  folder: string,
  maxBytes: number,
  spared: (path: string) => boolean = () => false,
  instead?: (bytes: number) => string,
): Promise<{ removed: number; bytes: number }> {
  const files = (await filesBelow(folder)).toSorted((one, other) => one.modified - other.modified)
  const kept = files.filter(({ path }) => spared(path)).reduce((sum, { size }) => sum + size, 0)
  const others = files.filter(({ path }) => !spared(path))
  let bytes = files.reduce((sum, file) => sum + file.size, 0)
  let removed = 0
  // One that is larger than all may be is first, however young: else it would cost everybody
  // else’s. Nor do those that stay, which leave others half.
  const limit = Math.max(maxBytes, kept + maxBytes / 2)
  for (const file of [
    ...others.filter(({ size }) => size > maxBytes / 2),
    ...others.filter(({ size }) => size <= maxBytes / 2),
  ]) {
    if (bytes <= limit) break
    const left = instead?.(file.size) ?? ''
    // What is no longer than its notice is one.
    if (left !== '' && file.size > left.length) await writeFile(file.path, left)
    else await rm(file.path, { force: true })
    // Fails where something else is in it, which is what should keep it.
    if (file.folder !== folder) await rmdir(file.folder).catch(() => {})
    bytes -= file.size
    removed += 1
  }
  return { removed, bytes }
}

interface FoundFile {
  readonly path: string
  readonly folder: string
  readonly size: number
  readonly modified: number
}

async function filesBelow(folder: string): Promise<FoundFile[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(gone<[]>([]))
  const found = await Promise.all(
    entries.map(async (entry): Promise<FoundFile[]> => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return filesBelow(path)
      const facts = await lstat(path).catch(gone(undefined))
      return facts === undefined
        ? []
        : [{ path, folder, size: facts.size, modified: facts.mtimeMs }]
    }),
  )
  return found.flat()
}

/** What vanished meanwhile, or was never there, is no error. */
const gone =
  <Empty>(empty: Empty) =>
  (error: NodeJS.ErrnoException): Empty => {
    if (error.code === 'ENOENT') return empty
    throw error
  }
