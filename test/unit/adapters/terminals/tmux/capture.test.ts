import { expect, it } from 'vitest'
import { createCapture } from '../../../../../src/adapters/terminals/tmux/capture.ts'
import { asPaneId } from '../../../../../src/domain/ids.ts'

it('distinguishes a tmux that does not answer from one that has no such pane', async () => {
  const silent = createCapture({ spawn: async () => ({ kind: 'unknown' }) })
  await expect(silent(asPaneId('%1'))).rejects.toMatchObject({
    code: 'MULTIPLEXER_UNAVAILABLE',
    facts: { outcome: 'unknown' },
  })
  const without = createCapture({
    spawn: async () => ({ kind: 'done', lines: [], errors: ['no such pane'] }),
  })
  expect(await without(asPaneId('%1'))).toBeUndefined()
})
