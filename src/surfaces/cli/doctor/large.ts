import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../../config/schema.ts'
import type { CliContext } from '../context.ts'
import type { LocatedRepository } from '../locate.ts'
import type { Diagnosis } from './diagnosis.ts'

/** So many files take a checkout, and with it a spawn, a second or more. */
const LARGE = 10_000

/** What a spawn on a large repository waits for, and what there is against it here. */
export async function diagnoseLarge(
  { host }: CliContext,
  config: Config | null,
  { paths }: LocatedRepository,
): Promise<Diagnosis[]> {
  const files = await filesIn(join(paths.commonDir, 'index'))
  if (config === null || files < LARGE) return []
  const git = await host.git(paths.commonDir)
  const shares = await git.canShareBlocks(paths.state)
  const room = shares
    ? 'they share blocks (copy-on-write), and further ones take little room'
    : 'this file system shares no blocks, and each takes the room of a checkout'
  const { pool, sparse } = config.worktree
  if (pool > 0)
    return [{ subject: 'worktrees', status: 'ok', found: `${pool} are kept ready; ${room}` }]
  const workers = config.git.checkout_workers
  return [
    {
      subject: 'worktrees',
      status: 'note',
      found: `each spawn checks out ${sparse.length > 0 ? 'its part of ' : ''}${files} files, by ${workers} at a time`,
      fix: `[worktree] pool = N keeps N ready: ${room}`,
    },
  ]
}

/** Entries of an index, by its head; 0 where it is none. */
async function filesIn(index: string): Promise<number> {
  const file = await open(index, 'r').catch(() => null)
  if (file === null) return 0
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(12), 0, 12, 0)
    return bytesRead === 12 && buffer.toString('latin1', 0, 4) === 'DIRC'
      ? buffer.readUInt32BE(8)
      : 0
  } finally {
    await file.close()
  }
}
