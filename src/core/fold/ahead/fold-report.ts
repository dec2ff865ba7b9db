import type { MergeChain, MergeLink, MergeResults } from '../../../adapters/forge/merge-results.ts'
import type { StoreTransaction } from '../../../adapters/store/store.ts'
import type { Deps } from '../../deps.ts'
import { ownerOf } from '../../pulls/merge/settle.ts'
import type { Candidate } from './candidates.ts'
import type { Collected } from './chain.ts'
import type { Explained, GuiltySet } from './explain.ts'
import {
  TREES_KEPT,
  writeFold,
  type Ejected,
  type FoldLink,
  type FoldRecord,
  type FoldState,
  type LinkState,
} from './fold-record.ts'

/** What a link is shown to be while the whole is in a state. */
const SHOWN: Partial<Record<FoldState, LinkState>> = { testing: 'testing', green: 'green' }

/** The end of what a red run wrote, and where all of it is. */
interface RunLog {
  readonly log: string
  readonly log_url: string | null
}

/** Records what is known of a chain, lets it count for its pull requests, and reports it. */
export function createFoldReport({
  store,
  publisher,
  results,
  clock,
  onJournalStep,
}: Pick<Deps, 'store' | 'publisher' | 'clock' | 'onJournalStep'> & {
  results: Pick<MergeResults, 'known' | 'count'>
}) {
  const linksOf = async (
    { record, candidates, chain, conflicting }: Collected,
    state: FoldState,
  ): Promise<FoldLink[]> => {
    const before = new Map(record.links.map((link) => [`${link.number}:${link.head}`, link]))
    const facts = ({ number, head, title, branch }: Candidate) => ({
      ...{ number, head, title, branch },
      since: before.get(`${number}:${head}`)?.since ?? clock(),
    })
    const links: FoldLink[] = []
    for (const [at, candidate] of candidates.entries()) {
      const link = chain.links[at]!
      const known = (await results.known(link.tree)).state
      const isLast = at === candidates.length - 1
      links.push({
        ...facts(candidate),
        ...{ sha: link.sha, tree: link.tree },
        state:
          known === 'passed'
            ? 'green'
            : known === 'failed'
              ? 'red'
              : ((isLast ? SHOWN[state] : undefined) ?? 'untested'),
      })
    }
    return [
      ...links,
      ...conflicting.map((one) => ({
        ...facts(one),
        ...{ sha: null, tree: null, state: 'conflict' as const },
      })),
    ]
  }

  const written = async (now: Collected, state: FoldState): Promise<FoldRecord> => {
    const { record } = now
    return {
      ...record,
      state,
      since: record.state === state ? record.since : clock(),
      links: await linksOf(now, state),
    }
  }

  /** What was found counts as the check of each that has none yet. */
  const countFor = async (
    candidates: readonly Candidate[],
    link: MergeLink,
    onto: MergeChain['onto'],
  ): Promise<void> => {
    for (const { number, head, pull } of candidates)
      if (pull?.checksState === 'pending') await results.count({ ...link, number, head }, onto)
  }

  const factsOf = ({ number, title, branch, pull }: Candidate) => ({
    ...{ number, title, url: pull?.url ?? '', head: branch },
  })
  const nameOf = ({ number, title }: Candidate) => ({ number, title })

  /** To each of them, in one transaction with what is remembered of it. */
  const publishRed = async (
    { base }: FoldRecord,
    { candidates, out }: GuiltySet,
    log: RunLog,
    tx: StoreTransaction,
  ): Promise<void> => {
    for (const one of candidates) {
      const [partner, ...others] = candidates.filter((other) => other !== one)
      await publisher.publish(
        {
          type: 'fold.red',
          agentId: one.owner,
          actor: 'daemon',
          payload: {
            ...factsOf(one),
            base,
            partner: partner === undefined ? null : nameOf(partner),
            others: others.map(nameOf),
            out: one === out,
            filed: candidates.every(({ pull }) => pull !== null),
            ...log,
          },
          dedupeKey: `fold-red:${base}:${[one.head, partner?.head ?? '', ...others.map(({ head }) => head)].join(':')}`,
        },
        tx,
      )
    }
    if (out.pull === null) return
    const [partner, ...others] = candidates.filter((other) => other !== out)
    await publisher.publish(
      {
        type: 'fold.ejected',
        agentId: out.owner,
        actor: 'daemon',
        payload: {
          ...factsOf(out),
          base,
          partner: partner === undefined ? null : nameOf(partner),
          others: others.map(nameOf),
        },
        dedupeKey: `fold-ejected:${base}:${candidates.map(({ head }) => head).join(':')}`,
      },
      tx,
    )
  }

  const ejectedOf = ({ candidates, out, link }: GuiltySet): Ejected => {
    const [partner = null, ...others] = candidates
      .filter((other) => other !== out)
      .map(({ number, title, head }) => ({ number, title, head }))
    return {
      ...{ number: out.number, title: out.title, head: out.head, tree: link.tree, at: clock() },
      ...{ partner, others },
    }
  }

  return {
    /** Nothing is known of it yet that was not before. */
    chain: async (now: Collected, state: FoldState): Promise<void> => {
      await writeFold(store.snapshots, await written(now, state))
      onJournalStep('fold', state)
    },

    green: async (now: Collected, last: MergeLink): Promise<void> => {
      const record = await written(now, 'green')
      await store.transaction(async (tx) => {
        await writeFold(tx.snapshots, record)
        await publisher.publish(
          {
            type: 'fold.green',
            agentId: null,
            actor: 'daemon',
            payload: {
              branch: record.base,
              onto: now.chain.onto,
              sha: last.sha,
              pulls: now.candidates.map(nameOf),
            },
            dedupeKey: `fold-green:${record.base}:${last.tree}`,
          },
          tx,
        )
      })
      onJournalStep('fold', 'green')
      await countFor(now.candidates, last, now.chain.onto)
    },

    explained: async (now: Collected, last: MergeLink, explained: Explained): Promise<void> => {
      const record = await written(now, explained.kind === 'flaky' ? 'green' : 'red')
      if (explained.kind !== 'guilty') {
        const kept = explained.kind === 'flaky' ? 'flaky' : 'unexplained'
        const log = await logOf(last)
        await store.transaction(async (tx) => {
          await writeFold(tx.snapshots, {
            ...record,
            [kept]: [...record[kept], last.tree].slice(-TREES_KEPT),
          })
          const owner = ownerOf(await tx.agents.list({ live: true }), record.base)
          await publisher.publish(
            {
              type: 'fold.unexplained',
              agentId: owner?.id ?? null,
              actor: 'daemon',
              payload: {
                branch: record.base,
                pulls: now.candidates.map(nameOf),
                reason: explained.kind,
                ...log,
              },
              dedupeKey: `fold-unexplained:${record.base}:${last.tree}`,
            },
            tx,
          )
        })
        return
      }
      const logs = new Map<GuiltySet, RunLog>()
      for (const set of explained.sets) logs.set(set, await logOf(set.link))
      await store.transaction(async (tx) => {
        await writeFold(tx.snapshots, {
          ...record,
          ejected: [...record.ejected, ...explained.sets.map(ejectedOf)],
        })
        for (const [set, log] of logs) await publishRed(record, set, log, tx)
      })
      onJournalStep('fold', 'ejected')
      const { onto } = now.chain
      const { rest } = explained
      const green = rest?.chain.links.at(-1)
      if (rest !== null && green !== undefined) await countFor(rest.candidates, green, onto)
      for (const { candidates, out, link } of explained.sets) {
        const shown = explained.green.get(out.number)
        // By itself it is red whatever was found of it before: the base has moved since.
        if (candidates.length === 1)
          await results.count({ ...link, number: out.number, head: out.head }, onto)
        else if (shown !== undefined) await countFor([out], shown, onto)
      }
    },

    /** Of heads that are not filed yet: who is told to agree on it. */
    foretold: async (record: FoldRecord, set: GuiltySet): Promise<void> => {
      const log = await logOf(set.link)
      await store.transaction((tx) => publishRed(record, set, log, tx))
    },
  }

  async function logOf({ tree }: MergeLink): Promise<RunLog> {
    const { logTail, logUrl } = await results.known(tree)
    return { log: logTail, log_url: logUrl }
  }
}
