import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { shortAddresses } from '../../domain/addresses.ts'
import type { AgentId } from '../../domain/ids.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import type { Agent } from '../../domain/records.ts'
import type { ChangedNode, TreeChanges } from '../agents/tree-document.ts'
import type { Deps } from '../deps.ts'
import type { OpenWaits } from '../mail/open-waits.ts'
import { forgeView } from '../pulls/forge-view.ts'
import { createKeptFacts, type KeptFacts } from './kept-facts.ts'
import { nodeDocument, type NodeFacts } from './node-document.ts'
import { indexTree, type TreeIndex } from './tree-index.ts'

/** What is kept goes when nobody asked for so long. */
const IDLE_MILLISECONDS = 10 * 60 * 1000
/** Agents out of sight that are remembered for `removed`; who last asked before gets everything. */
const REMOVED = 2000

interface KeptNode {
  readonly facts: NodeFacts
  readonly under: AgentId | null
  readonly document: ChangedNode
  /** The revision that brought this document. */
  readonly revision: number
}

/**
 * What of the tree changed since a client read it last. Documents are pure functions of their facts
 * (node-document.ts), kept between reads with the revision that brought them, in memory alone:
 * whoever names a revision of another daemon, or of before a pause, is given everything. Nothing is
 * decided by it.
 */
export function createTreeChanges(
  deps: Pick<Deps, 'store' | 'touches' | 'forge' | 'paths' | 'clock' | 'settings'> & {
    openWaits: Pick<OpenWaits, 'of'>
  },
): (since?: string) => Promise<TreeChanges> {
  const { store, touches, forge, paths, clock, settings, openWaits } = deps
  let kept: ReturnType<typeof createKeptTree> | undefined
  let idle: NodeJS.Timeout | undefined
  let last: Promise<unknown> = Promise.resolve()

  const forget = (): void => {
    kept?.facts.stop()
    kept = undefined
  }

  const read = async (since: string | undefined): Promise<TreeChanges> => {
    clearTimeout(idle)
    idle = setTimeout(forget, IDLE_MILLISECONDS).unref()
    const tree = (kept ??= createKeptTree(createKeptFacts(store, touches, settings)))
    const facts = await tree.facts.read()
    const forgeNow = await forgeView(forge, store)
    const now = clock()
    const index = indexTree(facts, openWaits, tree.short(facts.agents))
    return {
      ...tree.advance(index, since, now),
      at: now,
      repository: paths.home,
      counts: index.counts,
      inbox: index.inbox,
      forge: forgeNow,
      unfinished: index.unfinished(now),
    }
  }

  // One after the other: two that come together would both read what the first already did.
  return (since) => {
    const mine = last.then(() => read(since))
    last = mine.catch(() => undefined)
    return mine
  }
}

function createKeptTree(facts: KeptFacts) {
  const instance = randomUUID().slice(0, 8)
  const nodes = new Map<AgentId, KeptNode>()
  const removed = new Map<AgentId, number>()
  const orders = createOrders()
  let revision = 1
  /** Before this not all that was removed is remembered. */
  let oldest = 0
  let addressed: { readonly key: string; readonly short: ReadonlyMap<string, string> } | undefined

  /** Whether anything is another than at the last read; documents and revisions follow. */
  const follow = (index: TreeIndex, now: number): void => {
    const next = revision + 1
    let changed = false
    const ranks = orders(index.shown)
    for (const agent of index.shown) {
      const facts = index.factsOf(agent)
      const under = index.under(agent)
      const order = ranks.get(agent.id) ?? 0
      const before = nodes.get(agent.id)
      const isSame =
        before !== undefined && before.under === under && before.document.order === order
      if (isSame && isSameFacts(before.facts, facts)) continue
      // As it would have been then: what differs is more than its age.
      if (isSame && isAsBefore(before, facts)) {
        nodes.set(agent.id, { ...before, facts })
        continue
      }
      const document = { ...nodeDocument(facts, now), under, order, at: now }
      nodes.set(agent.id, { facts, under, document, revision: next })
      removed.delete(agent.id)
      changed = true
    }
    if (nodes.size > index.shown.length) {
      const shown = new Set(index.shown.map(({ id }) => id))
      for (const id of nodes.keys()) {
        if (shown.has(id)) continue
        nodes.delete(id)
        removed.set(id, next)
        changed = true
      }
    }
    for (const [id, at] of removed) {
      if (removed.size <= REMOVED) break
      removed.delete(id)
      oldest = at
    }
    if (changed) revision = next
  }

  return {
    facts,
    /** Worked out anew only where something that addresses are made of is another. */
    short: (agents: readonly Agent[]): ReadonlyMap<string, string> => {
      const key = agents
        .map(({ id, name, branch, state, reapedAt }) =>
          [id, name, branch, isAlive(state), reapedAt === null].join('\n'),
        )
        .join('\n')
      if (addressed?.key !== key) addressed = { key, short: shortAddresses(agents) }
      return addressed.short
    },
    advance: (
      index: TreeIndex,
      since: string | undefined,
      now: number,
    ): Pick<TreeChanges, 'revision' | 'complete' | 'nodes' | 'removed'> => {
      follow(index, now)
      const [of, number] = (since ?? '').split('.')
      const known = of === instance && /^\d+$/.test(number ?? '') ? Number(number) : -1
      const complete = known < oldest || known > revision || known < 1
      const newer = [...nodes.values()].filter((node) => complete || node.revision > known)
      return {
        revision: `${instance}.${revision}`,
        complete,
        nodes: newer.map(({ document }) => document),
        removed: complete ? [] : [...removed].flatMap(([id, at]) => (at > known ? [id] : [])),
      }
    },
  }
}

/** Ascending numbers in the order of the tree, which stay with their agents. */
function createOrders(): (agents: readonly Agent[]) => ReadonlyMap<AgentId, number> {
  const ranks = new Map<AgentId, number>()
  let next = 0
  return (agents) => {
    let last = -1
    for (const { id } of agents) {
      const rank = ranks.get(id) ?? next++
      ranks.set(id, rank)
      if (rank < last) {
        // One came in between: all are counted anew.
        ranks.clear()
        for (const agent of agents) ranks.set(agent.id, next++)
        break
      }
      last = rank
    }
    return ranks
  }
}

const isAsBefore = ({ document }: KeptNode, facts: NodeFacts): boolean => {
  const { under: _under, order: _order, at, ...before } = document
  return isDeepStrictEqual(nodeDocument(facts, at), before)
}

/** Cheap, and never true where the document is another. */
function isSameFacts(one: NodeFacts, other: NodeFacts): boolean {
  return (
    one.agent === other.agent &&
    one.pull === other.pull &&
    one.prices === other.prices &&
    one.short === other.short &&
    one.undelivered === other.undelivered &&
    one.undecided === other.undecided &&
    one.unread === other.unread &&
    one.openQuestions === other.openQuestions &&
    one.items === other.items &&
    one.turn === other.turn &&
    isDeepStrictEqual(one.landing, other.landing) &&
    isDeepStrictEqual(one.waitingFor, other.waitingFor) &&
    isDeepStrictEqual(one.waits, other.waits) &&
    isDeepStrictEqual(one.conflicts, other.conflicts)
  )
}
