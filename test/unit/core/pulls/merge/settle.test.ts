import { expect, it } from 'vitest'
import { createMergeSettling } from '../../../../../src/core/pulls/merge/settle.ts'
import { ExomonadError } from '../../../../../src/domain/errors.ts'
import type { ErrorCode } from '../../../../../src/domain/error-codes.ts'
import { silentLog } from '../../../../../src/runtime/log.ts'

/** What is done to which forge for a merge that an end cut off. */
function settling(
  kind: 'local' | 'github',
  identity: string,
  result: object = { kind: 'not_merged' },
  stays: ErrorCode = 'INVALID_ARG',
  { isMarked, based = [5, 6] }: { isMarked?: boolean; based?: readonly number[] } = {},
) {
  const done: string[] = []
  const steps: [string, object | undefined][] = []
  const deps = {
    store: {
      agents: { list: async () => [] },
      transaction: async (work: (tx: object) => Promise<void>) =>
        work({ snapshots: { get: async () => undefined } }),
      journal: { finish: async (id: string, state: string) => void done.push(`${id} ${state}`) },
    },
    git: {
      resolve: async () => null,
      remoteTip: async () => 'a'.repeat(40),
      deleteRemoteBranch: async (_: string, branch: string) => {
        done.push(`deleted ${branch}`)
        return { kind: 'pushed' }
      },
    },
    forge: {
      kind,
      pushes: isMarked === undefined ? null : { isMarked: async () => isMarked },
      identity: async () => identity,
      settleMerge: async ({ number }: { number: number }) => {
        done.push(`asked for #${number}`)
        return result
      },
    },
    log: silentLog(),
    step: async (_: string, name: string, data?: object) => void steps.push([name, data]),
    base: { sync: async () => undefined },
    retargeting: {
      onto: async () => based,
      move: async (numbers: readonly number[], base: string) => {
        if (numbers.includes(6)) throw new ExomonadError(stays, 'no')
        done.push(`#${numbers.join()} to ${base}`)
      },
    },
  }
  const { settle } = createMergeSettling(
    deps as unknown as Parameters<typeof createMergeSettling>[0],
  )
  return { settle, done, steps }
}
const entry = (forge?: string, step = 'merge') => ({
  id: 'j',
  step,
  state: 'open' as const,
  data: {
    number: 3,
    head: 'main.auth',
    base: 'main',
    retargeted: [5],
    ...(forge === undefined ? {} : { forge }),
  },
})

it('takes a merge that was cut off back on the forge that it was begun on', async () => {
  for (const [kind, identity, forge] of [
    ['local', '/home/jane/project', 'local'],
    ['local', '/home/jane/project', undefined],
    ['github', 'github.com/1', 'github.com/1'],
  ] as const) {
    const { settle, done } = settling(kind, identity)
    expect(await settle(entry(forge))).toEqual({ kind: 'undone' })
    expect(done).toEqual(['asked for #3', '#5 to main.auth', 'j undone'])
  }
})

it('leaves the pull requests of another forge that bear the same numbers alone', async () => {
  for (const [kind, identity, forge] of [
    ['github', 'github.com/1', undefined],
    ['github', 'github.com/1', 'local'],
    ['github', 'github.com/1', 'github.com/2'],
    ['local', '/home/jane/project', 'github.com/1'],
  ] as const) {
    const { settle, done } = settling(kind, identity)
    expect(await settle(entry(forge))).toEqual({ kind: 'undone' })
    expect(done).toEqual(['j undone'])
  }
})

it('leaves a merge that is somebody else’s to them, and what was pointed to its base there (20.3)', async () => {
  const merged = { kind: 'merged', sha: 'c'.repeat(40), head: 'a'.repeat(40) }
  for (const [step, result] of [
    ['refused', merged],
    ['intent', merged],
    ['retarget', merged],
    ['merge', { kind: 'not_open', state: 'merged' }],
  ] as const) {
    const { settle, done } = settling('github', 'github.com/1', result)
    expect(await settle(entry('github.com/1', step)), step).toEqual({ kind: 'undone' })
    expect(done, step).toEqual(['asked for #3', 'j undone'])
  }
  const { settle, done } = settling('github', 'github.com/1')
  expect(await settle(entry('github.com/1', 'refused'))).toEqual({ kind: 'undone' })
  expect(done).toEqual(['asked for #3', '#5 to main.auth', 'j undone'])
})

it('leaves a merge that the forge makes by itself to that, once it is known to be ours (20.18)', async () => {
  const scheduled = { kind: 'scheduled', how: 'queue', position: 2, since: 5 }
  const asked = settling('github', 'github.com/1', scheduled)
  expect(await asked.settle(entry('github.com/1'))).toEqual({
    kind: 'scheduled',
    result: scheduled,
  })
  // What was pointed to its base goes back until it is merged.
  expect(asked.done).toEqual(['asked for #3', '#5 to main.auth'])
  const known = settling('github', 'github.com/1', scheduled)
  expect(await known.settle(entry('github.com/1', 'scheduled'))).toMatchObject({
    kind: 'scheduled',
  })
  expect(known.done).toEqual(['asked for #3'])
  const over = settling('github', 'github.com/1', scheduled)
  expect(await over.settle(entry('github.com/1', 'refused'))).toEqual({ kind: 'undone' })
  const gone = settling('github', 'github.com/1')
  expect(await gone.settle(entry('github.com/1', 'scheduled'))).toEqual({ kind: 'undone' })
})

it('takes along what is based on a branch that the forge has merged by itself; what can’t go stays, and is no reason to wait (20.18)', async () => {
  const merged = { kind: 'merged', sha: 'c'.repeat(40), head: 'a'.repeat(40) }
  const scheduled = {
    ...entry('github.com/1', 'scheduled'),
    data: { ...entry('github.com/1').data, retargeted: [], scheduled: 'queue' },
  }
  const { settle, done, steps } = settling('github', 'github.com/1', merged)
  expect(await settle(scheduled)).toMatchObject({ kind: 'merged', pullError: undefined })
  expect(done).toEqual(['asked for #3', '#5 to main', 'j done'])
  expect(steps.map(([name]) => name)).toEqual(['scheduled', 'record', 'sync'])
  await expect(
    settling('github', 'github.com/1', merged, 'FORGE_UNAVAILABLE').settle(scheduled),
  ).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' })
  // Of a fork’s branch nothing here is.
  const fork = settling('github', 'github.com/1', merged)
  await fork.settle({ ...scheduled, data: { ...scheduled.data, trusted: false } })
  expect(fork.done).toEqual(['asked for #3', 'j done'])
})

it('deletes the head branch once the forge knows itself that it is merged', async () => {
  const merged = { kind: 'merged', sha: 'c'.repeat(40), head: 'a'.repeat(40) }
  for (const [isMarked, deleted] of [
    [undefined, ['deleted main.auth']],
    [true, ['deleted main.auth']],
    [false, []],
  ] as const) {
    const { settle, done } = settling('github', 'github.com/1', merged, 'INVALID_ARG', {
      ...(isMarked === undefined ? {} : { isMarked }),
      based: [],
    })
    const { data, ...rest } = entry('github.com/1')
    await settle({ ...rest, data: { ...data, retargeted: [], deletes: true } })
    expect(done).toEqual(['asked for #3', ...deleted, 'j done'])
  }
})
