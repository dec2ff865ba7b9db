import type { LandResult, MergeChain, MergeResults } from '../../adapters/forge/merge-results.ts'
import { asBranchName } from '../../domain/ids.ts'
import type { Deps } from '../deps.ts'
import { waitsToLand, type WriteSteps } from '../pulls/merge/journal.ts'
import type { Retargeting } from '../pulls/merge/retarget.ts'
import type { MergeSettling } from '../pulls/merge/settle.ts'
import type { Landing } from './landing.ts'

/**
 * Lands several in one push, of commits that were checked: journaled, retargeted, pushed at once,
 * recorded.
 */
export type LandChain = (landings: readonly Landing[], chain: MergeChain) => Promise<LandResult>

/**
 * Where it fails in between, `stuck` names them, and reconciliation finds out what came of them.
 */
export function createLandChain({
  store,
  log,
  results,
  steps,
  retargeting,
  settling,
  stuck,
}: Pick<Deps, 'store' | 'log'> & {
  results: Pick<MergeResults, 'land'>
  steps: WriteSteps
  retargeting: Retargeting
  settling: MergeSettling
  stuck: Set<string>
}): LandChain {
  const land: LandChain = async (landings, chain) => {
    const children = new Map<string, number[]>()
    for (const { journal, intent } of landings)
      children.set(journal, await retargeting.onto(asBranchName(intent.head)))
    await steps(
      landings.map(({ journal }) => ({
        journal,
        data: { retargeted: children.get(journal) ?? [] },
      })),
      'retarget',
    )
    for (const { journal, intent } of landings)
      await retargeting.move(children.get(journal) ?? [], asBranchName(intent.base))
    const links = new Map(chain.links.map((link) => [link.number, link]))
    await steps(
      landings.map(({ journal, number }) => {
        const { sha, head } = links.get(number)!
        return { journal, data: { prepared: sha, preparedHead: head } }
      }),
      'merge',
    )
    const result = await results.land(
      landings[0]!.base,
      chain,
      new Map(landings.map(({ number, by }) => [number, by])),
    )
    if (result !== 'landed') {
      for (const { journal, intent } of landings)
        await retargeting.move(children.get(journal) ?? [], asBranchName(intent.head))
      await steps(
        landings.map(({ journal }) => ({ journal, data: { prepared: null, retargeted: [] } })),
        'queued',
      )
      return result
    }
    let pullError: string | undefined
    for (const [index, { journal, intent, number, awaited }] of landings.entries()) {
      const { sha, head } = links.get(number)!
      const whole = { ...intent, retargeted: children.get(journal) ?? [], awaited: awaited() }
      // The base is brought into its worktree once for all of them.
      pullError =
        (await settling.complete(
          journal,
          whole,
          { kind: 'merged', sha, head },
          { sync: index === 0 },
        )) ?? pullError
    }
    for (const { number, journal, ended } of landings) {
      const { sha, head } = links.get(number)!
      ended({ kind: 'landed', sha, head, pullError, retargeted: children.get(journal) ?? [] })
    }
    return result
  }

  return async (landings, chain) => {
    try {
      return await land(landings, chain)
    } catch (thrown) {
      log.warn(
        { err: thrown, numbers: landings.map(({ number }) => number) },
        'a landing was interrupted',
      )
      for (const { journal, ended } of landings) {
        const entry = await store.journal.get(journal).catch(() => undefined)
        // One that only waits goes on doing so: it may be landing again by the time it is settled.
        if (entry === undefined || (entry.state === 'open' && !waitsToLand(entry)))
          stuck.add(journal)
        ended({ kind: 'unsettled' })
      }
      throw thrown
    }
  }
}
