import type { BranchName, Sha } from '../../../domain/ids.ts'
import type { PullRow } from '../../../domain/forge-rows.ts'
import type { Branches } from '../branches.ts'
import type { LocalForgeOptions } from './options.ts'

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
      const pushed = await git.push(remote, { sha: here, branch: base, expected: tip })
      if (pushed.kind === 'pushed') tips.set(base, here)
      else {
        log.info(
          { branch: base, reason: pushed.reason },
          'what was merged by hand could not be pushed; the next look tries again',
        )
        const now = await branches.tips([base]).then(
          (found) => found.get(base),
          () => undefined,
        )
        if (now !== undefined && (await git.resolve(now)) !== null) tips.set(base, now)
      }
      break
    }
  }
}
