import { setTimeout as delay } from 'node:timers/promises'
import type { BranchName, Sha } from '../../../domain/ids.ts'
import type { PullRow } from '../../../domain/forge-rows.ts'
import type { Branches } from '../branches.ts'
import type { LocalForgeOptions } from './options.ts'

/** Before what the remote refused is pushed again. Milliseconds. */
const PAUSES = [50, 200]

/**
 * Somebody merged an open pull request into its base by hand, in the repository itself. Nobody can
 * push to the forge’s remote by hand, so that goes there now: what is merged here is merged.
 * Commits of other kinds wait until they are needed. Changes `tips` where a base moved, also where
 * another look, or a merge, was first.
 */
export async function publishMergedHere(
  {
    git,
    remote,
    log,
    branches,
  }: Pick<LocalForgeOptions, 'git' | 'remote' | 'log'> & { branches: Pick<Branches, 'tips'> },
  rows: readonly PullRow[],
  tips: Map<BranchName, Sha>,
): Promise<void> {
  /**
   * Where the remote’s branch is then, as far as that can be read. A refusal that left the branch
   * where it was is not about its commits (another push held a lock, a hook failed).
   */
  const publish = async ({
    base,
    here,
    tip,
  }: Record<'here' | 'tip', Sha> & { base: BranchName }): Promise<Sha | undefined> => {
    for (const pause of [...PAUSES, null]) {
      const pushed = await git
        .push(remote, { sha: here, branch: base, expected: tip })
        .catch((error: unknown) => ({ kind: 'failed' as const, reason: String(error) }))
      if (pushed.kind === 'pushed') return here
      log.info(
        { branch: base, reason: pushed.reason },
        'what was merged by hand could not be pushed',
      )
      const now = await branches.tips([base]).then(
        (found) => found.get(base),
        () => undefined,
      )
      if (now !== tip || pushed.kind === 'failed' || pause === null) return now
      await delay(pause)
    }
    return undefined
  }

  for (const [base, pulls] of Map.groupBy(rows, ({ baseBranch }) => baseBranch)) {
    const tip = tips.get(base)
    const here = await git.resolve(`refs/heads/${base}`)
    if (
      tip === undefined ||
      here === null ||
      here === tip ||
      (await git.resolve(tip)) === null ||
      !(await git.isAncestor(tip, here))
    )
      continue
    const heads = pulls.map((row) => tips.get(row.headBranch) ?? row.headSha)
    for (const head of heads) {
      if (
        (await git.resolve(head)) === null ||
        !(await git.isAncestor(head, here)) ||
        (await git.isAncestor(head, tip))
      )
        continue
      const now = await publish({ base, here, tip })
      if (now !== undefined && (await git.resolve(now)) !== null) tips.set(base, now)
      break
    }
  }
}
