import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { PullRequestSnapshot } from '../../../../src/adapters/forge/forge.ts'
import type { MergeResults } from '../../../../src/adapters/forge/merge-results.ts'
import { openSqliteStore } from '../../../../src/adapters/store/sqlite/open.ts'
import { readFold } from '../../../../src/core/fold/ahead/fold-record.ts'
import type { Landing, LandingOutcome } from '../../../../src/core/fold/landing.ts'
import { createLandingQueue } from '../../../../src/core/fold/queue.ts'
import { createWriteSteps } from '../../../../src/core/pulls/merge/journal.ts'
import type { BranchName, Sha } from '../../../../src/domain/ids.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import { waitFor } from '../../../helpers/wait-for.ts'
import { pull, sha } from '../../pull-watch/pull.ts'

const MAIN = 'main' as BranchName

/**
 * The queue of one base, on a real store. Commits are the numbers of what is in them, `0.1.3`; the
 * check of one is red where it has any of `red`.
 */
async function world({ red = [] }: { readonly red?: readonly number[] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 't-queue-'))
  const store = await openSqliteStore({ file: join(folder, 'store.db'), log: silentLog() })
  const changes = new Map<number, Partial<PullRequestSnapshot>>()
  const known = new Set<string>()
  const landed: (readonly number[])[] = []
  const events: { readonly type: string; readonly payload: Record<string, unknown> }[] = []
  const ended = new Map<number, LandingOutcome>()
  const place = Promise.withResolvers<void>()
  /** What happens before the answer comes. */
  const before = { snapshots: async () => {}, check: () => {} }
  let base = '0'

  const isRed = (tree: string): boolean =>
    tree.split('.').some((number) => red.includes(Number(number)))
  const results: Partial<MergeResults> = {
    typicalDuration: async () => 0,
    parallel: async () => 1,
    activity: () => ({ lastEnded: 0, running: [] }),
    look: () => {},
    blame: async () => {},
    tip: async () => base as Sha,
    treeOf: async (commit) => commit,
    known: async (tree) => ({
      state: known.has(tree) ? 'passed' : 'unknown',
      logTail: '',
      logUrl: null,
    }),
    build: async (onto, merges) => {
      let tip: string = onto
      const links = merges.map(({ number, head }) => {
        tip = `${tip}.${number}`
        return { number, head, sha: tip as Sha, tree: tip as Sha }
      })
      return { onto, links, conflicts: [] }
    },
    slot: async () => {
      await place.promise
      return {
        release: () => {},
        check: async ({ tree }) => ({
          status: isRed(tree) ? 'failed' : 'passed',
          logTail: '',
          logUrl: null,
        }),
      }
    },
  }
  const queue = createLandingQueue({
    ...{ store, results, clock: Date.now, log: silentLog() },
    forge: {
      remote: 'origin',
      snapshots: async (numbers: readonly number[]) => {
        if (numbers.length > 0) await before.snapshots()
        return numbers.map((number) => ({
          number,
          snapshot: pull({
            number,
            head: { branch: `main.${number}` as BranchName, sha: sha(String(number)) },
            ...changes.get(number),
          }),
        }))
      },
    },
    polling: { poll: async () => {} },
    publisher: {
      onEvent: () => () => {},
      publish: async (event: (typeof events)[number]) => void events.push(event),
    },
    steps: createWriteSteps({ store, onJournalStep: () => {} }),
    land: async (
      landings: readonly Landing[],
      chain: Awaited<ReturnType<MergeResults['build']>>,
    ) => {
      if (chain.onto !== base) return 'base_moved'
      base = chain.links.at(-1)!.sha
      landed.push(landings.map(({ number }) => number))
      for (const { journal, ended: end } of landings) {
        await store.journal.finish(journal, 'done')
        end({ kind: 'landed' } as LandingOutcome)
      }
      return 'landed'
    },
    culprit: {
      check: async ({ tree }: { tree: string }) => {
        before.check()
        return isRed(tree) ? 'red' : 'green'
      },
      judge: async () => ({ log: '', logUrl: null, between: [], baseRed: false }),
    },
    baseWatch: { green: async () => {}, look: async () => {} },
    everyLink: async () => false,
  } as unknown as Parameters<typeof createLandingQueue>[0])
  onTestFinished(async () => {
    queue.stop()
    await store.close()
    rmSync(folder, { recursive: true })
  })

  const add = async (number: number): Promise<void> => {
    const intent = {
      ...{ number, head: `main.${number}`, base: MAIN, by: 'human', retargeted: [], queuedAt: 1 },
      ...{ expectedHead: sha(String(number)), strategy: 'merge' as const },
    }
    const journal = `j${number}`
    await store.journal.begin({
      id: journal,
      kind: 'merge',
      step: 'queued',
      data: intent,
      startedAt: 1,
    })
    await queue.add({
      ...{ journal, intent, number, title: '', url: '', base: MAIN, by: 'human' },
      head: sha(String(number)),
      ended: (outcome) => void ended.set(number, outcome),
      progress: () => {},
      awaited: () => false,
    })
  }
  return {
    ...{ store, queue, add, changes, known, landed, events, ended, before },
    /** There is a place for a check. */
    go: place.resolve,
    /** Until each of these has ended; what they came to. */
    outcomes: (...numbers: number[]) =>
      waitFor('all to have ended', () => numbers.every((number) => ended.has(number)), {
        limit: 5_000,
      }).then(() => numbers.map((number) => ended.get(number)!.kind)),
    /** Those are what the fold has found green together. */
    folded: async (...numbers: number[]) => {
      const record = await readFold(store.snapshots, MAIN, 1)
      const links = numbers.map((number) => ({ number, sha: sha('f'), state: 'green' }))
      await store.snapshots.put(`fold:${MAIN}`, { ...record, state: 'green', links })
      known.add(['0', ...numbers].join('.'))
    },
  }
}

