import { ExomonadError } from '../../../domain/errors.ts'
import type { Actor, Sha } from '../../../domain/ids.ts'
import type { PullRow } from '../../../domain/forge-rows.ts'
import type { Forge } from '../forge.ts'
import { goesElsewhere, type MergeResult } from '../merging.ts'
import type { Branches } from '../branches.ts'
import { createMergeCommit } from './merge-commit.ts'
import type { createMergeFacts } from './merge-facts.ts'
import type { LocalForgeOptions } from './options.ts'
import { createSerial } from '../serial.ts'
import { requirePull } from './urls.ts'

/** How often a base that keeps moving is tried anew. */
const TRIES = 20

export interface Merging extends Pick<Forge, 'merge' | 'settleMerge'> {
  /** Being merged here now: what a look at the remote finds of it is our own doing. */
  readonly underWay: (number: number) => boolean
  /** Lands several by one push, which `push` makes, and marks them merged. */
  readonly markLanded: (
    numbers: readonly number[],
    push: () => Promise<'base_moved' | readonly Landed[]>,
  ) => Promise<'landed' | 'base_moved'>
}

interface Landed {
  readonly pull: PullRow
  readonly sha: Sha
  readonly head: Sha
  readonly by: Actor
}

/**
 * Per try: read both tips, make the commit in objects, notify the caller (who journals it), push it
 * where the base is still what was read. The row follows the push; a crash in between is settled by
 * looking whether the remote’s base contains the prepared commit.
 */
export function createMerging({
  git,
  gate,
  store,
  remote,
  clock,
  branches,
  mergeFacts,
  ended,
}: Pick<LocalForgeOptions, 'git' | 'gate' | 'store' | 'remote' | 'clock'> & {
  branches: Branches
  mergeFacts: ReturnType<typeof createMergeFacts>
  ended: (pull: PullRow) => Promise<void>
}): Merging {
  const makeCommit = createMergeCommit({ git, gate })
  /** In one process merges wait for each other instead of spoiling each other’s tries. */
  const oneAtATime = createSerial()
  const active = new Set<number>()

  const markMerged = async (
    pull: PullRow,
    sha: Sha,
    head: Sha,
    by: Actor,
  ): Promise<MergeResult> => {
    await store.pulls.update(pull.number, {
      state: 'merged',
      mergeSha: sha,
      mergedBy: by,
      mergedHead: head,
      headSha: head,
      updatedAt: clock(),
    })
    await ended(pull)
    return { kind: 'merged', sha, head }
  }

  const tryOnce = async (
    options: Parameters<Forge['merge']>[0],
  ): Promise<MergeResult | 'base_moved'> => {
    const pull = await requirePull(store, options.number)
    if (pull.state !== 'open') return { kind: 'not_open', state: pull.state }
    if (pull.baseBranch !== options.expectedBase) return goesElsewhere(pull.baseBranch)
    const tips = await branches.tips([pull.headBranch, pull.baseBranch])
    const head = tips.get(pull.headBranch) ?? pull.headSha
    if (head !== options.expectedHead) return { kind: 'head_changed', head }
    const base = tips.get(pull.baseBranch)
    if (base === undefined) {
      throw new ExomonadError(
        'GIT_FAILED',
        `#${pull.number} can’t be merged: ${remote} has no branch ${pull.baseBranch}. Push it first.`,
        {
          base: pull.baseBranch,
        },
      )
    }
    await branches.bringIn([
      { branch: pull.headBranch, sha: head },
      { branch: pull.baseBranch, sha: base },
    ])
    // What would change something is not in the base.
    const [facts] = await mergeFacts([[base, head]])
    if (facts?.changesNothing === true && (await git.isAncestor(head, base)))
      return markMerged(pull, base, head, options.by)
    const commit = await makeCommit(options.strategy, {
      pull,
      base,
      head,
      message: options.message,
    })
    if (commit.kind === 'conflict') return commit
    if (pull.headSha !== head)
      await store.pulls.update(pull.number, { headSha: head, updatedAt: clock() })
    await options.prepared(commit.sha)
    const pushed = await git.push(remote, {
      sha: commit.sha,
      branch: pull.baseBranch,
      expected: base,
    })
    if (pushed.kind === 'pushed') return markMerged(pull, commit.sha, head, options.by)
    if ((await git.remoteTip(remote, pull.baseBranch)) !== base) return 'base_moved'
    throw new ExomonadError(
      'GIT_FAILED',
      `${remote} refused the merge of #${pull.number} into ${pull.baseBranch}: ${pushed.reason}`,
      { number: pull.number },
    )
  }

  return {
    underWay: (number) => active.has(number),

    merge: (options) =>
      oneAtATime(async () => {
        active.add(options.number)
        try {
          for (let tries = 0; tries < TRIES; tries++) {
            const result = await tryOnce(options)
            if (result !== 'base_moved') return result
          }
          throw new ExomonadError(
            'GIT_FAILED',
            `The base of #${options.number} moved ${TRIES} times while it was being merged. Try again.`,
            {
              number: options.number,
            },
          )
        } finally {
          active.delete(options.number)
        }
      }),

    markLanded: (numbers, push) =>
      oneAtATime(async () => {
        for (const number of numbers) active.add(number)
        try {
          const landed = await push()
          if (landed === 'base_moved') return landed
          for (const { pull, sha, head, by } of landed) await markMerged(pull, sha, head, by)
          return 'landed'
        } finally {
          for (const number of numbers) active.delete(number)
        }
      }),

    settleMerge: ({ number, prepared, head, by }) =>
      oneAtATime(async () => {
        const pull = await requirePull(store, number)
        if (pull.state === 'merged')
          return {
            kind: 'merged',
            sha: pull.mergeSha ?? prepared ?? pull.headSha,
            head: pull.mergedHead ?? pull.headSha,
          }
        if (pull.state === 'closed') return { kind: 'not_open', state: 'closed' }
        if (prepared === null || (await git.resolve(prepared)) === null)
          return { kind: 'not_merged' }
        try {
          const base = await git.remoteTip(remote, pull.baseBranch)
          if (base === null) return { kind: 'not_merged' }
          await branches.bringIn([{ branch: pull.baseBranch, sha: base }])
          return (await git.isAncestor(prepared, base))
            ? await markMerged(pull, prepared, head ?? pull.headSha, by)
            : { kind: 'not_merged' }
        } catch (error) {
          if (
            error instanceof ExomonadError &&
            (error.code === 'FORGE_UNAVAILABLE' || error.code === 'FORGE_DENIED')
          )
            return { kind: 'unknown', reason: error.message }
          throw error
        }
      }),
  }
}
