import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createChecks } from '../../../../../src/adapters/forge/local/checks.ts'
import { silentLog } from '../../../../../src/runtime/log.ts'
import { tempFolder } from '../../machine/temp-folder.ts'

it('checks that a crash cut off are marked with the next look where the store was away at the first', async () => {
  const marked: unknown[] = []
  let isAway = true
  const { recover } = createChecks({
    store: {
      pulls: {
        checks: async () => {
          if (isAway) throw new Error('the store is away')
          return [{ id: 'c-1' }]
        },
        updateCheck: async (id: string, patch: object) => void marked.push([id, patch]),
      },
    },
    git: { worktrees: async () => [] },
    paths: { ciWork: join(tempFolder(), 'ci') },
    runs: { storeEnds: async () => {} },
    clock: () => 7,
    log: silentLog(),
  } as unknown as Parameters<typeof createChecks>[0])
  await expect(recover()).rejects.toThrow('the store is away')
  isAway = false
  await recover()
  await recover()
  expect(marked).toEqual([['c-1', { status: 'interrupted', finishedAt: 7 }]])
})
