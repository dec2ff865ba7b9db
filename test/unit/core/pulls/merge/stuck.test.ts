import { expect, it } from 'vitest'
import { createMergePull } from '../../../../../src/core/pulls/merge/merge-pull.ts'
import { silentLog } from '../../../../../src/runtime/log.ts'

it('a merge that waits to land is none that is to be settled any more: it may be landing by then', async () => {
  const { stuck, settle } = createMergePull({
    forge: { kind: 'local', remote: 'origin', results: null },
    landResults: null,
    log: silentLog(),
    store: {},
    publisher: { onEvent: () => () => {} },
  } as unknown as Parameters<typeof createMergePull>[0])
  for (const step of ['queued', 'checked']) {
    ;(stuck as Set<string>).add('j')
    const entry = { id: 'j', kind: 'merge', step, data: {}, state: 'open' as const, startedAt: 1 }
    expect([step, await settle(entry), [...stuck]]).toEqual([step, 'waits', []])
  }
})
