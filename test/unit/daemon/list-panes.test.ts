import { expect, it } from 'vitest'
import type { Holder } from '../../../src/adapters/terminals/holder.ts'
import { listPanes } from '../../../src/daemon/list-panes.ts'
import { ExomonadError } from '../../../src/domain/errors.ts'

const failing = (facts: Record<string, unknown>) =>
  ({
    list: () => Promise.reject(new ExomonadError('MULTIPLEXER_UNAVAILABLE', 'No.', facts)),
  }) as unknown as Holder

it('takes nobody to be there only where the program is gone: who does not answer may hold anybody', async () => {
  expect(await listPanes(failing({ reason: 'ENOENT' }))).toEqual([])
  await expect(listPanes(failing({ reason: 'EMFILE' }))).rejects.toMatchObject({
    code: 'MULTIPLEXER_UNAVAILABLE',
  })
  await expect(listPanes(failing({ outcome: 'unknown' }))).rejects.toMatchObject({
    code: 'MULTIPLEXER_UNAVAILABLE',
  })
})
