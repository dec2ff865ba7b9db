import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createCheckSlots } from '../../../../src/adapters/forge/local/check-slots.ts'
import type { Deferral, MergeResults } from '../../../../src/adapters/forge/merge-results.ts'
import { openSqliteStore } from '../../../../src/adapters/store/sqlite/open.ts'
import { configSchema } from '../../../../src/config/schema.ts'
import { createFoldAhead, type FoldAheadDeps } from '../../../../src/core/fold/ahead/ahead.ts'
import { readFold } from '../../../../src/core/fold/ahead/fold-record.ts'
import type { ChecksState } from '../../../../src/adapters/forge/check.ts'
import type { BranchName } from '../../../../src/domain/ids.ts'
import type { StoredEvent } from '../../../../src/domain/records.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import { settingsOf } from '../../../helpers/settings.ts'
import { waitFor } from '../../../helpers/wait-for.ts'
import { pull, sha } from '../../pull-watch/pull.ts'

const MAIN = 'main' as BranchName

/** The fold of two that are open, where nothing wakes it but what a test lets happen. */
async function world(
  options: {
    readonly onBuild?: (times: number) => void
    readonly open?: readonly number[]
    readonly fold?: object
    readonly autoLand?: () => void
  } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 't-fold-'))
  const store = await openSqliteStore({ file: join(folder, 'store.db'), log: silentLog() })
  const slots = createCheckSlots()
  const checks = new Map<number, ChecksState>([
    [1, 'passed'],
    [2, 'passed'],
  ])
  const checked: string[] = []
  const red: string[] = []
  let listener: (event: StoredEvent) => void = () => {}
  let deferral: Deferral | undefined
  let builds = 0
  const snapshot = (number: number) =>
    pull({
      number,
      head: { branch: `main.${number}` as BranchName, sha: sha(String(number)) },
      checksState: checks.get(number)!,
    })
  const results: Partial<MergeResults> = {
    required: async () => true,
    parallel: async () => 1,
    tip: async () => sha('f'),
    waiting: async () => [],
    known: async (tree) => ({
      state: red.includes(tree) ? 'failed' : checked.includes(tree) ? 'passed' : 'unknown',
      logTail: '',
      logUrl: null,
    }),
    build: async (onto, merges) => {
      options.onBuild?.((builds += 1))
      const links = merges.map(({ number, head }) => ({
        ...{ number, head, sha: sha(String(number + 4)), tree: sha(String(number + 6)) },
      }))
      return { onto, links, conflicts: [] }
    },
    slot: async (wanted) => {
      const release = await slots.take({ parallel: 1, ...wanted })
      if (release === null) return null
      return {
        release,
        check: async ({ tree }) => {
          checked.push(tree)
          return { status: 'passed', logTail: '', logUrl: null }
        },
      }
    },
    look: slots.look,
    count: async () => {},
    defer: (by) => void (deferral = by),
  }
  const ahead = createFoldAhead({
    store,
    results,
    clock: Date.now,
    log: silentLog(),
    git: {},
    settings: settingsOf(() => configSchema.parse({ fold: { enabled: true, ...options.fold } })),
    publisher: {
      onEvent: (handler: typeof listener) => {
        listener = handler
        return () => {}
      },
      publish: async () => {},
    },
    forge: {
      find: async () => options.open ?? [1, 2],
      snapshots: async (numbers: number[]) =>
        numbers.map((number) => ({ number, snapshot: snapshot(number) })),
      mergeWays: async () => ({ allowed: ['merge', 'squash'], why: null, queue: null }),
    },
    autoLand: async () => options.autoLand?.(),
    landsHere: async () => false,
    onJournalStep: () => {},
  } as unknown as FoldAheadDeps)
  onTestFinished(async () => {
    ahead.stop()
    slots.close()
    await store.close()
    rmSync(folder, { recursive: true })
  })
  return {
    ahead,
    checked,
    red,
    slots,
    deferral: () => deferral!,
    checks,
    waits: async () => (await readFold(store.snapshots, MAIN, 0)).state === 'waiting',
    happens: () => listener({ type: 'pr.ready', payload: { base: MAIN } } as never),
  }
}

it('checks a chain beside which something happened while it was made, though nothing does later', async () => {
  let happens = (): void => {}
  const fold = await world({ onBuild: (times) => times === 1 && happens() })
  happens = fold.happens
  await fold.ahead.start()
  await waitFor('the chain to be checked', () => fold.checked.length > 0)
})

it('looks again once a check has ended of which no event tells', async () => {
  const fold = await world()
  fold.checks.set(2, 'pending')
  await fold.ahead.start()
  await waitFor('it to wait for that check', fold.waits)
  expect(fold.checked).toEqual([])
  fold.checks.set(2, 'passed')
  fold.deferral().ended(MAIN)
  await waitFor('the chain to be checked', () => fold.checked.length > 0)
})

it('is checked where its place comes free just after something happened', async () => {
  const fold = await world()
  const release = await fold.slots.take({ parallel: 1 })
  await fold.ahead.start()
  await waitFor('it to wait for a place', fold.waits)
  fold.happens()
  release?.()
  await waitFor('the chain to be checked', () => fold.checked.length > 0)
})

it('does not ask for one again that was found red, until it is another one', async () => {
  let [asked, built] = [0, 0]
  const fold = await world({
    ...{ open: [1], fold: { land: 'auto' }, autoLand: () => (asked += 1) },
    onBuild: (times) => (built = times),
  })
  await fold.ahead.start()
  await waitFor('it to be asked for', () => asked > 0)
  const [before, then] = [asked, built]
  fold.red.push(sha('7'))
  fold.happens()
  await waitFor('the chain to be made again', () => built > then)
  fold.happens()
  await waitFor('and again', () => built > then + 1)
  expect(asked).toBe(before)
  fold.red.pop()
  fold.happens()
  await waitFor('it to be asked for', () => asked > before)
})
