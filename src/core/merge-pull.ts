import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { MergeResult, PullRequestSnapshot } from '../adapters/forge/forge.ts'
import type { Agent, JournalEntry } from '../adapters/store/store.ts'
import { ExomonadError } from '../errors.ts'
import type { Actor } from '../ids.ts'
import type { BranchLock } from './branch-lock.ts'
import type { Caller, MergedPull, Pulls } from './core.ts'
import type { Deps } from './deps.ts'
import { actorOf } from './directory.ts'
import { isAlive } from './lifecycle.ts'
import { createMergeBase } from './merge-base.ts'
import { createWriteStep, type MergeIntent } from './merge-journal.ts'
import { mergeRefusal } from './merge-refusal.ts'
import { createRetargeting } from './merge-retarget.ts'
import { mergeObjections } from './merge-rules.ts'
import { createMergeSettling, forgeOf, ownerOf } from './merge-settle.ts'
import { knownPulls, mergedBranches } from './pull-records.ts'
import { readPull, requireLookedAt } from './pull-views.ts'
import type { BranchPush } from './push-branch.ts'

export interface MergePull {
  readonly merge: Pulls['merge']
  /** After a crash: finishes a merge that reached the remote, takes back the retargeting of one that didn’t. Undefined: can’t be told yet. */
  settle(entry: JournalEntry): Promise<'done' | 'undone' | undefined>
  /** Journal ids of merges whose outcome this process doesn’t know: the remote failed in the middle. */
  readonly stuck: ReadonlySet<string>
}

/** How long the settling of one merge is waited for; it goes on in the background. Milliseconds. */
const PATIENCE = 5_000

