import { expect, it } from 'vitest'
import type { MergeWays } from '../../../../src/adapters/forge/merging.ts'
import { configSchema } from '../../../../src/config/schema.ts'
import { createLandsHere } from '../../../../src/core/fold/lands-here.ts'
import type { BranchName } from '../../../../src/domain/ids.ts'

const MAIN = 'main' as BranchName

function world() {
  const facts = {
    now: 0,
    asked: 0,
    isFree: true,
    required: true,
    ways: { allowed: ['merge', 'squash'], why: null } as MergeWays,
  }
  const landsHere = createLandsHere({
    forge: {
      pushes: {
        isFree: async () => {
          facts.asked += 1
          return facts.isFree
        },
      },
      mergeWays: async () => facts.ways,
    } as never,
    results: { required: async () => facts.required },
    clock: () => facts.now,
  })
  const look = (fold: object = { enabled: true }, fresh = true) =>
    landsHere(configSchema.parse({ fold }), MAIN, { fresh })
  return { facts, look }
}

it('lands here where the fold is on, nothing protects the base, and it takes merge commits', async () => {
  const { facts, look } = world()
  expect(await look()).toBe(true)
  expect(await look({ enabled: true, land: 'auto' })).toBe(true)
  expect(await look({ enabled: false })).toBe(false)
  expect(await look({ enabled: true, land: 'forge' })).toBe(false)
  facts.required = false
  expect(await look()).toBe(false)
  facts.required = true
  facts.isFree = false
  expect(await look()).toBe(false)
  facts.isFree = true
  facts.ways = { allowed: ['squash', 'rebase'], why: 'octo/widgets allows no merge commits' }
  expect(await look()).toBe(false)
  facts.ways = { allowed: ['merge'], why: null, queue: true }
  expect(await look()).toBe(false)
})

it('asks the forge anew where something is decided by it, else once in a while', async () => {
  const { facts, look } = world()
  for (let looks = 0; looks < 3; looks++) await look({ enabled: true }, false)
  expect(facts.asked).toBe(1)
  facts.isFree = false
  expect(await look({ enabled: true }, false)).toBe(true)
  expect(await look()).toBe(false)
  expect(await look({ enabled: true }, false)).toBe(false)
  facts.isFree = true
  facts.now += 30_000
  expect(await look({ enabled: true }, false)).toBe(true)
  await look({ enabled: false }, false)
  expect(facts.asked).toBe(3)
})

it('never lands here where the forge takes no push for a merge', async () => {
  const clock = () => 0
  const results = { required: async () => true }
  const config = configSchema.parse({ fold: { enabled: true } })
  const forge = { pushes: null } as never
  expect(await createLandsHere({ forge, results, clock })(config, MAIN)).toBe(false)
})
