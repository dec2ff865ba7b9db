import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import { rebasedHeads } from '../../domain/rebased-heads.ts'
import type { Deps } from '../deps.ts'
import { ownerOf } from '../pulls/merge/settle.ts'
import { pullFacts, type Landing } from './landing.ts'

/** Why one does not land. */
interface Why {
  readonly reason: string
  /** An event of the pull request’s own reports it to whoever asked. */
  readonly reported: boolean
}

/** Gives up what can’t land any more as it was asked. */
export interface GiveUp {
  giveUp(landing: Landing, why: Why): Promise<void>
  /**
   * Those of them that can still land, as they are now; the others are given up. Throws where that
   * can’t be read.
   */
  stillWanted(landings: readonly Landing[]): Promise<Landing[]>
}

export function createGiveUp({
  store,
  forge,
  publisher,
}: Pick<Deps, 'store' | 'forge' | 'publisher'>): GiveUp {
  /**
   * Nothing of it is done any more; the pull request stays as it is. `reported`: another event says
   * so to whoever asked for it.
   */
  const giveUp = async (landing: Landing, { reason, reported }: Why): Promise<void> => {
    await store.transaction(async (tx) => {
      await tx.journal.finish(landing.journal, 'undone')
      const agentId = ownerOf(await tx.agents.list(), landing.intent.head)?.id ?? null
      // Whoever waits for the outcome has it from that.
      const actor = landing.awaited() ? landing.by : 'daemon'
      await publisher.publish(
        {
          type: 'landing.stopped',
          agentId,
          actor,
          payload: { ...pullFacts(landing), reason, told: reported },
        },
        tx,
      )
    })
    landing.ended({ kind: 'stopped', reason })
  }

  /**
   * Why it can’t land as it was asked; a head that exomonad itself rebased it to takes its place.
   */
  const follow = async (landing: Landing, pull: PullRequestSnapshot): Promise<Landing | Why> => {
    if (pull.state !== 'open') return { reason: `it is ${pull.state}`, reported: true }
    if (pull.draft) return { reason: 'it is a draft now', reported: false }
    if (pull.reviewDecision === 'changes_requested')
      return { reason: 'changes were requested meanwhile', reported: false }
    if (pull.base.branch !== landing.base)
      return { reason: `it goes to ${pull.base.branch} now`, reported: true }
    if (pull.head.sha === landing.head) return landing
    const { same } = await rebasedHeads(store.snapshots, pull.head.branch)
    if (same(landing.head, pull.head.sha)) return { ...landing, head: pull.head.sha }
    return {
      reason: `it got new commits (${pull.head.sha.slice(0, 8)}) meanwhile`,
      reported: false,
    }
  }

  const stillWanted = async (landings: readonly Landing[]): Promise<Landing[]> => {
    const found = new Map(
      (await forge.snapshots(landings.map(({ number }) => number))).map((result) => [
        result.number,
        result,
      ]),
    )
    const wanted: Landing[] = []
    for (const landing of landings) {
      const result = found.get(landing.number)
      if (result !== undefined && 'unknown' in result) throw new Error(result.unknown)
      const now =
        result === undefined || 'missing' in result
          ? { reason: 'it is not there any more', reported: false }
          : await follow(landing, result.snapshot)
      if ('reason' in now) await giveUp(landing, now)
      else wanted.push(now)
    }
    return wanted
  }

  return { giveUp, stillWanted }
}
