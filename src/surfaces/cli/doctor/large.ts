import type { Config } from '../../../config/schema.ts'
import type { CliContext } from '../context.ts'
import type { LocatedRepository } from '../locate.ts'
import { readWorktreeMaking } from '../init/worktree-making.ts'
import type { Diagnosis } from './diagnosis.ts'

/** So many files take a checkout, and with it a spawn, a second or more. */
const LARGE = 10_000

/** What a spawn on a large repository waits for, and what there is against it here. */
export async function diagnoseLarge(
  { host }: CliContext,
  config: Config | null,
  { paths }: LocatedRepository,
): Promise<Diagnosis[]> {
  if (config === null) return []
  const making = await readWorktreeMaking(host, paths, config)
  const { files, pool, checkout_workers: workers } = making
  if (files < LARGE) return []
  const room = making.copy_on_write
    ? 'they share blocks (copy-on-write), and further ones take little room'
    : 'this file system shares no blocks, and each takes the room of a checkout'
  const { sparse } = config.worktree
  if (pool > 0)
    return [{ subject: 'worktrees', status: 'ok', found: `${pool} are kept ready; ${room}` }]
  return [
    {
      subject: 'worktrees',
      status: 'note',
      found: `each spawn checks out ${sparse.length > 0 ? 'its part of ' : ''}${files} files, by ${workers} at a time`,
      fix: `[worktree] pool = N keeps N ready: ${room}`,
    },
  ]
}
