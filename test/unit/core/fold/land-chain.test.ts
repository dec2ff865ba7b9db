import { expect, it } from 'vitest'
import type { MergeChain } from '../../../../src/adapters/forge/merge-results.ts'
import { createLandChain } from '../../../../src/core/fold/land-chain.ts'
import type { Landing } from '../../../../src/core/fold/landing.ts'
import { silentLog } from '../../../../src/runtime/log.ts'

const NUMBERS = [1, 2]

/** Journal ids of which nobody knows what came of them, after the landing of two failed there. */
async function stuckAfter(
  fails: 'children' | 'push' | 'record',
  { unreadable = false }: { readonly unreadable?: boolean } = {},
) {
  const fault = (): never => {
    throw new Error('it is away')
  }
  const entries = new Map(
    NUMBERS.map((number) => [`j${number}`, { kind: 'merge', step: 'checked', state: 'open' }]),
  )
  const stuck = new Set<string>()
  const landChain = createLandChain({
    store: {
      journal: { get: async (id: string) => (unreadable ? fault() : entries.get(id)) },
    },
    log: silentLog(),
    results: { land: async () => (fails === 'push' ? fault() : 'landed') },
    steps: async (landings: readonly { journal: string }[], step: string) => {
      for (const { journal } of landings) entries.set(journal, { ...entries.get(journal)!, step })
    },
    retargeting: {
      onto: async () => (fails === 'children' ? fault() : []),
      move: async () => {},
    },
    settling: {
      complete: async (journal: string) => {
        if (journal === 'j2') fault()
        entries.set(journal, { kind: 'merge', step: 'sync', state: 'done' })
      },
    },
    stuck,
  } as unknown as Parameters<typeof createLandChain>[0])
  const landings = NUMBERS.map((number) => ({
    ...{ journal: `j${number}`, number, base: 'main', by: 'human' },
    intent: { head: `main.${number}`, base: 'main' },
    ended: () => {},
    awaited: () => false,
  }))
  const chain = {
    ...{ onto: 'base', conflicts: [] },
    links: NUMBERS.map((number) => ({ number, head: `h${number}`, sha: `s${number}`, tree: 't' })),
  }
  await expect(
    landChain(landings as unknown as Landing[], chain as unknown as MergeChain),
  ).rejects.toThrow('it is away')
  return [...stuck]
}

it('leaves to reconciliation what was cut off in its landing, and not what only waits for it again', async () => {
  expect(await stuckAfter('children')).toEqual([])
  expect(await stuckAfter('push')).toEqual(['j1', 'j2'])
  expect(await stuckAfter('record')).toEqual(['j2'])
  expect(await stuckAfter('children', { unreadable: true })).toEqual(['j1', 'j2'])
})