const CHANGED: readonly [string, Partial<PullRequestSnapshot>][] = [
  ['changes were requested', { reviewDecision: 'changes_requested' }],
  ['new commits', { head: { branch: 'main.1' as BranchName, sha: sha('e') } }],
  ['it goes to lane now', { base: { branch: 'lane' as BranchName, sha: sha('f') } }],
]

it.each(CHANGED)(
  'lands nothing that changed while it was looked for who makes the others red: %s',
  async (words, change) => {
    const { add, go, changes, landed, events, outcomes, before } = await world({ red: [3] })
    for (const number of [1, 2, 3]) await add(number)
    before.check = () => void changes.set(1, change)
    go()
    expect(await outcomes(1, 2, 3)).toEqual(['stopped', 'landed', 'red'])
    expect(landed).toEqual([[2]])
    expect(events.filter(({ type }) => type === 'landing.stopped')).toMatchObject([
      { payload: { number: 1, reason: expect.stringContaining(words) } },
    ])
  },
)

it.each(CHANGED)(
  'lands nothing at once that is not what was asked for any more, as after a restart: %s',
  async (_, change) => {
    const { add, changes, known, landed, outcomes } = await world()
    known.add('0.1')
    changes.set(1, change)
    await add(1)
    expect(await outcomes(1)).toEqual(['stopped'])
    expect(landed).toEqual([])
  },
)

it('keeps those that wait where what the fold found green could not be landed at once', async () => {
  const { add, go, queue, folded, landed, events, outcomes, before } = await world()
  await folded(1, 2, 3)
  await add(1)
  await add(2)
  before.snapshots = () => Promise.reject(new Error('API rate limit exceeded'))
  await add(3)
  before.snapshots = async () => {}
  expect(await queue.withdraw(2, 'it is merged without the check')).toBe(true)
  go()
  expect(await outcomes(1, 2, 3)).toEqual(['landed', 'stopped', 'landed'])
  expect(landed).toEqual([[1, 3]])
  expect(events.filter(({ type }) => type === 'landing.stopped')).toEqual([])
})

/** Both are about to land at once, as what the fold found green, and nobody works on the queue. */
async function atOnce() {
  const made = await world()
  const { add, go, store, folded, changes, events, before } = made
  await folded(1, 2)
  // To be reported where nothing waits any more.
  await store.snapshots.put(`landed:${MAIN}`, { human: [{ number: 9, title: '' }] })
  await add(1)
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  before.snapshots = () => {
    asked.resolve()
    return answered.promise
  }
  const added = add(2)
  await asked.promise
  go()
  await waitFor('nobody to work on it any more', () =>
    events.some(({ type }) => type === 'landing.done'),
  )
  await store.journal.open()
  changes.set(2, { reviewDecision: 'changes_requested' })
  return { ...made, answer: () => (answered.resolve(), added) }
}

it('goes on with those that wait where the one that would have landed them at once is given up', async () => {
  const { answer, outcomes, landed } = await atOnce()
  await answer()
  expect(await outcomes(1, 2)).toEqual(['landed', 'stopped'])
  expect(landed).toEqual([[1]])
})

it('finds what is about to land at once, so that it can be merged in another way', async () => {
  const { answer, queue, outcomes, landed } = await atOnce()
  expect(await queue.withdraw(1, 'it is merged without the check')).toBe(true)
  await answer()
  expect(await outcomes(1, 2)).toEqual(['stopped', 'stopped'])
  expect(landed).toEqual([])
})
