import process from 'node:process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { MergeChain, MergeResults } from '../../../../src/adapters/forge/merge-results.ts'
import { isOut, type Candidate } from '../../../../src/core/fold/ahead/candidates.ts'
import { explain } from '../../../../src/core/fold/ahead/explain.ts'
import { emptyRecord, type FoldRecord } from '../../../../src/core/fold/ahead/fold-record.ts'
import { createAtOnce } from '../../../../src/core/fold/at-once.ts'
import { createBuildGroup } from '../../../../src/core/fold/build-group.ts'
import { foldedIn } from '../../../../src/core/fold/folded.ts'
import type { Landing } from '../../../../src/core/fold/landing.ts'
import type { Lane } from '../../../../src/core/fold/lane.ts'
import { createTakeApart } from '../../../../src/core/fold/take-apart.ts'
import type { BranchName, Sha } from '../../../../src/domain/ids.ts'

/**
 * The fold and the queue as a model: pull requests are numbers, a commit is the row of numbers that
 * came to be in it, its files are the same without their order. Whatever is asked for and folded in
 * whatever order, with somebody who pushes to the base in between: what lands was found green as it
 * is, by itself, nothing lands twice, and in the end only those are open that are red, or in the
 * way, with what landed.
 */

interface Plan {
  readonly count: number
  /** Each set is red where all of it is there. */
  readonly reasons: readonly (readonly number[])[]
  /** Those of a set are in each other's way. */
  readonly lines: readonly (readonly number[])[]
  readonly acts: readonly Act[]
  readonly parallel: number
}
type Act =
  | { readonly kind: 'fold' }
  | { readonly kind: 'queue' }
  | { readonly kind: 'push' }
  | { readonly kind: 'push at landing' }
  | { readonly kind: 'ask'; readonly at: number }
  | { readonly kind: 'commits'; readonly at: number }

const MAIN = 'main' as BranchName
const rowOf = (commit: string): number[] => commit.split('+').map((one) => Math.trunc(Number(one)))

