import { ExomonadError } from '../../../errors.ts'
import type { BranchName, Sha } from '../../../ids.ts'
import type { PullRow } from '../../store/store.ts'
import type { PullRequestSnapshot, SnapshotResult } from '../forge.ts'
import type { Branches } from '../branches.ts'
import type { Checks } from './checks.ts'
import type { Merging } from './merge.ts'
import type { LocalForgeOptions } from './options.ts'
import { actorName } from '../actor-name.ts'
import { createSameWork, reviewDecision } from '../review-decision.ts'
import { unreadable } from '../unreadable.ts'
import { toReview } from './reviews.ts'
import { pullUrl } from './urls.ts'

type Mergeability = Pick<PullRequestSnapshot, 'mergeable' | 'conflictFiles'>

/**
 * Looks at rows and remote together: the remote is asked once for all, moved heads are recorded, an open pull request whose commits are in its
 * base was merged by a push, and heads without a check get one. A remote that fails makes open ones unknown; ended ones need no remote.
 */
export function createSnapshots({
  git,
  store,
  clock,
  log,
  branches,
  checks,
  merging,
  ended,
}: Pick<LocalForgeOptions, 'git' | 'store' | 'clock' | 'log'> & {
  branches: Branches
  checks: Checks
  merging: Pick<Merging, 'underWay'>
  ended: (pull: PullRow) => Promise<void>
}): (numbers: readonly number[]) => Promise<SnapshotResult[]> {
  const mergeabilities = new Map<string, Mergeability>()
  const sameWork = createSameWork(git)

  const mergeability = async (head: Sha, base: Sha): Promise<Mergeability> => {
    const key = `${base} ${head}`
    const known = mergeabilities.get(key)
    if (known !== undefined) return known
    const merged = await git.mergeTree(base, head)
    const answer: Mergeability =
      merged.kind === 'clean' ? { mergeable: 'mergeable', conflictFiles: [] } : { mergeable: 'conflicting', conflictFiles: merged.files }
    if (mergeabilities.size > 5_000) mergeabilities.clear()
    mergeabilities.set(key, answer)
    return answer
  }

  /** A head in its base was merged by a push past us; a branch that was only reset to its base has lost its commits and stays open. */
  const mergedByPush = async (row: PullRow, head: Sha, base: Sha): Promise<boolean> => {
    if (merging.underWay(row.number) || !(await git.isAncestor(head, base))) return false
    return head === row.headSha || (await git.isMerged(row.headSha, base))
  }

  const render = async (
    row: PullRow,
    head: Sha,
    base: Sha | null,
    state: Mergeability,
    checked: Pick<PullRequestSnapshot, 'checks' | 'checksState' | 'checksRequired'>,
  ): Promise<PullRequestSnapshot> => {
    const rows = await store.pulls.reviews(row.number)
    const reviews = await Promise.all(rows.map(async (review) => toReview(review, await actorName(store, review.author))))
    return {
      number: row.number,
      url: pullUrl(row.number),
      title: row.title,
      body: row.body,
      state: row.state,
      draft: row.draft,
      head: { branch: row.headBranch, sha: head },
      base: { branch: row.baseBranch, sha: base },
      // Whoever files here runs on this machine as this user.
      trusted: true,
      agentId: row.agentId,
      ...state,
      reviewDecision: await reviewDecision(reviews, head, async (reviewed) => base !== null && sameWork(base, reviewed, head)),
      reviews,
      comments: [],
      ...checked,
      mergeSha: row.mergeSha,
      mergedBy: row.mergedBy,
      mergedHead: row.mergedHead,
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
    }
  }

  const checksOf = async (head: Sha): Promise<Pick<PullRequestSnapshot, 'checks' | 'checksState' | 'checksRequired'>> => {
    try {
      const { checks: list, state, required } = await checks.of(head)
      return { checks: list, checksState: state, checksRequired: required }
    } catch (error) {
      log.warn({ err: error }, 'the checks could not be read')
      return { checks: [], checksState: 'unknown', checksRequired: true }
    }
  }

  const endedSnapshot = async (row: PullRow): Promise<PullRequestSnapshot> => {
    const head = row.mergedHead ?? row.headSha
    return render(row, head, null, { mergeable: 'unknown', conflictFiles: [] }, await checksOf(head))
  }

  const openSnapshot = async (row: PullRow, tips: Map<BranchName, Sha>): Promise<PullRequestSnapshot> => {
    // A head branch that was taken away leaves the commit last seen, which can still be merged.
    const head = tips.get(row.headBranch) ?? row.headSha
    const base = tips.get(row.baseBranch) ?? null
    await branches.bringIn([{ branch: row.headBranch, sha: head }, ...(base === null ? [] : [{ branch: row.baseBranch, sha: base }])])

    if (base !== null && (await mergedByPush(row, head, base))) {
      // The lock of a merge that began meanwhile is its row: only an open one is changed.
      const merged = await store.transaction(async (tx) => {
        if (merging.underWay(row.number) || (await tx.pulls.get(row.number))?.state !== 'open') return false
        await tx.pulls.update(row.number, { state: 'merged', mergeSha: base, mergedBy: 'forge:push', mergedHead: head, headSha: head, updatedAt: clock() })
        return true
      })
      if (merged) await ended(row)
      return endedSnapshot((await store.pulls.get(row.number)) ?? row)
    }
    let current = row
    if (head !== row.headSha) {
      current = { ...row, headSha: head, updatedAt: clock() }
      await store.pulls.update(row.number, { headSha: head, updatedAt: current.updatedAt })
    }
    await checks.ensure(current, head).catch((error: unknown) => log.error({ err: error, number: row.number }, 'a check could not be queued'))
    const state: Mergeability = base === null ? { mergeable: 'unknown', conflictFiles: [] } : await mergeability(head, base)
    return render(current, head, base, state, await checksOf(head))
  }

  return async (numbers) => {
    const rows = new Map<number, PullRow | undefined>()
    for (const number of numbers) rows.set(number, await store.pulls.get(number))
    const anyOpen = [...rows.values()].some((row) => row?.state === 'open')
    const tips: Map<BranchName, Sha> | ExomonadError = anyOpen
      ? await branches.tips().catch((error: unknown) => {
          if (error instanceof ExomonadError) return error
          throw error
        })
      : new Map()

    const results: SnapshotResult[] = []
    for (const number of numbers) {
      const row = rows.get(number)
      if (row === undefined) results.push({ number, missing: true })
      else if (row.state !== 'open') results.push({ number, snapshot: await endedSnapshot(row) })
      else if (tips instanceof ExomonadError) results.push({ number, ...unreadable(tips) })
      else {
        try {
          results.push({ number, snapshot: await openSnapshot(row, tips) })
        } catch (error) {
          if (!(error instanceof ExomonadError)) throw error
          log.warn({ err: error, number }, 'a pull request could not be read')
          results.push({ number, ...unreadable(error) })
        }
      }
    }
    return results
  }
}
