import { randomUUID } from 'node:crypto'
import type { MergeResult, MergeStrategy, PullRequestSnapshot } from '../adapters/forge/forge.ts'
import type { Agent, JournalEntry } from '../adapters/store/store.ts'
import { ExomonadError } from '../errors.ts'
import { asBranchName, parseSha, type Actor, type BranchName } from '../ids.ts'
import type { BranchLock } from './branch-lock.ts'
import type { Caller, MergedPull, Pulls } from './core.ts'
import type { Deps } from './deps.ts'
import { actorOf } from './directory.ts'
import { isAlive } from './lifecycle.ts'
import { mergeObjections } from './merge-rules.ts'
import { knownPulls, mergedBranches } from './pull-records.ts'
import { readPull, requireLookedAt } from './pull-views.ts'

/** What the journal of a merge holds. */
interface MergeIntent extends Record<string, unknown> {
  readonly number: number
  readonly head: string
  readonly base: string
  readonly by: string
  readonly expectedHead: string
  readonly strategy: MergeStrategy
  readonly retargeted: readonly number[]
  /** The commit about to be pushed as the base’s tip. */
  readonly prepared?: string
}

export interface MergePull {
  readonly merge: Pulls['merge']
  /** After a crash: finishes a merge that reached the remote, takes back the retargeting of one that didn’t. Undefined: can’t be told yet. */
  settle(entry: JournalEntry): Promise<'done' | 'undone' | undefined>
  /** Journal ids of merges whose outcome this process doesn’t know: the remote failed in the middle. */
  readonly stuck: ReadonlySet<string>
}

/**
 * Journaled in steps: `intent` (what is about to be merged), `retarget` (pull requests that target the merged branch go to its base),
 * `merge` (with the commit, before it is pushed), `record` (store), `sync` (the parent’s worktree).
 */
