import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { parseConfig } from '../../../src/config/load.ts'
import { startMaintenance } from '../../../src/daemon/maintenance.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { readRemovedNotice, removedNotice } from '../../../src/domain/formats/output-notices.ts'
import { pathsOf } from '../../../src/runtime/paths.ts'

/** What the daemon does by the clock, with a clock of the test's own. */

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Each has a timer while it does not run. */
const JOBS = 6

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

function start(toml: string, { live = [] as string[] } = {}) {
  const home = mkdtempSync(join(tmpdir(), 'upkeep-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const paths = pathsOf(join(home, '.git'), home)
  mkdirSync(paths.state, { recursive: true })
  writeFileSync(paths.repositoryFile, '{}')
  const pruned = {
    events: [] as number[],
    outbox: [] as number[],
    once: [] as number[],
    usage: [] as number[],
  }
  const tended: string[] = []
  const setups: unknown[] = []
  let backups = 0
  let reconciled = 0
  let lost = 0
  let fails = false
  const stop = startMaintenance({
    core: {
      maintenance: {
        reconcile: async () => void (reconciled += 1),
        pruneSetupCache: async (bounds: unknown) => void setups.push(bounds),
      },
      once: { prune: async (before: number) => void pruned.once.push(before) },
    } as never,
    git: {
      tendBorrower: async (path) => void tended.push(path),
      tendPool: async () => false,
      endPool: async () => {},
      resolve: async () => null,
    },
    store: {
      events: {
        prune: async (before: number) => {
          if (fails) throw new Error('the disk is full')
          pruned.events.push(before)
        },
      },
      outbox: { prune: async (before: number) => void pruned.outbox.push(before) },
      usage: { prune: async (before: number) => void pruned.usage.push(before) },
      backUp: async () => void (backups += 1),
      agents: { list: async () => live.map((id) => ({ id })) },
    } as never,
    paths,
    trash: { folder: paths.trash, empty: () => {} },
    config: () => parseConfig(toml, 'config.toml'),
    clock: () => 100 * DAY,
    log: silentLog(),
    onLost: () => void (lost += 1),
  })
  onTestFinished(stop)
  const file = (folder: string, name: string, kilobytes: number, age: number): void => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), 'x'.repeat(kilobytes * 1000))
    utimesSync(join(folder, name), 1_000_000 - age, 1_000_000 - age)
  }
  return {
    paths,
    pruned,
    setups,
    file,
    reconciled: () => reconciled,
    backups: () => backups,
    tended,
    lost: () => lost,
    fail: (does: boolean) => (fails = does),
    /**
     * Lets so much time pass; jobs touch real files, so that their next runs are set a moment
     * later.
     */
    pass: async (milliseconds: number) => {
      await vi.advanceTimersByTimeAsync(milliseconds)
      for (
        const end = performance.now() + 15_000;
        vi.getTimerCount() < JOBS && performance.now() < end;
      )
        await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
const files = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).toSorted() : []
const read = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8')
/** Of those that have more in them than that they were removed. */
const filled = (folder: string): string[] =>
  files(folder).filter(
    (name) => !read(folder, name).startsWith('[exomonad] This output was removed'),
  )

it('removes events and messages that are older than events_days, every hour, also after a failure', async () => {
  const upkeep = start('[retention]\nevents_days = 7\n')
  await upkeep.pass(10_000)
  expect(upkeep.pruned).toEqual({
    events: [93 * DAY],
    outbox: [93 * DAY],
    once: [99 * DAY],
    usage: [-300 * DAY],
  })
  expect(upkeep.backups()).toBe(1)
  await upkeep.pass(HOUR - 1000)
  expect(upkeep.pruned.events).toHaveLength(1)
  // The forge's repository as well: what is kept for it, and no more.
  await vi.waitFor(() => expect(upkeep.tended).toEqual([upkeep.paths.origin]), {
    timeout: 15_000,
  })
  upkeep.fail(true)
  await upkeep.pass(2000)
  expect(upkeep.pruned.events).toHaveLength(1)
  upkeep.fail(false)
  await upkeep.pass(HOUR + 5000)
  expect(upkeep.pruned.events).toHaveLength(2)
})

it('bounds what set-up commands made, and their logs', async () => {
  const upkeep = start('[worktree]\nsetup_cache_mb = 3\nsetup_cache_entries = 4\n')
  upkeep.file(upkeep.paths.setupLogs, 'huge.log', 21_000, 1)
  await upkeep.pass(10_000)
  await vi.waitFor(() => expect(upkeep.setups).toEqual([{ bytes: 3_000_000, entries: 4 }]), {
    timeout: 15_000,
  })
  expect(filled(upkeep.paths.setupLogs)).toEqual([])
})

it.each([
  ['ci_logs_mb', 'ciLogs'],
  ['transcripts_mb', 'transcripts'],
  ['outputs_mb', 'outputs'],
] as const)('removes the oldest of what %s limits, and nothing else', async (key, folder) => {
  const upkeep = start(`[retention]\n${key} = 0.01\n`)
  for (const one of ['ciLogs', 'transcripts', 'outputs'] as const) {
    for (const [age, name] of [
      [3, 'old.log'],
      [2, 'middle.log'],
      [1, 'young.log'],
    ] as const)
      upkeep.file(upkeep.paths[one], name, 5, age)
  }
  await upkeep.pass(10_000)
  for (const one of ['ciLogs', 'transcripts', 'outputs'] as const) {
    const left =
      one === folder ? ['middle.log', 'young.log'] : ['middle.log', 'old.log', 'young.log']
    await vi.waitFor(() => expect([one, filled(upkeep.paths[one])]).toEqual([one, left]), {
      timeout: 15_000,
    })
  }
})

it('leaves the output of what still runs, however old and large it is', async () => {
  const upkeep = start('[retention]\noutputs_mb = 0.001\n', { live: ['running'] })
  upkeep.file(upkeep.paths.outputs, 'running.log', 50, 9)
  upkeep.file(upkeep.paths.outputs, 'ended.log', 5, 1)
  await upkeep.pass(10_000)
  await vi.waitFor(() => expect(filled(upkeep.paths.outputs)).toEqual(['running.log']), {
    timeout: 15_000,
  })
})

it('says of a removed output when it went and why, until events of that time go, and removes what a crash left of one', async () => {
  const upkeep = start('[retention]\noutputs_mb = 0.01\nevents_days = 7\n', { live: ['running'] })
  const { outputs } = upkeep.paths
  for (const name of ['ended.log', 'ended.log.part', 'running.log.part', 'small.log'])
    upkeep.file(outputs, name, name === 'small.log' ? 1 : 20, 1)
  writeFileSync(join(outputs, 'old.log'), removedNotice(0, 5_000_000, 10_000))
  utimesSync(join(outputs, 'old.log'), 93 * 86_400 - 1, 93 * 86_400 - 1)
  await upkeep.pass(10_000)
  await vi.waitFor(
    () => expect(files(outputs)).toEqual(['ended.log', 'running.log.part', 'small.log']),
    { timeout: 15_000 },
  )
  await vi.waitFor(
    () => expect(read(outputs, 'ended.log')).toBe(removedNotice(100 * DAY, 20_000, 10_000)),
    { timeout: 15_000 },
  )
  expect(readRemovedNotice(read(outputs, 'ended.log'))).toMatch(
    /^was removed on 1970-04-11T[^]*0\.0 MB[^]*outputs_mb/,
  )
})

it('compares the records with what is true every reconcile_every seconds, and ends where the repository is gone', async () => {
  const upkeep = start('[liveness]\nreconcile_every = 7\n')
  await upkeep.pass(6900)
  expect(upkeep.reconciled()).toBe(0)
  await upkeep.pass(200)
  expect(upkeep.reconciled()).toBe(1)
  await upkeep.pass(7100)
  expect(upkeep.reconciled()).toBe(2)
  expect(upkeep.lost()).toBe(0)
  rmSync(upkeep.paths.repositoryFile)
  await upkeep.pass(7200)
  await vi.waitFor(() => expect(upkeep.lost()).toBe(1), { timeout: 15_000 })
})
