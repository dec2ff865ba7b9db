import { expect, it } from 'vitest'
import { configSchema } from '../../../../../src/config/schema.ts'
import { createBranchLock } from '../../../../../src/core/pulls/branch-lock.ts'
import { createMergePull } from '../../../../../src/core/pulls/merge/merge-pull.ts'
import { silentLog } from '../../../../../src/runtime/log.ts'

it('a pull request whose branch was worked on while it was read is read again before it is merged', async () => {
  const branchLock = createBranchLock()
  let reads = 0
  const snapshots = async (numbers: readonly number[]) => {
    if (++reads > 1) throw new Error('it is read again')
    // A rebase of its agent’s stop check, which ends meanwhile.
    await branchLock('main.a', async () => {})
    return numbers.map((number) => ({
      snapshot: { number, head: { branch: 'main.a' }, state: 'open' },
    }))
  }
  const { merge } = createMergePull({
    branchLock,
    forge: { kind: 'local', remote: 'origin', snapshots, results: null },
    settings: { snapshot: async () => ({ config: configSchema.parse({}) }) },
    landResults: null,
    log: silentLog(),
    store: {},
    publisher: { onEvent: () => () => {} },
  } as unknown as Parameters<typeof createMergePull>[0])
  await expect(merge({ kind: 'human' } as never, { number: 1, force: false })).rejects.toThrow(
    'it is read again',
  )
})
