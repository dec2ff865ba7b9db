import type { Log } from '../../../../runtime/log.ts'
import type { Clock } from '../../../../domain/clock.ts'
import type { BranchName, Sha } from '../../../../domain/ids.ts'
import { asExomonadError } from '../../../../domain/errors.ts'
import type { BasePush, SettlePushed } from '../../merging.ts'
import type { Branches } from '../../branches.ts'
import type { Git } from '../../../git/git.ts'
import type { Pause } from '../../network/pause.ts'
import type { GithubClient } from '../client/client.ts'
import type { LandedPulls } from '../landed-pulls.ts'
import type { BranchRule } from '../reading/branch-rules.ts'
import type { GithubRepository } from '../repository.ts'
import { lookAt } from './pull.ts'
import { readMergeSettings } from './ways.ts'

/** How often it is looked whether GitHub has seen what was pushed: for about a quarter of a minute. */
const LOOKS = 5

/** So long a base that refused a push is left to GitHub, milliseconds. */
const AFTER_REFUSAL = 3_600_000

/** Rules that a fast-forward of a branch has nothing to do with. */
const HARMLESS: ReadonlySet<string> = new Set([
  'creation',
  'deletion',
  'non_fast_forward',
  'branch_name_pattern',
  'tag_name_pattern',
  'copilot_code_review',
])

export const asksNothing = (rules: readonly BranchRule[]): boolean =>
  rules.every(({ type }) => HARMLESS.has(type))

export function createBasePush({
  client,
  repository,
  git,
  remote,
  branches,
  landed,
  pause,
  clock,
  log,
}: {
  client: Pick<GithubClient, 'graphql' | 'pages' | 'rest'>
  repository: GithubRepository
  git: Git
  remote: string
  branches: Branches
  landed: LandedPulls
  pause: Pause
  clock: Clock
  log: Log
}): { readonly pushes: BasePush; readonly settlePushed: SettlePushed } {
  /** What rulesets and queues don’t show: a protection that GraphQL hides from those it lets pass. */
  const isProtected = async (branch: BranchName): Promise<boolean> => {
    const { data } = await client.rest<{ readonly protected: boolean }>(
      'GET /repos/{owner}/{repo}/branches/{branch}',
      { branch },
    )
    return data.protected
  }

  const refusals = new Map<BranchName, number>()

  return {
    pushes: {
      refused: (base) => void refusals.set(base, clock()),

      async isFree(base) {
        const refusedAt = refusals.get(base)
        if (refusedAt !== undefined && Math.abs(clock() - refusedAt) < AFTER_REFUSAL) return false
        try {
          const { settings, rules } = await readMergeSettings(client, base)
          return (
            settings !== null &&
            // Undefined where the server does not know what that is.
            settings.mergeQueue === null &&
            settings.ref?.refUpdateRule === null &&
            asksNothing(rules) &&
            !(await isProtected(base))
          )
        } catch (thrown) {
          log.info({ err: asExomonadError(thrown), base }, 'what protects a base could not be read')
          return false
        }
      },

      headName: (branch) => `${repository.owner}/${branch}`,

      landed: landed.note,

      async isMarked(number) {
        if (!(await landed.has(number))) return true
        for (let looks = 0; looks < LOOKS; looks++) {
          if (looks > 0) await pause(looks - 1)
          if ((await lookAt(client, number)).merged) return true
        }
        return false
      },
    },

    async settlePushed({ number, prepared, head: known, by }) {
      if ((await git.resolve(prepared)) === null) return null
      const pull = await lookAt(client, number)
      const base = pull.base.ref as BranchName
      const tip = await git.remoteTip(remote, base)
      if (tip === null) return null
      await branches.bringIn([{ branch: base, sha: tip }])
      if (!(await git.isAncestor(prepared, tip))) return null
      // What was pushed to its branch since is not in it.
      const now = pull.head.sha as Sha
      const head =
        known ?? ((await git.resolve(now)) === null ? null : await git.mergeBase(now, prepared))
      const merged = { sha: prepared, head: head ?? now }
      await landed.note([{ number, by, ...merged }])
      return { kind: 'merged', ...merged }
    },
  }
}
