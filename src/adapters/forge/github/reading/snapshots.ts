import { sharesBranch } from '../../../../domain/agent-kinds.ts'
import { ExomonadError } from '../../../../domain/errors.ts'
import type { Actor, BranchName, Sha } from '../../../../domain/ids.ts'
import type { Agent } from '../../../../domain/records.ts'
import type { Branches } from '../../branches.ts'
import type { PullRequestSnapshot, SnapshotResult } from '../../forge.ts'
import type { GithubClient } from '../client/client.ts'
import type { GithubForgeOptions } from '../options.ts'
import { createSameWork, judgeReviews } from '../../review-decision.ts'
import { unreadable } from '../../unreadable.ts'
import type { MarkSigner } from '../../mark-key.ts'
import type { WriteAccess } from '../write-access.ts'
import type { FullPull, Read } from './answers.ts'
import { createBlockers } from './blockers.ts'
import { createConflicts } from '../../conflicts.ts'
import type { LogEnds } from './checks/log-ends.ts'
import type { PullChecks } from './checks/pull-checks.ts'
import type { ReviewMark } from '../../review-mark.ts'
import { takenBack, type Readers } from './reviews.ts'
import { toScheduled } from './scheduled.ts'
import { baseTip, toSnapshot } from './to-snapshot.ts'
import { createBelieves, trustOf } from './trusted.ts'

/** Makes snapshots of what was read, with what git, the store and the logs of Actions add to it. */
export function createSnapshots({
  git,
  store,
  settings,
  log,
  client,
  branches,
  logEnds,
  checksOf,
  mayWrite,
  signer,
}: Pick<GithubForgeOptions, 'git' | 'store' | 'settings' | 'log'> & {
  client: Pick<GithubClient, 'viewer' | 'rest'>
  branches: Branches
  logEnds: Pick<LogEnds, 'add'>
  checksOf: PullChecks
  mayWrite: WriteAccess
  signer: () => Promise<MarkSigner>
}): (
  numbers: readonly number[],
  reads: ReadonlyMap<number, Read<FullPull>>,
) => Promise<SnapshotResult[]> {
  const conflictsOf = createConflicts({ git, branches })
  const blockersOf = createBlockers({ client })
  const sameWork = createSameWork({ git, snapshots: store.snapshots })

  /**
   * Marks were not signed once, and a store may have lost its key: those of what is known here stay
   * what they were.
   */
  const knownMarks = async (number: number): Promise<(id: string, mark: ReviewMark) => boolean> => {
    const known = (await store.snapshots.get(`pull:${number}`))?.['snapshot'] as
      | Pick<PullRequestSnapshot, 'reviews'>
      | undefined
    return (id, { author, state }) =>
      known?.reviews.some(
        (review) =>
          (review.id === id && review.author === author && review.state === state) ||
          (state === 'commented' &&
            review.comments.some((comment) => comment.id === id && comment.author === author)),
      ) ?? false
  }

  const readersFor = async (
    pull: FullPull,
    agents: readonly Agent[],
    viewer: string,
  ): Promise<Readers> => {
    const names = new Map<string, string>(agents.map(({ id, name }) => [id, name]))
    const { number } = pull.state
    const [{ isSigned }, isKnown] = await Promise.all([signer(), knownMarks(number)])
    return {
      viewer,
      trust: await trustOf(
        [
          pull,
          ...pull.comments,
          ...pull.reviews,
          ...pull.reviews.flatMap(({ comments }) => comments),
        ],
        createBelieves({ viewer, trustedBots: settings().trustedBots, mayWrite }),
      ),
      isOurs: (id, mark, commit) => isSigned(mark, { number, commit }) || isKnown(id, mark),
      nameOf: (actor) => names.get(actor) ?? actor.replace(/^forge:/, ''),
    }
  }

  const judge = (
    { number, reviews, head, base, trusted, agentId }: ReturnType<typeof toSnapshot>,
    silent: ReadonlySet<Actor>,
  ) =>
    judgeReviews(reviews, {
      head: head.sha,
      author: agentId,
      takenBack: silent,
      sameWork: async (reviewed) => {
        if (base.sha === null || !trusted) return false
        await branches.bringIn([head, { branch: base.branch, sha: base.sha }])
        return sameWork.is(number, { base: base.sha, reviewed, head: head.sha })
      },
    })

  const compose = async (
    pull: FullPull,
    agents: readonly Agent[],
    viewer: string,
  ): Promise<PullRequestSnapshot> => {
    const agent = agents.findLast(
      (one) => one.branch === pull.state.headRefName && !sharesBranch(one),
    )
    const found = toSnapshot(pull, {
      ...(await readersFor(pull, agents, viewer)),
      agentId: agent?.id ?? null,
    })
    if (found.state !== 'open') await sameWork.forget(found.number)
    const { checks, ...come } = await checksOf(pull)
    const blockers = await blockersOf(pull, come)
    const plain = checks.map(({ job: _, ...check }) => check)
    return {
      ...found,
      conflictFiles:
        found.mergeable === 'conflicting' && found.trusted ? await conflictsOf(found) : [],
      ...(await judge(found, takenBack(pull.reviews))),
      ...come,
      blockers,
      ...(await toScheduled(pull, logEnds)),
      // Nobody fixes what is merged or closed.
      checks: found.state === 'open' ? await logEnds.add(checks) : plain,
    }
  }

  /**
   * The tip of each base as it was read last: one that moves in between would seem to move back.
   */
  const withLatestTips = (
    reads: ReadonlyMap<number, Read<FullPull>>,
  ): ((pull: FullPull) => FullPull) => {
    const tips = new Map<BranchName, Sha>()
    for (const read of reads.values()) {
      const tip = 'value' in read ? baseTip(read.value.state) : null
      if ('value' in read && tip !== null) tips.set(read.value.state.baseRefName as BranchName, tip)
    }
    return (pull) => {
      const tip =
        baseTip(pull.state) === null ? undefined : tips.get(pull.state.baseRefName as BranchName)
      return tip === undefined
        ? pull
        : { ...pull, state: { ...pull.state, baseRef: { target: { oid: tip } } } }
    }
  }

  return async (numbers, reads) => {
    const latest = withLatestTips(reads)
    const agents = await store.agents.list()
    const results: SnapshotResult[] = []
    let viewer: Promise<string> | undefined
    for (const number of numbers) {
      const read = reads.get(number) ?? { unknown: 'GitHub left it out of its answer' }
      if (!('value' in read)) {
        results.push({ number, ...read })
        continue
      }
      try {
        results.push({
          number,
          snapshot: await compose(latest(read.value), agents, await (viewer ??= client.viewer())),
        })
      } catch (error) {
        if (!(error instanceof ExomonadError)) throw error
        log.info({ err: error, number }, 'a pull request could not be read')
        results.push({ number, ...unreadable(error) })
      }
    }
    return results
  }
}