function createModel({ reasons, lines, count, parallel }: Plan) {
  let base = '0'
  let persons = 0
  let pushesAtLanding = 0
  /** What was run, by the files. */
  const runs = new Map<string, boolean>()
  const landed: number[] = []
  const heads = new Map(Array.from({ length: count }, (_, at) => [at + 1, 0]))
  let record: FoldRecord = emptyRecord(MAIN, 0)
  const lane: Lane = { waiting: [], askedAt: 0, group: [], working: undefined }

  const isRed = (row: readonly number[]): boolean =>
    reasons.some((reason) => reason.every((one) => row.includes(one)))
  const fits = (row: readonly number[], one: number): boolean =>
    lines.every((line) => !line.includes(one) || !row.some((other) => line.includes(other)))
  const treeOf = (commit: string): Sha =>
    commit
      .split('+')
      .toSorted((a, b) => Number(a) - Number(b))
      .join('+') as Sha
  const run = (tree: Sha): 'green' | 'red' => {
    if (!runs.has(tree)) runs.set(tree, !isRed(rowOf(tree)))
    return runs.get(tree) === true ? 'green' : 'red'
  }
  const push = (): void => void (base = `${base}+${1000 + persons++}`)

  const build: MergeResults['build'] = async (onto, merges) => {
    const chain = { onto, links: [], conflicts: [] } as {
      onto: Sha
      links: MergeChain['links'][number][]
      conflicts: MergeChain['conflicts'][number][]
    }
    let tip: string = onto
    for (const { number, head } of merges) {
      if (!fits(rowOf(tip), number)) {
        chain.conflicts.push({ number, files: ['lines.txt'] })
        continue
      }
      tip = `${tip}+${head}`
      chain.links.push({ number, head, sha: tip as Sha, tree: treeOf(tip) })
    }
    return chain
  }
  const results = {
    build,
    tip: async () => base as Sha,
    treeOf: async (commit: Sha) => treeOf(commit),
    parallel: async () => parallel,
    known: async (tree: Sha) => {
      const green = runs.get(tree)
      const state = green === undefined ? 'unknown' : green ? 'passed' : 'failed'
      return { state, logTail: '', logUrl: null }
    },
  } as unknown as MergeResults

  const land = async (landings: readonly Landing[], chain: MergeChain): Promise<boolean> => {
    if (pushesAtLanding > 0) {
      pushesAtLanding -= 1
      push()
    }
    if (chain.onto !== base) return false
    const last = chain.links.at(-1)!
    expect(runs.get(last.tree)).toBe(true)
    expect(chain.links.map(({ number }) => number)).toEqual(landings.map(({ number }) => number))
    for (const { number, head } of landings) {
      expect(landed).not.toContain(number)
      expect(head).toBe(headOf(number))
      landed.push(number)
    }
    base = last.sha
    return true
  }
  /** The next commits of a number are its tenths: the row has the number whichever they are. */
  const headOf = (number: number): Sha => `${number + (heads.get(number) ?? 0) / 100}` as Sha
  const isOpen = (number: number): boolean => !landed.includes(number)
  const open = (): number[] => [...heads.keys()].filter(isOpen)
  const stillWanted = async (landings: readonly Landing[]) =>
    landings.filter(({ number, head }) => isOpen(number) && head === headOf(number))
  const landAll = async (landings: readonly Landing[], chain: MergeChain): Promise<boolean> =>
    (await stillWanted(landings)).length === landings.length && land(landings, chain)
  const forget = (landing: Landing): void =>
    void (lane.waiting = lane.waiting.filter((one) => one !== landing))

  const landAtOnce = createAtOnce({
    ...{ clock: () => 0, results, landAll },
    waitAgain: async (_lane, landings) => {
      lane.waiting.unshift(...(await stillWanted(landings)))
    },
    store: { snapshots: { get: async () => record } } as never,
    build: createBuildGroup({
      results,
      polling: { poll: async () => {} } as never,
      giveUp: async (landing) => forget(landing),
    }),
    everyLink: async () => false,
  })
  const takeApart = createTakeApart({
    results,
    landAll: land,
    culprit: { check: async ({ tree }) => run(tree) },
  })

  const fold = async (): Promise<void> => {
    const now = new Map(open().map((number) => [number, headOf(number)]))
    const ejected = record.ejected.filter(({ number, head }) => now.get(number) === head)
    const all = open().map(
      (number) =>
        ({
          number,
          head: headOf(number),
          strategy: 'merge',
          title: '',
          pull: null,
        }) as unknown as Candidate,
    )
    const wanted = all.filter((one) => !isOut(ejected, one, now))
    const chain = await build(base as Sha, wanted)
    const last = chain.links.at(-1)
    const candidates = wanted.filter(({ number }) =>
      chain.links.some((one) => one.number === number),
    )
    record = { ...record, ejected, state: 'idle', links: [] }
    if (last === undefined || candidates.length < 2) return
    const links = chain.links.map((link) => ({ ...link, state: 'green' })) as never
    if (run(last.tree) === 'green') return void (record = { ...record, state: 'green', links })
    const explained = await explain(
      { results, checkLink: async (link) => run(link.tree), probes: parallel },
      { onto: chain.onto, chain, candidates },
    )
    record = { ...record, state: 'red', links }
    // Nothing is flaky here: whatever it takes is found.
    expect(explained?.kind ?? 'in the way').not.toBe('unexplained')
    if (explained?.kind !== 'guilty') return
    for (const { candidates: set, out, link } of explained.sets) {
      // They are red together, whatever they share with others, and not without any one of them.
      const numbers = set.map(({ number }) => number)
      const isRedWith = (some: readonly number[]) => isRed([...rowOf(base), ...some])
      expect([numbers, isRedWith(numbers)]).toEqual([numbers, true])
      for (const one of numbers)
        expect([numbers, one, isRedWith(numbers.filter((other) => other !== one))]).toEqual([
          numbers,
          one,
          false,
        ])
      const [partner = null, ...others] = set.filter((one) => one !== out)
      record = {
        ...record,
        ejected: [...record.ejected, { ...out, at: 0, tree: link.tree, partner, others }],
      }
    }
  }

  const queue = async (): Promise<void> => {
    const wanted = await stillWanted(lane.waiting)
    lane.waiting = []
    if (wanted.length === 0) return
    const { now, later } = foldedIn(record).split(wanted, new Set(rowOf(base)))
    expect(now).not.toEqual([])
    const chain = await build(
      base as Sha,
      now.map(({ number, head }) => ({ number, head, strategy: 'merge' })),
    )
    const group = now.filter(({ number }) => chain.links.some((link) => link.number === number))
    lane.waiting = [
      ...later,
      ...now.filter((one) => !group.includes(one) && fits(rowOf(base), one.number)),
    ]
    const last = chain.links.at(-1)
    if (last === undefined) return
    if (run(last.tree) === 'green') {
      if (!(await land(group, chain))) lane.waiting.unshift(...group)
      return
    }
    lane.waiting.unshift(...(await takeApart(group, chain)).wait)
  }

  const ask = async (number: number): Promise<void> => {
    if (!isOpen(number) || lane.waiting.some((one) => one.number === number)) return
    const landing = {
      ...{ number, head: headOf(number), base: MAIN, journal: String(number) },
      intent: { strategy: 'merge' },
    } as unknown as Landing
    if (!(await landAtOnce(lane, landing))) lane.waiting.push(landing)
  }

  return {
    act: async (act: Act): Promise<void> => {
      if (act.kind === 'ask') return ask(1 + (act.at % count))
      if (act.kind === 'fold') return fold()
      if (act.kind === 'queue') return queue()
      if (act.kind === 'push') return push()
      if (act.kind === 'push at landing') return void (pushesAtLanding += 1)
      const number = 1 + (act.at % count)
      heads.set(number, (heads.get(number) ?? 0) + 1)
    },
    /** All are asked for, until nothing waits. */
    drain: async (): Promise<void> => {
      await fold()
      lane.waiting = await stillWanted(lane.waiting)
      for (const number of open()) await ask(number)
      for (let rounds = 0; lane.waiting.length > 0; rounds++) {
        expect(rounds).toBeLessThan(4 * count + 8)
        await queue()
      }
    },
    expectAll: (): void => {
      const row = rowOf(base)
      expect(isRed(row)).toBe(false)
      expect(new Set(row).size).toBe(row.length)
      for (const number of open())
        expect([number, isRed([...row, number]) || !fits(row, number)]).toEqual([number, true])
    },
  }
}

