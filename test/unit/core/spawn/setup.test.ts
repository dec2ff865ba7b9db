import { expect, it } from 'vitest'
import { configSchema } from '../../../../src/config/schema.ts'
import { createSetup } from '../../../../src/core/spawn/provision/setup.ts'
import { makeAgent } from '../make-agent.ts'

it('says why what a set-up command made is not kept', async () => {
  const warningsOf = (kept: string) =>
    createSetup({
      git: { trackedFiles: async () => [] } as never,
      files: { exists: async () => true, setupLog: () => '/log' } as never,
      paths: { home: '/repo' } as never,
      store: { agents: { get: async () => undefined } } as never,
      runCommand: async () => ({ ok: true }),
      setupCache: {
        keyOf: async () => 'hash',
        restore: async () => false,
        keep: async () => kept,
      } as never,
    })({
      config: configSchema.parse({}),
      agent: makeAgent(),
      step: { run: ['npm', 'ci'], key: ['lock'], outputs: ['made'], method: 'copy' },
      env: {},
      say: async () => {},
    })
  expect(await warningsOf('kept')).toEqual([])
  expect(await warningsOf('too large')).toEqual([expect.stringContaining('they are larger')])
  expect(await warningsOf('linked')).toEqual([expect.stringContaining('a symbolic link')])
})
