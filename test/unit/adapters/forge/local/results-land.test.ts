import { expect, it } from 'vitest'
import { createResults } from '../../../../../src/adapters/forge/local/results.ts'
import type { MergeChain } from '../../../../../src/adapters/forge/merge-results.ts'
import type { BranchName, Sha } from '../../../../../src/domain/ids.ts'

const MAIN = 'main' as BranchName
const CHAIN: MergeChain = {
  onto: 'base' as Sha,
  links: [1, 2].map((number) => ({
    ...{ number, head: `h${number}` as Sha, sha: `s${number}` as Sha, tree: `t${number}` as Sha },
  })),
  conflicts: [],
}

/** What is pushed and marked where the rows are so by the time it has its turn. */
async function landing(second: object) {
  const done: unknown[] = []
  let rows = new Map([1, 2].map((number) => [number, { number, state: 'open', baseBranch: MAIN }]))
  const { land } = createResults({
    store: { pulls: { get: async (number: number) => rows.get(number) } },
    git: {
      push: async (_: string, { sha }: { sha: string }) => {
        done.push(`pushed ${sha}`)
        return { kind: 'pushed' }
      },
    },
    runs: { slots: {} },
    merging: {
      markLanded: async (
        numbers: readonly number[],
        push: () => Promise<'base_moved' | readonly object[]>,
      ) => {
        rows = new Map(rows).set(2, { ...rows.get(2)!, ...second })
        const landed = await push()
        if (landed === 'base_moved') return landed
        done.push(numbers, ...landed)
        return 'landed'
      },
    },
  } as unknown as Parameters<typeof createResults>[0])
  return { result: await land(MAIN, CHAIN, new Map([[1, 'human']])), done }
}

it('moves the base once for all, and marks each as its commit', async () => {
  const { result, done } = await landing({})
  expect(result).toBe('landed')
  expect(done).toEqual([
    'pushed s2',
    [1, 2],
    { pull: expect.objectContaining({ number: 1 }), sha: 's1', head: 'h1', by: 'human' },
    { pull: expect.objectContaining({ number: 2 }), sha: 's2', head: 'h2', by: 'daemon' },
  ])
})

it.each([{ state: 'closed' }, { state: 'merged' }, { baseBranch: 'lane' }])(
  'moves nothing where one of them is not open on that base any more: %j',
  async (second) => {
    expect(await landing(second)).toEqual({ result: 'base_moved', done: [] })
  },
)
