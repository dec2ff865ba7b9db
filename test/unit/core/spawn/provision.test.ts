import { expect, it } from 'vitest'
import { configSchema } from '../../../../src/config/schema.ts'
import { createProvision } from '../../../../src/core/spawn/provision/provision.ts'
import { makeAgent } from '../make-agent.ts'

const config = configSchema.parse({
  roles: { free: {}, held: { sandbox: 'workspace' } },
  worktree: { include: ['.env'] },
})

/** Where ignored files and submodules of the new worktree of an agent’s child come from. */
async function sources(role: string) {
  const from: string[] = []
  const parent = makeAgent({ role, worktree: '/repo/worktrees/parent' })
  const provision = createProvision({
    paths: { home: '/repo' } as never,
    store: {} as never,
    git: {
      ignoredEntries: async (worktree: string) => {
        from.push(`listed in ${worktree}`)
        return ['.env']
      },
      trackedFiles: async () => [],
      fillSubmodules: async (_: string, place: string) => {
        from.push(`submodules of ${place}`)
        return []
      },
      fillLargeFiles: async () => null,
    } as never,
    files: {
      exists: async (path: string) => path.endsWith('.gitmodules'),
      copyInto: async (place: string) => void from.push(`copied from ${place}`),
    } as never,
    bring: {} as never,
    setupCache: {} as never,
    states: {} as never,
    environmentOf: () => ({}),
    confine: () => Promise.reject(new Error('nothing is run')),
    variablesOf: async () => ({}),
    limits: {} as never,
  })
  await provision(config, { agent: parent } as never, makeAgent({ parentId: parent.id }))
  return from
}

const all = (place: string) => [
  `listed in ${place}`,
  `copied from ${place}`,
  `submodules of ${place}`,
]

it('ignored files and submodules come from the parent’s worktree, of a confined one’s from the main worktree', async () => {
  expect(await sources('free')).toEqual(all('/repo/worktrees/parent'))
  expect(await sources('held')).toEqual(all('/repo'))
})
