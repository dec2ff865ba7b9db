import { ExomonadError } from '../../../domain/errors.ts'
import type { BranchName, Sha } from '../../../domain/ids.ts'
import type { PullRow } from '../../../domain/forge-rows.ts'
import type { PullRequestSnapshot, SnapshotResult } from '../forge.ts'
import type { Branches } from '../branches.ts'
import type { CheckedHead, Checks } from './checks.ts'
import type { createMergeFacts, MergeFacts } from './merge-facts.ts'
import type { Merging } from './merge.ts'
import type { LocalForgeOptions } from './options.ts'
import { actorName } from '../actor-name.ts'
import { publishMergedHere } from './merged-here.ts'
import { createSameWork, judgeReviews } from '../review-decision.ts'
import { unreadable } from '../unreadable.ts'
import { toReview } from './reviews.ts'
import { pullUrl } from './urls.ts'

type Mergeability = Pick<PullRequestSnapshot, 'mergeable' | 'conflictFiles'>

/** An open one, with what the remote says of its branches. */
interface Open {
  readonly row: PullRow
  readonly head: Sha
  readonly base: Sha | null
}

/**
 * Looks at rows and remote together: the remote is asked once for all, moved heads are recorded, an
 * open pull request whose commits are in its base was merged by a push, and heads without a check
 * get one. A remote that fails makes open ones unknown; ended ones need no remote.
 */
export function createSnapshots({
  git,
  store,
  remote,
  clock,
  log,
  branches,
  checks,
  merging,
  mergeFacts,
  ended,
}: Pick<LocalForgeOptions, 'git' | 'store' | 'remote' | 'clock' | 'log'> & {
  branches: Branches
  checks: Checks
  merging: Pick<Merging, 'underWay'>
  mergeFacts: ReturnType<typeof createMergeFacts>
  ended: (pull: PullRow) => Promise<void>
}): (numbers: readonly number[]) => Promise<SnapshotResult[]> {
  const sameWork = createSameWork({ git, snapshots: store.snapshots })

  const mergeability = (facts: MergeFacts | null): Mergeability =>
    facts === null
      ? { mergeable: 'unknown', conflictFiles: [] }
      : {
          mergeable: facts.tree === null ? 'conflicting' : 'mergeable',
          conflictFiles: facts.conflictFiles,
        }

  /**
   * A head in its base was merged by a push past us; a branch that was only reset to its base has
   * lost its commits and stays open.
   */
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
    const reviews = await Promise.all(
      rows.map(async (review) => toReview(review, await actorName(store, review.author))),
    )
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
      ...(await judgeReviews(reviews, {
        head,
        author: row.agentId,
        sameWork: async (reviewed) =>
          base !== null && sameWork.is(row.number, { base, reviewed, head }),
      })),
      comments: [],
      ...checked,
      mergeSha: row.mergeSha,
      mergedBy: row.mergedBy,
      mergedHead: row.mergedHead,
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
    }
  }

  const checksOf = async (
    at: CheckedHead,
  ): Promise<Pick<PullRequestSnapshot, 'checks' | 'checksState' | 'checksRequired'>> => {
    try {
      const { checks: list, state, required } = await checks.of(at)
      return { checks: list, checksState: state, checksRequired: required }
    } catch (error) {
      log.warn({ err: error }, 'the checks could not be read')
      return { checks: [], checksState: 'unknown', checksRequired: true }
    }
  }

  const endedSnapshot = async (row: PullRow): Promise<PullRequestSnapshot> => {
    const head = row.mergedHead ?? row.headSha
    await sameWork.forget(row.number)
    return render(
      row,
      head,
      null,
      { mergeable: 'unknown', conflictFiles: [] },
      await checksOf({ pull: row, head, base: null, tree: null }),
    )
  }

  const openSnapshot = async (
    { row, head, base }: Open,
    facts: MergeFacts | null,
  ): Promise<PullRequestSnapshot> => {
    if (base !== null && facts?.changesNothing === true && (await mergedByPush(row, head, base))) {
      // The lock of a merge that began meanwhile is its row: only an open one is changed.
      const merged = await store.transaction(async (tx) => {
        if (merging.underWay(row.number) || (await tx.pulls.get(row.number))?.state !== 'open')
          return false
        await tx.pulls.update(row.number, {
          state: 'merged',
          mergeSha: base,
          mergedBy: 'forge:push',
          mergedHead: head,
          headSha: head,
          updatedAt: clock(),
        })
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
    const at: CheckedHead = { pull: current, head, base, tree: facts?.tree ?? null }
    await checks
      .ensure(current, at)
      .catch((error: unknown) =>
        log.error({ err: error, number: row.number }, 'a check could not be queued'),
      )
    return render(current, head, base, mergeability(facts), await checksOf(at))
  }

  /**
   * Of many in few processes: commits that are not here are fetched, and all are merged with their
   * bases in objects.
   */
  const readTogether = async (opens: readonly Open[]): Promise<Map<number, MergeFacts | null>> => {
    await branches.bringIn(
      opens.flatMap(({ row, head, base }) => [
        { branch: row.headBranch, sha: head },
        ...(base === null ? [] : [{ branch: row.baseBranch, sha: base }]),
      ]),
    )
    const based = opens.flatMap(({ row, head, base }) =>
      base === null ? [] : [{ row, head, base }],
    )
    const facts = await mergeFacts(based.map(({ head, base }) => [base, head] as const))
    return new Map([
      ...opens.map(({ row }) => [row.number, null] as const),
      ...based.map(({ row }, index) => [row.number, facts[index]!] as const),
    ])
  }

  return async (numbers) => {
    const rows = new Map<number, PullRow | undefined>()
    for (const number of numbers) rows.set(number, await store.pulls.get(number))
    const wanted = [...rows.values()].flatMap((row) =>
      row?.state === 'open' ? [row.headBranch, row.baseBranch] : [],
    )
    const tips: Map<BranchName, Sha> | ExomonadError =
      wanted.length > 0
        ? await branches.tips(wanted).catch((error: unknown) => {
            if (error instanceof ExomonadError) return error
            throw error
          })
        : new Map()

    if (!(tips instanceof ExomonadError)) {
      const open = [...rows.values()].filter(
        (row) => row?.state === 'open' && !merging.underWay(row.number),
      )
      await publishMergedHere(
        { git, remote, log, branches },
        open.filter((row) => row !== undefined),
        tips,
      )
    }
    // A head branch that was taken away leaves the commit last seen, which can still be merged.
    const openOf = (row: PullRow, known: Map<BranchName, Sha>): Open => ({
      row,
      head: known.get(row.headBranch) ?? row.headSha,
      base: known.get(row.baseBranch) ?? null,
    })
    const opens =
      tips instanceof ExomonadError
        ? []
        : [...rows.values()].flatMap((row) => (row?.state === 'open' ? [openOf(row, tips)] : []))
    // One that can’t be read does not keep the others from it: then each is read alone.
    const together = await readTogether(opens).catch((error: unknown) => {
      if (!(error instanceof ExomonadError)) throw error
      return null
    })

    const results: SnapshotResult[] = []
    for (const number of numbers) {
      const row = rows.get(number)
      if (row === undefined) results.push({ number, missing: true })
      else if (row.state !== 'open') results.push({ number, snapshot: await endedSnapshot(row) })
      else if (tips instanceof ExomonadError) results.push({ number, ...unreadable(tips) })
      else {
        try {
          const open = openOf(row, tips)
          const facts = (together ?? (await readTogether([open]))).get(number) ?? null
          results.push({ number, snapshot: await openSnapshot(open, facts) })
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
