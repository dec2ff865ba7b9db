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
  /** Where the remote’s branch is after a refusal, as far as that can be read. */
  const tipOf = (base: BranchName): Promise<Sha | undefined> =>
    branches.tips([base]).then(
      (found) => found.get(base),
      () => undefined,
    )

  for (const [base, pulls] of Map.groupBy(rows, ({ baseBranch }) => baseBranch)) {
    const here = await git.resolve(`refs/heads/${base}`)
    if (here === null) continue
    const heads = pulls.map((row) => tips.get(row.headBranch) ?? row.headSha)
    /** Something is merged here and not there, and a push would be a plain step forward. */
    const lacksMerged = async (there: Sha): Promise<boolean> => {
      if (
        there === here ||
        (await git.resolve(there)) === null ||
        !(await git.isAncestor(there, here))
      )
        return false
      for (const head of heads)
        if (
          (await git.resolve(head)) !== null &&
          (await git.isAncestor(head, here)) &&
          !(await git.isAncestor(head, there))
        )
          return true
      return false
    }

    let tip = tips.get(base)
    for (const pause of [...PAUSES, null]) {
      if (tip === undefined || !(await lacksMerged(tip))) break
      const pushed = await git
        .push(remote, { sha: here, branch: base, expected: tip })
        .catch((error: unknown) => ({ kind: 'failed' as const, reason: String(error) }))
      if (pushed.kind === 'pushed') {
        tip = here
        break
      }
      log.info(
        { branch: base, reason: pushed.reason },
        'what was merged by hand could not be pushed',
      )
      const before = tip
      tip = await tipOf(base)
      if (pushed.kind === 'failed') break
      // A refusal that left the branch where it was is not about its commits (another push held a
      // lock, a hook failed). One that moved may have got earlier commits from here meanwhile, by
      // the stop check of an agent: it is pushed on from there.
      if (tip === before && pause !== null) await delay(pause)
    }
    if (tip !== undefined && (await git.resolve(tip)) !== null) tips.set(base, tip)
  }
}
