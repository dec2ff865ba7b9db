import { sharesBranch } from '../../../domain/agent-kinds.ts'
import type { PullRequestSnapshot } from '../../../adapters/forge/forge.ts'
import type { Agent } from '../../../domain/records.ts'
import type { BranchName } from '../../../domain/ids.ts'
import type { MergedPull } from '../pull-documents.ts'
import { isAlive } from '../../../domain/lifecycle.ts'

/** It is not merged yet, and nothing has to be done for it. */
export const stillLanding = (pull: PullRequestSnapshot, followed: string | null): MergedPull => ({
  merged: false,
  state: 'landing',
  sha: null,
  local_synced: false,
  ...(followed === null ? {} : { rebased_from: followed }),
  retargeted: [],
  siblings_behind: [],
  next: `Checking what #${pull.number} comes to on ${pull.base.branch}, which nothing has checked yet. It lands by itself when that is green, and you get a message when it is not, or when all that you asked for has landed: nothing to do until then.`,
})

/** What its parent does after a merge. */
export function nextStep(facts: {
  readonly base: BranchName
  readonly remote: string
  readonly pullError: string | undefined
  readonly siblings: number
  readonly child: Agent | undefined
  /** All there are. */
  readonly agents: readonly Agent[]
  readonly followed: string | null
  /** How it was merged, where that is not the usual way. */
  readonly instead?: string | null
}): string {
  const { base, remote, pullError, siblings, child, agents, followed, instead } = facts
  const parent = agents.find(({ id }) => id === child?.parentId)
  const parts: string[] = instead == null ? [] : [instead]
  if (followed !== null)
    parts.push(
      `exomonad had rebased the head that you looked at (${followed.slice(0, 8)}); its changes are the same.`,
    )
  if (pullError !== undefined)
    parts.push(
      `Your worktree does not have the merge (${pullError}): fix that, then \`git merge --ff-only ${remote}/${base}\`.`,
    )
  if (child !== undefined && parent !== undefined && parent.branch !== base && !sharesBranch(child))
    parts.push(
      `It skipped a level: ${child.name} is a child of ${parent.name} (${parent.branch}), whose branch does not have it.`,
    )
  if (siblings > 0)
    parts.push(`${siblings} sibling${siblings === 1 ? '' : 's'} will be rebased at the next stop.`)
  if (child !== undefined && isAlive(child.state))
    parts.push(`${child.name} idles: send it more work, or kill it.`)
  return parts.length === 0 ? 'Nothing else to do for this pull request.' : parts.join(' ')
}