const plans: fc.Arbitrary<Plan> = fc.integer({ min: 2, max: 8 }).chain((count) => {
  const number = fc.integer({ min: 1, max: count })
  const set = (least: number, most: number) =>
    fc.uniqueArray(number, { minLength: least, maxLength: Math.min(most, count) })
  return fc.record({
    count: fc.constant(count),
    reasons: fc.array(fc.oneof(set(1, 1), { weight: 3, arbitrary: set(2, 2) }, set(2, 3)), {
      maxLength: 4,
    }),
    lines: fc.array(set(2, 3), { maxLength: 2 }),
    acts: fc.array(
      fc.oneof(
        { weight: 6, arbitrary: fc.record({ kind: fc.constant('ask' as const), at: fc.nat(50) }) },
        fc.record({ kind: fc.constant('commits' as const), at: fc.nat(50) }),
        { weight: 3, arbitrary: fc.constant({ kind: 'fold' } as const) },
        { weight: 2, arbitrary: fc.constant({ kind: 'queue' } as const) },
        fc.constantFrom({ kind: 'push' } as const, { kind: 'push at landing' } as const),
      ),
      { maxLength: 24 },
    ),
    parallel: fc.integer({ min: 1, max: 3 }),
  })
})

it('whatever is asked for, folded and pushed: what lands was found green, once, and all lands that can', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const model = createModel(plan)
      for (const act of plan.acts) await model.act(act)
      await model.drain()
      model.expectAll()
    }),
    { numRuns: Number(process.env['EXOMONAD_TEST_RUNS'] ?? 60) },
  )
})
