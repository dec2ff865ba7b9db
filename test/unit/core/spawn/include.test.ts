import { expect, it } from 'vitest'
import { configSchema } from '../../../../src/config/schema.ts'
import { createInclude } from '../../../../src/core/spawn/provision/include.ts'
import { makeAgent } from '../make-agent.ts'

it('where one file can’t be brought, no copy goes on after the failure or begins', async () => {
  const names = ['bad', ...Array.from({ length: 9 }, (_, index) => `file-${index}`)]
  const begun: string[] = []
  const ended: string[] = []
  let failed = (): void => {}
  const failure = new Promise<void>((resolve) => (failed = resolve))
  const include = createInclude({
    git: { ignoredEntries: async () => names, trackedFiles: async () => [] } as never,
    files: {
      exists: async () => false,
      copyInto: async (_from: string, _to: string, [file = '']: readonly string[]) => {
        begun.push(file)
        if (file === 'bad') {
          failed()
          throw new Error('no room')
        }
        await failure
        await new Promise((resolve) => setTimeout(resolve, 20))
        ended.push(file)
      },
    } as never,
    bring: {} as never,
  })
  const config = configSchema.parse({ worktree: { include: ['*'] } })
  const run = { config, from: '/from', agent: makeAgent(), path: '', say: async () => {} }
  await expect(include(run)).rejects.toThrow('no room')
  expect(ended).toHaveLength(3)
  expect(begun.toSorted()).toEqual(['bad', ...ended].toSorted())
})
