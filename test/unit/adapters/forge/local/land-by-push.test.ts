import { expect, it } from 'vitest'
import { createLandByPush } from '../../../../../src/adapters/forge/local/land-by-push.ts'
import type { MergeChain, ResultState } from '../../../../../src/adapters/forge/merge-results.ts'
import type { LandedPull } from '../../../../../src/adapters/forge/merging.ts'
import type { BranchName, Sha } from '../../../../../src/domain/ids.ts'

const MAIN = 'main' as BranchName
const chainOf = (...shas: string[]): MergeChain => ({
  onto: 'base' as Sha,
  links: shas.map((sha, at) => ({
    number: at + 1,
    head: `h${at + 1}` as Sha,
    sha: sha as Sha,
    tree: `t-${sha}` as Sha,
  })),
  conflicts: [],
})

/** `tip`: of the base where the push is rejected. */
function landing(
  facts: {
    free?: boolean
    state?: ResultState
    descends?: boolean
    tip?: string
    pushes?: null
  } = {},
) {
  const pushed: unknown[] = []
  const refused: string[] = []
  const landed: LandedPull[] = []
  const land = createLandByPush({
    remote: 'origin',
    git: {
      isAncestor: async () => facts.descends ?? true,
      remoteTip: async () => facts.tip as Sha,
      push: async (...args) => {
        pushed.push(args)
        return facts.tip === undefined
          ? { kind: 'pushed' }
          : { kind: 'rejected', reason: 'no', cause: 'no' }
      },
    },
    pushes:
      facts.pushes === null
        ? null
        : {
            isFree: async () => facts.free ?? true,
            refused: (base) => void refused.push(base),
            headName: (branch) => branch,
            landed: async (pulls) => void landed.push(...pulls),
            isMarked: async () => true,
          },
    known: async (tree) => ({
      state: tree === 't-two' ? (facts.state ?? 'passed') : 'unknown',
      logTail: '',
      logUrl: null,
    }),
  })
  return {
    land: () => land(MAIN, chainOf('one', 'two'), new Map([[1, 'human']])),
    ...{ pushed, landed, refused },
  }
}

it('moves the base to the last commit where it still is what that was made on, and notes each', async () => {
  const { land, pushed, landed } = landing()
  expect(await land()).toBe('landed')
  expect(pushed).toEqual([['origin', { sha: 'two', branch: MAIN, expected: 'base' }]])
  expect(landed).toEqual([
    { number: 1, sha: 'one', head: 'h1', by: 'human' },
    { number: 2, sha: 'two', head: 'h2', by: 'daemon' },
  ])
})

it('lets whoever pushed to it in between be', async () => {
  const { land, landed, refused } = landing({ tip: 'theirs' })
  expect(await land()).toBe('base_moved')
  expect([landed, refused]).toEqual([[], []])
})

it.each([
  [{ free: false }, 'rules protect main'],
  [{ pushes: null }, 'rules protect main'],
  [{ state: 'unknown' as const }, 'nothing checks any more'],
  [{ state: 'failed' as const }, 'nothing checks any more'],
])('pushes nothing that is not known to be good, and past no rule: %j', async (facts, words) => {
  const { land, pushed, landed } = landing(facts)
  expect(await land()).toEqual({ refused: expect.stringContaining(words) })
  expect([pushed, landed]).toEqual([[], []])
})

it('says what the forge has against it, and never takes anything out of the base', async () => {
  const hooked = landing({ tip: 'base' })
  expect(await hooked.land()).toEqual({
    refused: expect.stringContaining('origin refused the push to main (no); ask again'),
  })
  expect([hooked.landed, hooked.refused]).toEqual([[], [MAIN]])
  const { land, pushed } = landing({ descends: false })
  await expect(land()).rejects.toThrow('is not on top of')
  expect(pushed).toEqual([])
})