/** Merges, journaled step by step (merge-journal.ts), so that a crash or a lost answer leaves a pull request merged or as it was. */
export function createMergePull(
  deps: Pick<Deps, 'store' | 'git' | 'forge' | 'polling' | 'settings' | 'publisher' | 'clock' | 'log' | 'onJournalStep'> & {
    branchLock: BranchLock
    branchPush: BranchPush
  },
): MergePull {
  const { store, forge, polling, settings, publisher, clock, log } = deps
  const step = createWriteStep(deps)
  const base = createMergeBase(deps)
  const retargeting = createRetargeting(deps)
  const settling = createMergeSettling({ ...deps, step, base, retargeting })
  const stuck = new Set<string>()
  /** Journal ids whose settling is under way. */
  const beingSettled = new Set<string>()

  /** Only the parent of the pull request’s agent; the human anywhere. */
  const requireParent = async (caller: Caller, pull: PullRequestSnapshot, author: Agent | undefined) => {
    const { protected_branches: protectedBranches } = await settings.config()
    if (caller.kind === 'human') return
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

  const requireMergeable = (pull: PullRequestSnapshot, force: boolean) => {
    const objections = mergeObjections(pull, force)
    const [first] = objections
    if (first === undefined) return
    throw new ExomonadError(first.code, `#${pull.number} can’t be merged: ${objections.map((objection) => objection.reason).join('; ')}.`, {
      reasons: objections.map((objection) => objection.reason),
    })
  }

  /** Whether the forge’s copy of the head goes after the merge: of an agent’s own branch, where configured. */
  const deletesHead = async (child: Agent | undefined): Promise<boolean> =>
    forge.kind === 'github' && child?.ownsWorktree === true && !child.adopted && (await settings.config()).forge.github.delete_branch

  /** The forge’s part, journaled. A merge that it refused is taken back; throws where nobody knows. */
  const mergeThere = async (journal: string, intent: MergeIntent, pull: PullRequestSnapshot): Promise<{ result: MergeResult; retargeted: number[] }> => {
    // Branches of forks bear any name; what is based on ours has nothing to do with them.
    const children = pull.trusted ? await retargeting.onto(pull.head.branch) : []
    await step(journal, 'retarget', { retargeted: children })
    await retargeting.move(children, pull.base.branch)
    const result = await forge.merge({
      number: pull.number,
      expectedHead: pull.head.sha,
      strategy: intent.strategy,
      by: intent.by as Actor,
      prepared: (sha) => step(journal, 'merge', sha === null ? {} : { prepared: sha }),
    })
    if (result.kind !== 'merged') {
      await retargeting.move(children, pull.head.branch)
      await store.journal.finish(journal, 'undone')
    }
    return { result, retargeted: children }
  }

  /** An answer that was lost: asked for at once, and where that fails too, at each reconciliation. */
  const settleNow = async (journal: string, thrown: unknown) => {
    log.warn({ err: thrown, journal }, 'merge interrupted')
    const entry = await store.journal.get(journal)
    const settled = entry === undefined ? null : await settling.settle(entry).catch(() => null)
    if (settled === null) stuck.add(journal)
    if (settled?.kind !== 'merged' || entry === undefined) throw thrown
    return { ...settled, retargeted: [...(entry.data as MergeIntent).retargeted] }
  }

  const mergeNow = async (caller: Caller, input: Parameters<Pulls['merge']>[1], pull: PullRequestSnapshot): Promise<MergedPull> => {
    const agents = await store.agents.list()
    const child = pull.trusted ? ownerOf(agents, pull.head.branch) : undefined
    await requireParent(caller, pull, child)
    requireMergeable(pull, input.force)
    const strategy = input.strategy ?? (child?.kind === 'worker' ? 'squash' : 'merge')
    const by: Actor = actorOf(caller)
    const unpublished = await base.publish(pull.base.branch, ownerOf(agents, pull.base.branch))

    const journal = randomUUID()
    const intent: MergeIntent = {
      forge: await forgeOf(forge),
      number: pull.number,
      head: pull.head.branch,
      base: pull.base.branch,
      by,
      expectedHead: pull.head.sha,
      strategy,
      trusted: pull.trusted,
      retargeted: [],
      deletes: await deletesHead(child),
    }
    await store.transaction(async (tx) => {
      await tx.journal.begin({ id: journal, kind: 'merge', step: 'intent', data: intent, startedAt: clock() })
      await publisher.publish({ type: 'merge.started', agentId: child?.id ?? null, actor: by, payload: { ...eventFacts(pull), strategy } }, tx)
    })
    deps.onJournalStep('merge', 'intent')

    const finish = async () => {
      const { result, retargeted } = await mergeThere(journal, intent, pull)
      if (result.kind !== 'merged') return { kind: 'refused' as const, result }
      return { kind: 'merged' as const, merged: result, retargeted, pullError: await settling.complete(journal, { ...intent, retargeted }, result) }
    }
    const done = await finish().catch((thrown: unknown) => settleNow(journal, thrown))
    if (done.kind === 'refused') throw mergeRefusal(forge, pull, done.result)
    await polling.poll([pull.number, ...done.retargeted])

    const pullError = unpublished ?? done.pullError
    const over = mergedBranches(await knownPulls(store))
    const siblings = agents.filter(
      (agent) => agent.baseBranch === pull.base.branch && agent.id !== child?.id && agent.ownsWorktree && isAlive(agent.state) && !over.has(agent.branch),
    )
    return {
      merged: true,
      sha: done.merged.sha,
      local_synced: pullError === undefined,
      ...(pullError === undefined ? {} : { pull_error: pullError }),
      retargeted: done.retargeted,
      siblings_behind: siblings.map((agent) => agent.branch),
      next: nextStep(pull.base.branch, forge.remote, pullError, siblings.length, child),
    }
  }

  const settle = async (entry: JournalEntry): Promise<'done' | 'undone' | undefined> => {
    const settled = await settling.settle(entry)
    if (settled === null) return undefined
    stuck.delete(entry.id)
    if (settled.kind === 'merged') await polling.poll([Number(entry.data['number'])])
    return settled.kind === 'merged' ? 'done' : 'undone'
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
      if (beingSettled.has(entry.id)) return undefined
      beingSettled.add(entry.id)
      const done = settle(entry).finally(() => beingSettled.delete(entry.id))
      if (forge.kind === 'local') return done
      // A GitHub that hangs holds up neither the daemon’s start nor other upkeep.
      done.catch((thrown: unknown) => log.warn({ err: thrown, journal: entry.id }, 'a merge could not be settled; it is tried again'))
      return Promise.race([done, pause(PATIENCE, undefined, { ref: false })])
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
