import fc from 'fast-check'
import { expect, it } from 'vitest'
import { landingWorld } from '../../helpers/landing-world.ts'

/**
 * Random pull requests over few files, with planted conflicts (the same line of one file) and
 * planted pairs (two files that may not both be there), asked to be merged in any order and at any
 * time: the base’s tip was always checked green, every good one lands, nothing lands twice.
 */

type Change =
  | { readonly kind: 'good' }
  | { readonly kind: 'line'; readonly line: 0 | 1 }
  | { readonly kind: 'pair'; readonly pair: 0 | 1; readonly side: 'a' | 'b' }
  /** In the way of others by its line, and red with others by its half. */
  | { readonly kind: 'both'; readonly line: 0 | 1; readonly pair: 0 | 1; readonly side: 'a' | 'b' }
  /** Three that are green two by two. */
  | { readonly kind: 'third'; readonly third: 0 | 1 | 2 }

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'good' } as const) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('line' as const),
      line: fc.constantFrom(0 as const, 1 as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('pair' as const),
      pair: fc.constantFrom(0 as const, 1 as const),
      side: fc.constantFrom('a' as const, 'b' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('both' as const),
      line: fc.constantFrom(0 as const, 1 as const),
      pair: fc.constantFrom(0 as const, 1 as const),
      side: fc.constantFrom('a' as const, 'b' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('third' as const),
      third: fc.constantFrom(0 as const, 1 as const, 2 as const),
    }),
  },
)

interface Plan {
  readonly changes: readonly Change[]
  /** Milliseconds before each is asked for; 0: with the one before. */
  readonly waits: readonly number[]
  readonly order: readonly number[]
  readonly parallel: number
  /** After so many requests the daemon starts anew. */
  readonly restartAfter: number | null
}

const plan: fc.Arbitrary<Plan> = fc.record({
  changes: fc.array(change, { minLength: 2, maxLength: 7 }),
  waits: fc.array(fc.constantFrom(0, 0, 0, 30, 200), { minLength: 7, maxLength: 7 }),
  order: fc.array(fc.nat({ max: 1000 }), { minLength: 7, maxLength: 7 }),
  parallel: fc.constantFrom(1, 2, 3),
  restartAfter: fc.option(fc.nat({ max: 6 }), { nil: null }),
})

/** Something of each kind, three of them red together, and a restart in the middle. */
const EXAMPLE: Plan = {
  changes: [
    { kind: 'third', third: 0 },
    { kind: 'both', line: 0, pair: 0, side: 'a' },
    { kind: 'third', third: 1 },
    { kind: 'pair', pair: 0, side: 'b' },
    { kind: 'line', line: 0 },
    { kind: 'third', third: 2 },
    { kind: 'good' },
  ],
  waits: [0, 0, 0, 30, 0, 200, 0],
  order: [4, 1, 6, 0, 3, 5, 2],
  parallel: 2,
  restartAfter: 3,
}

const RULE =
  'for pair in 0 1; do if test -e "pair-$pair-a" && test -e "pair-$pair-b"; then exit 1; fi; done; if test -e third-0 && test -e third-1 && test -e third-2; then exit 1; fi; sleep 0.05'

/** Whether these merge and are green, all together. */
function fit(changes: readonly Change[]): boolean {
  const lines = changes.flatMap((one) => ('line' in one ? [one.line] : []))
  if (new Set(lines).size < lines.length) return false
  const has = (pair: number, side: string): boolean =>
    changes.some((one) => 'pair' in one && one.pair === pair && one.side === side)
  if ([0, 1].some((pair) => has(pair, 'a') && has(pair, 'b'))) return false
  return ![0, 1, 2].every((third) =>
    changes.some((one) => one.kind === 'third' && one.third === third),
  )
}

const LINES = ['zero', '1', '2', '3', '4', '5', '6', 'seven']

const filesOf = (name: string, one: Change): Record<string, string> => ({
  ...('pair' in one ? { [`pair-${one.pair}-${one.side}`]: '' } : {}),
  ...(one.kind === 'third' ? { [`third-${one.third}`]: '' } : {}),
  ...('line' in one
    ? {
        'lines.txt': `${LINES.map((line, index) => (index === one.line * 7 ? `${line} ${name}` : line)).join('\n')}\n`,
      }
    : { [`${name}.txt`]: name }),
})

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

it(
  'the base’s tip was always checked green, every good one lands, nothing lands twice',
  { timeout: 280_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(plan, async ({ changes, waits, order, parallel, restartAfter }) => {
        const tree = await landingWorld(RULE, {
          parallel,
          files: { 'lines.txt': `${LINES.join('\n')}\n` },
        })
        try {
          const numbers: number[] = []
          for (const [index, one] of changes.entries())
            numbers.push(await tree.open(`w${index}`, filesOf(`w${index}`, one)))
          for (const number of numbers) await tree.checked(number)
          const asked = numbers
            .map((number, index) => ({ number, key: order[index] ?? 0 }))
            .toSorted((a, b) => a.key - b.key)
          const requests: Promise<unknown>[] = []
          for (const [index, { number }] of asked.entries()) {
            if ((waits[index] ?? 0) > 0) await pause(waits[index] ?? 0)
            // A conflict, and what is known to be red, is refused at once.
            requests.push(
              tree
                .merge(number)
                .catch((error: { code?: string }) =>
                  expect(['PR_NOT_MERGEABLE', 'CHECKS_FAILED']).toContain(error.code),
                ),
            )
            if (restartAfter === index) {
              await Promise.all(requests)
              await tree.restart()
            }
          }
          await Promise.all(requests)
          await tree.landed()

          const states = await Promise.all(
            numbers.map(async (number) => (await tree.look(number)).state),
          )
          const merged = changes.filter((_, index) => states[index] === 'merged')
          expect(fit(merged)).toBe(true)
          // Every other is in the way of what landed, or red with it.
          for (const [index, one] of changes.entries())
            if (states[index] !== 'merged')
              expect([one, fit([...merged, one])]).toEqual([one, false])

          const green = new Set(tree.runs().flatMap((run) => (run.green ? [run.tree] : [])))
          for (const tip of await tree.tips())
            expect(green).toContain(await tree.repository.git('rev-parse', `${tip}^{tree}`))
          const tip = await tree.git.remoteTip(tree.remote, 'main' as never)
          const titles = (await tree.repository.git('log', '--format=%s', String(tip)))
            .split('\n')
            .filter((subject) => subject.startsWith('Title of'))
          expect(new Set(titles).size).toBe(titles.length)
          expect(titles).toHaveLength(states.filter((state) => state === 'merged').length)
          expect((await tree.events('pr.merged')).length).toBe(titles.length)
          expect(await tree.store.journal.open()).toEqual([])
        } finally {
          await tree.close()
        }
      }),
      {
        // The decisions alone are in test/unit/core/fold/fold-model.test.ts, many times over.
        numRuns: Number(process.env['EXOMONAD_TEST_RUNS'] ?? 4),
        examples: [[EXAMPLE]],
        endOnFailure: true,
      },
    )
  },
)
