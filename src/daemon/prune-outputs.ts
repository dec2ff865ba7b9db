import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pruneFolder } from '../adapters/machine/prune-folder.ts'
import { readRemovedNotice, removedNotice } from '../domain/formats/output-notices.ts'

const ENDING = /\.log(\.part)?$/
/** A notice is shorter. Bytes. */
const NOTICE_LIMIT = 1000

/**
 * Keeps outputs of sessions and tasks within `limit` bytes: those of live agents stay (each is
 * bounded while it is written), and of what is removed a notice says when and why, which goes
 * itself once it is older than `before`. What a crash left of a file that was being shortened is
 * removed.
 */
export async function pruneOutputs(
  folder: string,
  {
    limit,
    live,
    now,
    before,
  }: { limit: number; live: ReadonlySet<string>; now: number; before: number },
): Promise<void> {
  const isLive = (name: string): boolean => live.has(name.replace(ENDING, ''))
  for (const name of await readdir(folder).catch(() => [])) {
    const file = join(folder, name)
    if (!isLive(name) && (name.endsWith('.part') || (await isOldNotice(file, before))))
      await rm(file, { force: true })
  }
  await pruneFolder(
    folder,
    limit,
    (path) => isLive(path.slice(folder.length + 1)),
    (bytes) => removedNotice(now, bytes, limit),
  )
}

async function isOldNotice(file: string, before: number): Promise<boolean> {
  const found = await stat(file).catch(() => undefined)
  if (found === undefined || found.size > NOTICE_LIMIT || found.mtimeMs >= before) return false
  return readRemovedNotice(await readFile(file, 'utf8').catch(() => '')) !== undefined
}
