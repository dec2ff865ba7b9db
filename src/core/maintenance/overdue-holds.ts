import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import type { StoreTransaction } from '../../adapters/store/store.ts'
import type { Config } from '../../config/schema.ts'
import { sharesBranch } from '../../domain/agent-kinds.ts'
import type { AgentId } from '../../domain/ids.ts'
import { hasProgram, isAlive, isLasting } from '../../domain/lifecycle.ts'
import type { Agent } from '../../domain/records.ts'
import { descendantsOf } from '../agents/tree.ts'
import type { Deps } from '../deps.ts'
import { PULL_PREFIX, type PullRecord } from '../pulls/pull-records.ts'
import { allHeld, holdNoMore } from '../spawn/held-children.ts'
import { openPullOf, unsettledOf } from '../spawn/settled-children.ts'
import { readWaits } from '../tree/waits.ts'
import { isUnheard, stalledAfter } from './silence.ts'

export interface OverdueHolds {
  /** Ends each hold (`wake: "all_settled"`) that is complete, or whose child gave no sign too long. */
  end(config: Pick<Config, 'liveness' | 'attention'>): Promise<void>
}

/**
 * A hold never outlasts its reason: what is to be expected of a child is read from what is stored of
 * it, and where that is wrong, or never comes, nothing else would wake its lead. So a child of
 * which nothing was seen for `attention.stalled_after` (nor of anybody below it, nor of its pull
 * request) is waited for no more, and its lead is notified of that, in one transaction.
 */
export function createOverdueHolds({
  store,
  publisher,
  clock,
  log,
}: Pick<Deps, 'store' | 'publisher' | 'clock' | 'log'>): OverdueHolds {
  const startedAt = clock()

  const endOf = async (
    tx: StoreTransaction,
    lead: AgentId,
    held: readonly AgentId[],
    limit: number,
  ): Promise<void> => {
    const above = await tx.agents.get(lead)
    const unsettled =
      above === undefined || !isAlive(above.state) ? [] : await unsettledOf(tx, held)
    if (unsettled.length === 0) {
      for (const child of held) await holdNoMore(tx, child)
      return
    }
    // It is told in the inbox, where nothing is held back.
    if (above?.kind === 'root' && !hasProgram(above)) return
    const signs = await readSigns(tx)
    for (const child of unsettled) {
      const quiet = clock() - signs.lastOf(child)
      if (quiet < limit) continue
      await holdNoMore(tx, child.id)
      await publisher.publish(
        {
          type: 'agent.unsettled',
          agentId: child.id,
          actor: 'daemon',
          payload: {
            name: child.name,
            minutes: Math.round(quiet / 60_000),
            why: await signs.whyOf(child),
          },
        },
        tx,
      )
    }
  }

  return {
    end: async (config) => {
      const limit = stalledAfter(config)
      if (isUnheard(startedAt, clock(), limit)) return
      for (const lead of (await allHeld(store)).keys())
        await store
          .transaction(async (tx) => {
            const held = (await allHeld(tx)).get(lead) ?? []
            await endOf(tx, lead, held, limit)
          })
          .catch((thrown: unknown) => log.error({ err: thrown, lead }, 'a hold could not be ended'))
    },
  }
}

/** What is known of how children go on. */
async function readSigns(tx: StoreTransaction) {
  const agents = await tx.agents.list()
  const records = [...(await tx.snapshots.list(PULL_PREFIX)).values()] as unknown as PullRecord[]
  const pulls = records.map(({ snapshot }) => snapshot)
  const progress = new Map(records.map(({ snapshot, tracking }) => [snapshot.number, tracking]))
  const pullOf = (agent: Agent): PullRequestSnapshot | undefined =>
    sharesBranch(agent) ? undefined : openPullOf(agent, pulls)

  const ownSign = (agent: Agent): number => {
    const pull = pullOf(agent)
    const moved = pull === undefined ? 0 : (progress.get(pull.number)?.progressAt ?? 0)
    return Math.max(agent.lastSeenAt, moved, pull?.updatedAt ?? 0)
  }

  return {
    /** When (ms since the epoch) it, or anybody alive below it, last showed that it goes on. */
    lastOf: (child: Agent): number => {
      const below = descendantsOf(agents, child.id).filter(
        (one) => isAlive(one.state) && isLasting(one),
      )
      return Math.max(...[child, ...below].map(ownSign))
    },
    /** Why it counts as unsettled, in words. */
    whyOf: async (child: Agent): Promise<string> => {
      const waits = (await readWaits(tx, agents))(child)
      if (waits.length > 0) return `it waits for ${waits.map(({ what }) => what).join(', ')}`
      const pull = pullOf(child)
      switch (child.state) {
        case 'spawning':
          return 'it is still being started'
        case 'unknown':
          return 'what it does can’t be determined'
        case 'running':
          return 'it works and shows nothing of it'
        default:
          return pull === undefined
            ? 'it rests, and nothing is known that it waits for'
            : `it rests, and #${pull.number} ${lacking(pull)}`
      }
    },
  }
}

function lacking(pull: PullRequestSnapshot): string {
  if (pull.draft) return 'is a draft'
  if (pull.mergeable === 'conflicting') return 'conflicts with its base'
  if (pull.checksState === 'failed') return 'has failed checks'
  if (pull.reviewDecision === 'changes_requested') return 'has a change request'
  return 'can’t be merged yet'
}
