import type { CheckSlot, FoldResults, MergeLink } from '../../../adapters/forge/merge-results.ts'
import type { BranchName, Sha } from '../../../domain/ids.ts'
import type { Deps } from '../../deps.ts'
import { unfiled, type Candidate } from './candidates.ts'
import { explain, type CheckLink } from './explain.ts'
import { readFold } from './fold-record.ts'
import { createFoldReport } from './fold-report.ts'

/** So many trees of heads that are still worked on are remembered as looked into. */
const LOOKED_KEPT = 200

/** What it is asked to do of one base. */
export type LookAtUnfiled = (asked: {
  readonly base: BranchName
  readonly filed: readonly Candidate[]
  readonly onto: Sha
  readonly isInterrupted: () => boolean
  readonly run: (
    slot: CheckSlot,
    link: MergeLink,
    numbers: readonly number[],
  ) => Promise<'green' | 'red' | undefined>
}) => Promise<void>

/**
 * Heads that are not filed yet on top of those that are: whether they are green together. Only a
 * pair that is green apart is reported: one that is red by itself is still being worked on. All of
 * it has the lowest priority, and is given up as soon as something else is to be done.
 */
export function createContinuous(
  deps: Pick<Deps, 'store' | 'git' | 'publisher' | 'clock' | 'onJournalStep'> & {
    results: FoldResults
  },
): LookAtUnfiled {
  const { store, results, clock } = deps
  const looked = new Set<string>()
  const report = createFoldReport(deps)

  return async ({ base, filed, onto, isInterrupted, run }) => {
    const more = await unfiled(deps, base, onto, new Set(filed.map(({ branch }) => branch)))
    if (more.length === 0 || filed.length + more.length < 2) return

    const checkLink: CheckLink = async (link, numbers) => {
      const { state } = await results.known(link.tree)
      if (state !== 'unknown') return state === 'passed' ? 'green' : 'red'
      if (isInterrupted()) return undefined
      const slot = await results.slot({ idle: true })
      if (slot === null) return undefined
      try {
        return isInterrupted() ? undefined : await run(slot, link, numbers)
      } finally {
        slot.release()
      }
    }

    const together = await results.build(onto, [...filed, ...more])
    const conflicting = new Set(together.conflicts.map(({ number }) => number))
    let candidates = [...filed, ...more].filter(({ number }) => !conflicting.has(number))
    // One that is red by itself is nobody’s business yet, and says nothing about others.
    for (;;) {
      const chain = await results.build(onto, candidates)
      const last = chain.links.at(-1)
      if (last === undefined || candidates.length < 2 || looked.has(last.tree)) return
      const result = await checkLink(
        last,
        candidates.map(({ number }) => number),
      )
      if (result === undefined) return
      if (result === 'green') return
      const explained = await explain(
        { results, checkLink, probes: 1 },
        { onto, chain, candidates },
      )
      if (explained === undefined) return
      looked.add(last.tree)
      if (looked.size > LOOKED_KEPT) looked.clear()
      if (explained.kind !== 'guilty') return
      const record = await readFold(store.snapshots, base, clock())
      for (const set of explained.sets)
        if (set.candidates.length > 1) await report.foretold(record, set)
      const out = new Set(explained.sets.map((set) => set.out))
      candidates = candidates.filter((one) => !out.has(one))
    }
  }
}
