import { expect, it } from 'vitest'
import { createMergeChecked } from '../../../../../src/core/pulls/merge/checked.ts'
import { silentLog } from '../../../../../src/runtime/log.ts'

/** What becomes of a landing that waited when the daemon ended. */
async function queuedAgain(forge: string | undefined) {
  const done: string[] = []
  const checked = createMergeChecked({
    store: {
      journal: {
        finish: async (id: string, state: string) => void done.push(`${id} ${state}`),
        get: async () => undefined,
      },
    },
    forge: { kind: 'github', results: null, identity: async () => 'github.com/1' },
    publisher: { onEvent: () => () => {} },
    landResults: { look: () => {}, tip: async () => null },
    step: async (id: string, step: string) => void done.push(`${id} ${step}`),
    clock: () => 0,
    log: silentLog(),
  } as unknown as Parameters<typeof createMergeChecked>[0])
  await checked.queueAgain('j', {
    ...{ number: 3, head: 'main.auth', base: 'main', by: 'human', retargeted: [] },
    ...{ expectedHead: 'a'.repeat(40), strategy: 'merge' as const, queuedAt: 1 },
    ...(forge === undefined ? {} : { forge }),
  })
  await checked.stop()
  return done
}

it('waits again on the forge that it was asked of, and on no other one, whose numbers are others', async () => {
  expect(await queuedAgain('github.com/1')).toEqual(['j queued'])
  for (const forge of [undefined, 'local', 'github.com/2'])
    expect(await queuedAgain(forge)).toEqual(['j undone'])
})
