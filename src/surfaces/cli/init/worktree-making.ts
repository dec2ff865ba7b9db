import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../../config/schema.ts'
import type { Paths } from '../../../runtime/paths.ts'
import type { Host } from '../host.ts'

/** How new worktrees come by their files here, as far as the machine lets them. */
export interface WorktreeMaking {
  /** pool: taken from those that are kept ready. checkout: written by git, several files at a time. */
  readonly by: 'pool' | 'checkout'
  /** Tracked files of the root’s worktree. */
  readonly files: number
  /** `[worktree] pool`. */
  readonly pool: number
  /** `[git] checkout_workers`. */
  readonly checkout_workers: number
  /** Whether files here can share their blocks, tried for real: pool, `include`, kept set-up outputs. */
  readonly copy_on_write: boolean
}

export async function readWorktreeMaking(
  host: Pick<Host, 'git'>,
  paths: Pick<Paths, 'commonDir' | 'state'>,
  { worktree, git: settings }: Pick<Config, 'worktree' | 'git'>,
): Promise<WorktreeMaking> {
  const git = await host.git(paths.commonDir)
  return {
    by: worktree.pool > 0 ? 'pool' : 'checkout',
    files: await filesIn(join(paths.commonDir, 'index')),
    pool: worktree.pool,
    checkout_workers: settings.checkout_workers,
    copy_on_write: await git.canShareBlocks(paths.state),
  }
}

/** One line for people. */
export const worktreeMakingWords = ({
  by,
  files,
  pool,
  checkout_workers: workers,
  copy_on_write: shares,
}: WorktreeMaking): string =>
  `${by === 'pool' ? `from a pool of ${pool}` : `${files} ${files === 1 ? 'file' : 'files'} checked out by ${workers} ${workers === 1 ? 'process' : 'processes'}`}; ${shares ? 'copy-on-write works here' : 'no copy-on-write on this file system'}`

/** Entries of an index, by its head; 0 where it is none. */
export async function filesIn(index: string): Promise<number> {
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