export function createMergePull(
  deps: Pick<Deps, 'store' | 'git' | 'forge' | 'polling' | 'settings' | 'publisher' | 'clock' | 'log' | 'onJournalStep'> & { branchLock: BranchLock },
): MergePull {
  const { store, git, forge, polling, settings, publisher, clock, log } = deps

  const step = async (journal: string, name: string, data?: Record<string, unknown>) => {
    await store.journal.step(journal, name, data)
    deps.onJournalStep('merge', name)
  }

  const ownerOf = (agents: readonly Agent[], branch: string) => agents.findLast((agent) => agent.branch === branch && agent.kind !== 'fork')

  /** Only the parent of the pull request’s agent; the human anywhere. */
  const requireParent = async (caller: Caller, pull: PullRequestSnapshot, agents: readonly Agent[]) => {
    const { protected_branches: protectedBranches } = await settings.config()
    if (caller.kind === 'human') return
    const author = ownerOf(agents, pull.head.branch)
    if (author?.parentId !== caller.agent.id) {
      throw new ExomonadError('NOT_A_CHILD', `#${pull.number} (${pull.head.branch}) is not a pull request of a child of yours: only its parent merges it.`, {
        number: pull.number,
      })
    }
    if (protectedBranches.includes(pull.base.branch)) {
      throw new ExomonadError('NOT_ALLOWED', `${pull.base.branch} is protected: only the human merges into it. Tell your parent with note.`, {
        base: pull.base.branch,
      })
    }
  }

  const requireForce = async (caller: Caller, force: boolean) => {
    if (!force || caller.kind === 'human' || (await settings.config()).merge.agents_may_force) return
    throw new ExomonadError('NOT_ALLOWED', 'Only the human may force a merge. Have the child mend what stands in the way.')
  }

  /** Commits that the parent made itself and has not pushed go first, or the merge would leave them behind. */
  const publishBase = async (base: BranchName): Promise<string | undefined> => {
    const local = await git.resolve(`refs/heads/${base}`)
    const remote = await git.remoteTip(forge.remote, base)
    if (local === null || local === remote) return undefined
    if (remote !== null && (await git.resolve(remote)) === null) await git.fetch(forge.remote, [base])
    if (remote !== null && !(await git.isAncestor(remote, local))) {
      return (await git.isAncestor(local, remote)) ? undefined : `${base} here and on ${forge.remote} have diverged`
    }
    const pushed = await git.push(forge.remote, { sha: local, branch: base, expected: remote })
    return pushed.kind === 'pushed' ? undefined : pushed.reason
  }

  const retarget = async (pull: PullRequestSnapshot, journal: string): Promise<number[]> => {
    const children = await forge.find({ state: 'open', base: pull.head.branch })
    await step(journal, 'retarget', { retargeted: children })
    for (const number of children) await forge.retarget(number, pull.base.branch)
    return children
  }

  /** The store’s side of a merge: the child starts its next work from what was merged, retargeted children have a new base. */
  const record = async (intent: MergeIntent, merged: { sha: string; head: string }) => {
    const agents = await store.agents.list()
    const child = ownerOf(agents, intent.head)
    await store.transaction(async (tx) => {
      if (child !== undefined) await tx.agents.update(child.id, { forkPoint: parseSha(merged.head), stopObjection: null, stopBlocks: 0, rebaseTries: 0 })
      for (const number of intent.retargeted) {
        const known = await tx.snapshots.get(`pull:${number}`)
        const branch = (known?.['snapshot'] as PullRequestSnapshot | undefined)?.head.branch
        const agent = branch === undefined ? undefined : ownerOf(agents, branch)
        if (agent !== undefined) await tx.agents.update(agent.id, { baseBranch: asBranchName(intent.base) })
      }
    })
  }

  /** Brings the merge into the worktree of the base’s agent, where that is a plain fast-forward. */
  const sync = async (base: BranchName): Promise<string | undefined> => {
    try {
      await git.fetch(forge.remote, [base])
      const tip = await git.resolve(`refs/remotes/${forge.remote}/${base}`)
      const worktree = (await git.worktrees()).find((entry) => entry.branch === base && !entry.prunable)
      if (tip === null || worktree === undefined) return `${base} is checked out nowhere`
      const result = await git.fastForward(worktree.path, tip)
      return result.kind === 'synced' ? undefined : result.reason
    } catch (thrown) {
      log.warn({ err: thrown, base }, 'bringing a merge into the worktree failed')
      return thrown instanceof Error ? thrown.message : String(thrown)
    }
  }

  const refuse = (pull: PullRequestSnapshot, result: Exclude<MergeResult, { kind: 'merged' }>): ExomonadError => {
    switch (result.kind) {
      case 'head_changed':
        return new ExomonadError(
          'HEAD_CHANGED',
          `#${pull.number} got new commits (${result.head.slice(0, 8)}) since it was looked at. Look at them (pr_diff), then merge again.`,
          { head: result.head },
        )
      case 'conflict':
        return new ExomonadError(
          'PR_NOT_MERGEABLE',
          `#${pull.number} conflicts with ${pull.base.branch} in ${result.files.join(', ')}. Its agent has to rebase; it is told so at its next stop.`,
          {
            reasons: ['conflict'],
            files: result.files,
          },
        )
      case 'refused':
        return new ExomonadError('PR_NOT_MERGEABLE', `${forge.kind === 'github' ? 'GitHub' : 'The forge'} refuses to merge #${pull.number}: ${result.reason}`, {
          reasons: [result.reason],
        })
      case 'not_open':
        return new ExomonadError('PR_NOT_MERGEABLE', `#${pull.number} is ${result.state} already.`, { reasons: [result.state] })
    }
  }

  const stuck = new Set<string>()

  const mergeNow = async (caller: Caller, input: Parameters<Pulls['merge']>[1], pull: PullRequestSnapshot): Promise<MergedPull> => {
    const agents = await store.agents.list()
    await requireParent(caller, pull, agents)
    const objections = mergeObjections(pull, input.force)
    if (objections.length > 0) {
      const first = objections[0]!
      throw new ExomonadError(first.code, `#${pull.number} can’t be merged: ${objections.map((objection) => objection.reason).join('; ')}.`, {
        reasons: objections.map((objection) => objection.reason),
      })
    }
    const child = ownerOf(agents, pull.head.branch)
    const strategy = input.strategy ?? (child?.kind === 'worker' ? 'squash' : 'merge')
    const by: Actor = actorOf(caller)
    const diverged = await publishBase(pull.base.branch)

    const journal = randomUUID()
    const intent: MergeIntent = {
      number: pull.number,
      head: pull.head.branch,
      base: pull.base.branch,
      by,
      expectedHead: pull.head.sha,
      strategy,
      retargeted: [],
    }
    await store.transaction(async (tx) => {
      await tx.journal.begin({ id: journal, kind: 'merge', step: 'intent', data: intent, startedAt: clock() })
      await publisher.publish({ type: 'merge.started', agentId: child?.id ?? null, actor: by, payload: { ...eventFacts(pull), strategy } }, tx)
    })
    deps.onJournalStep('merge', 'intent')
    let retargeted: number[] = []
    let result: MergeResult
    try {
      retargeted = await retarget(pull, journal)
      result = await forge.merge({
        number: pull.number,
        expectedHead: pull.head.sha,
        strategy,
        by,
        prepared: (sha) => step(journal, 'merge', sha === null ? {} : { prepared: sha }),
      })
      if (result.kind !== 'merged') for (const number of retargeted) await forge.retarget(number, pull.head.branch)
    } catch (thrown) {
      // Whether it happened is not known here: the journal entry stays open and is settled against the remote.
      log.warn({ err: thrown, number: pull.number }, 'merge interrupted')
      stuck.add(journal)
      throw thrown
    }
    if (result.kind !== 'merged') {
      await store.journal.finish(journal, 'undone')
      throw refuse(pull, result)
    }
    await step(journal, 'record')
    await record({ ...intent, retargeted }, result)
    await step(journal, 'sync')
    const pullError = diverged ?? (await sync(pull.base.branch))
    await store.journal.finish(journal, 'done')
    await polling.poll([pull.number, ...retargeted])

    const done = mergedBranches(await knownPulls(store))
    const siblings = agents.filter(
      (agent) => agent.baseBranch === pull.base.branch && agent.id !== child?.id && agent.ownsWorktree && isAlive(agent.state) && !done.has(agent.branch),
    )
    return {
      merged: true,
      sha: result.sha,
      local_synced: pullError === undefined,
      ...(pullError === undefined ? {} : { pull_error: pullError }),
      retargeted,
      siblings_behind: siblings.map((agent) => agent.branch),
      next: nextStep(pull.base.branch, forge.remote, pullError, siblings.length, child),
    }
  }

  return {
    stuck,
    merge: async (caller, input) => {
      await requireForce(caller, input.force)
      const pull = await readPull(forge, input.number)
      requireLookedAt(pull, input.head)
      // Not while its stop check rebases it: the head that was looked at would be merged, and the rebased one replayed onto it.
      return deps.branchLock(pull.head.branch, () => mergeNow(caller, input, pull))
    },

    settle: async (entry) => {
      const intent = entry.data as MergeIntent
      const prepared = intent.prepared === undefined ? null : parseSha(intent.prepared)
      const result = await forge.settleMerge({ number: intent.number, prepared, by: intent.by as Actor })
      if (result.kind === 'unknown') return undefined
      if (result.kind === 'merged') {
        await record(intent, result)
        await sync(asBranchName(intent.base))
        await store.journal.finish(entry.id, 'done')
        return 'done'
      }
      for (const number of intent.retargeted) await forge.retarget(number, asBranchName(intent.head))
      await store.journal.finish(entry.id, 'undone')
      return 'undone'
    },
  }
}

const eventFacts = (pull: PullRequestSnapshot) => ({ number: pull.number, title: pull.title, url: pull.url, head: pull.head.branch, base: pull.base.branch })

function nextStep(base: string, remote: string, pullError: string | undefined, siblings: number, child: Agent | undefined): string {
  const parts: string[] = []
  if (pullError !== undefined) parts.push(`Your worktree does not have the merge (${pullError}): mend that, then \`git pull ${remote} ${base}\`.`)
  if (siblings > 0) parts.push(`${siblings} sibling${siblings === 1 ? '' : 's'} will be rebased at the next stop.`)
  if (child !== undefined && isAlive(child.state)) parts.push(`${child.name} idles: send it more work, or kill it.`)
  return parts.length === 0 ? 'Nothing else to do for this pull request.' : parts.join(' ')
}
