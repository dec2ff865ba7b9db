import { sharesBranch } from '../../domain/agent-kinds.ts'
import type { Agent } from '../../domain/records.ts'
import { asExomonadError, ExomonadError } from '../../domain/errors.ts'
import { asBranchName, parentBranch, type BranchName } from '../../domain/ids.ts'
import type { FiledPull } from './pull-documents.ts'
import type { Pulls } from './pull-use-cases.ts'
import type { Deps } from '../deps.ts'
import type { FollowBase } from './follow-base.ts'
import { issueOf } from '../spawn/issues/records.ts'
import { withClosing } from '../spawn/issues/task.ts'
import { knownPulls } from './pull-records.ts'
import type { BranchPush } from './push-branch.ts'
import { wrongBranch } from '../agents/wrong-branch.ts'

/** Pushes the caller’s branch and files its pull request against the recorded base. */
export function createFilePull({
  store,
  git,
  forge,
  polling,
  settings,
  branchPush,
  followBase,
  log,
}: Pick<Deps, 'store' | 'git' | 'forge' | 'polling' | 'settings' | 'log'> & {
  branchPush: BranchPush
  followBase: FollowBase
}): Pulls['file'] {
  /**
   * Of `main.feature` the branch `main`, where there is one: a root’s place follows the dot rule
   * too.
   */
  const parentInUse = async (branch: BranchName): Promise<BranchName | null> => {
    const parent = parentBranch(branch)
    if (parent === null) return null
    const tip =
      (await git.resolve(`refs/heads/${parent}`)) ??
      (await git.resolve(`refs/remotes/${forge.remote}/${parent}`))
    return tip === null ? null : parent
  }

  /** Its children’s work that is not in its branch yet, and so not in its pull request either. */
  const stillOpen = async (agent: Agent): Promise<string[]> => {
    const open = (await knownPulls(store)).filter(
      (pull) => pull.state === 'open' && pull.base.branch === agent.branch,
    )
    return open.map(
      ({ number, head }) =>
        `#${number} (${head.branch}) is still open on ${agent.branch}: what you filed is without it. Merge it first, or close it.`,
    )
  }

  /**
   * The recorded parent branch; by the dot rule where there is no record; for the root what the
   * configuration or the remote says.
   */
  const baseOf = async (agent: Agent): Promise<BranchName> => {
    if (agent.baseBranch !== null) return agent.baseBranch
    if (agent.kind === 'root') {
      const configured = (await settings.snapshot()).config.root.base
      const base =
        configured === undefined
          ? ((await parentInUse(agent.branch)) ?? (await git.defaultBranch(forge.remote)))
          : asBranchName(configured)
      if (base === null || base === agent.branch) {
        throw new ExomonadError(
          'INVALID_ARG',
          `${agent.branch} is the root: there is no branch to file a pull request against. Set [root] base in the configuration for that.`,
          { branch: agent.branch },
        )
      }
      return base
    }
    const parent = parentBranch(agent.branch)
    if (parent === null)
      throw new ExomonadError(
        'INVALID_ARG',
        `${agent.branch} has no parent branch on record, and none by its name.`,
        { branch: agent.branch },
      )
    return parent
  }

  /**
   * The forge must know the base before anything can be filed against it. What it has of it is here
   * afterwards.
   */
  const fetchBase = async (base: BranchName) => {
    const missing = await git.fetch(forge.remote, [base]).then(
      () => false,
      (thrown: unknown) => {
        if (asExomonadError(thrown).facts['branch'] === base) return true
        throw thrown
      },
    )
    if (!missing) return
    const local = await git.resolve(`refs/heads/${base}`)
    if (local === null)
      throw new ExomonadError(
        'INVALID_ARG',
        `The base branch ${base} exists neither here nor on ${forge.remote}.`,
        { base },
      )
    await git.push(forge.remote, { sha: local, branch: base, expected: null })
    await git.fetch(forge.remote, [base])
  }

  /**
   * Asks for a review; the look that follows starts the checks. The pull request is filed: what
   * fails now is reported with it.
   */
  const begin = async (number: number, draft: boolean): Promise<string[]> => {
    const warnings: string[] = []
    try {
      const warning = draft ? null : await forge.requestReview(number)
      if (warning !== null) warnings.push(warning)
    } catch (thrown) {
      const { message } = asExomonadError(thrown)
      log.warn(
        { err: thrown, number },
        'a pull request was filed, and its review could not be asked for',
      )
      warnings.push(`#${number} is filed, but its review could not be asked for: ${message}`)
    }
    return warnings
  }

  /** Filed by a call that was cut off, and merged before it was asked for again. */
  const landedSince = async (
    agent: Agent,
    base: BranchName,
    since: number,
  ): Promise<FiledPull | undefined> => {
    const head = await git.resolve(`refs/heads/${agent.branch}`)
    const numbers = await forge.find({ state: 'merged', heads: [agent.branch], base })
    for (const read of numbers.length === 0 ? [] : await forge.snapshots(numbers)) {
      if (!('snapshot' in read)) continue
      const { number, url, mergedHead, createdAt, updatedAt, trusted } = read.snapshot
      if (!trusted || mergedHead !== head || updatedAt < since) continue
      return {
        pr_number: number,
        pr_url: url,
        head_branch: agent.branch,
        base_branch: base,
        created: createdAt >= since,
        warnings: [`#${number} was merged meanwhile.`],
      }
    }
    return undefined
  }

  /** With what closes the issue that the agent was spawned for. */
  const bodyFor = async (agent: Agent, body: string): Promise<string> => {
    const issue = await issueOf(store, agent.id)
    return issue === undefined ||
      forge.issues === null ||
      issue.repository !== (await forge.identity())
      ? body
      : withClosing(body, issue)
  }

  return async (caller, { title, body, draft }, since = null) => {
    if (sharesBranch(caller.agent)) {
      throw new ExomonadError(
        'NOT_ALLOWED',
        `${caller.agent.name} is a ${caller.agent.kind === 'fork' ? 'fork' : 'session'}: ${caller.agent.branch} is its parent’s branch, and its parent files the pull request. Use send to let your parent know what is to go in.`,
        { agent: caller.agent.id, branch: caller.agent.branch },
      )
    }
    const agent = await followBase(caller.agent)
    const landed = since === null ? undefined : await landedSince(agent, await baseOf(agent), since)
    if (landed !== undefined) return landed
    const status = await git.status(agent.worktree)
    if (status.operation !== null) {
      throw new ExomonadError(
        'DIRTY_WORKTREE',
        `A ${status.operation} is in progress in ${agent.worktree}. Finish it (\`git ${status.operation} --continue\`) first.`,
        { operation: status.operation },
      )
    }
    if (status.branch === null) {
      throw new ExomonadError(
        'DETACHED_HEAD',
        `${agent.worktree} is on no branch. Check out ${agent.branch} there, then file.`,
        { worktree: agent.worktree },
      )
    }
    if (status.branch !== agent.branch) throw wrongBranch(caller, agent, status.branch, 'file')
    const base = await baseOf(agent)
    if (status.dirty.length > 0) {
      throw new ExomonadError(
        'DIRTY_WORKTREE',
        `Uncommitted changes would not be in the pull request: ${status.dirty.slice(0, 20).join(', ')}. Commit them first.`,
        { files: status.dirty.slice(0, 20) },
      )
    }
    const head = status.head
    if (head === null) throw new ExomonadError('NO_COMMITS', `${agent.branch} has no commit.`)
    await fetchBase(base)
    const baseTip = await git.resolve(`refs/remotes/${forge.remote}/${base}`)
    if (baseTip !== null && (await git.countCommits(baseTip, head)) === 0) {
      throw new ExomonadError(
        'NOTHING_TO_MERGE',
        `${agent.branch} has no commit that ${base} lacks. Commit your work first.`,
        { head: agent.branch, base },
      )
    }
    // A squashed branch still has commits that its base lacks; what they brought is there.
    const merged = (await knownPulls(store)).find(
      (pull) =>
        pull.head.branch === agent.branch && pull.state === 'merged' && pull.mergedHead === head,
    )
    if (merged !== undefined && merged.base.branch === base) {
      throw new ExomonadError(
        'NOTHING_TO_MERGE',
        `${agent.branch} was merged with #${merged.number} and has no commit since. Commit new work first.`,
        {
          head: agent.branch,
          base,
          number: merged.number,
        },
      )
    }
    await branchPush.push(agent, head)
    const filed = await forge.file({
      head: agent.branch,
      headSha: head,
      base,
      title,
      body: await bodyFor(agent, body),
      draft,
      agentId: agent.id,
    })
    if (filed.kind === 'nothing_to_merge')
      throw new ExomonadError(
        'NOTHING_TO_MERGE',
        `${agent.branch} has no commit that ${base} lacks.`,
        { head: agent.branch, base },
      )
    // The root’s follows the configuration.
    if (agent.kind !== 'root') await store.agents.update(agent.id, { baseBranch: base })
    const warnings = [...(await begin(filed.number, draft)), ...(await stillOpen(agent))]
    await polling.poll([filed.number])
    return {
      pr_number: filed.number,
      pr_url: filed.url,
      head_branch: agent.branch,
      base_branch: base,
      created: filed.created,
      warnings,
    }
  }
}
