import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { BranchName, Sha } from '../../../domain/ids.ts'
import type { CheckRow, PullRow } from '../../../domain/forge-rows.ts'
import type { Branches } from '../branches.ts'
import type { Hints } from '../hints.ts'
import type { Deferral } from '../merge-results.ts'
import { trimLogs } from './check-log.ts'
import { startCheckRun, type CheckResult, type CheckRun } from './check-run.ts'
import { createCheckSlots, type CheckSlots } from './check-slots.ts'
import type { CheckSettings, LocalForgeOptions } from './options.ts'

const MAX_LOG_BYTES = 200_000_000

export type RunSettings = CheckSettings & { readonly argv: readonly string[] }

type CheckEnd = Pick<CheckRow, 'status'> & Partial<Pick<CheckRow, 'exitCode' | 'finishedAt'>>

/** Of one pull request: it waits for its turn. */
export interface CheckJob {
  /** Its row, queued. */
  readonly row: CheckRow
  readonly pull: PullRow
  readonly settings: RunSettings
  /** Somebody wants it run by itself. */
  readonly alone?: boolean
}

export interface CheckRuns {
  /** Places for runs, shared by all that is checked here. */
  readonly slots: CheckSlots
  readonly add: (job: CheckJob) => void
  /** Those of pull requests onto this base that wait for a place. */
  readonly waiting: (base: BranchName) => readonly CheckJob[]
  readonly defer: (by: Deferral) => void
  /**
   * Of pull requests onto this base: when the last one ended, and those that run were started (ms
   * since the epoch).
   */
  readonly activity: (base: BranchName) => {
    readonly lastEnded: number
    readonly running: readonly number[]
  }
  /** Runs a row at once, in a place that the caller holds. Never rejects. */
  readonly run: (row: CheckRow, commit: Sha, settings: RunSettings) => Promise<CheckResult>
  readonly cancel: (row: CheckRow) => Promise<void>
  /**
   * Stores the ends that could not be stored when they came: until then their rows say that they
   * wait or run.
   */
  readonly storeEnds: () => Promise<void>
  /** Ends what runs; what waits keeps its row, for the next start to find. */
  readonly dispose: () => Promise<void>
}

/** Runs checks, no more at once than the configuration allows, and keeps their rows true. */
export function createCheckRuns({
  git,
  store,
  ciEnvironment,
  confine,
  hold,
  paths,
  clock,
  log,
  branches,
  hints,
}: Pick<
  LocalForgeOptions,
  'git' | 'store' | 'ciEnvironment' | 'confine' | 'hold' | 'paths' | 'clock' | 'log'
> & {
  branches: Branches
  hints: Hints
}): CheckRuns {
  const slots = createCheckSlots()
  const waiting = new Map<number, CheckJob & { readonly left: AbortController }>()
  let deferral: Deferral = { isDeferred: () => false, waits: () => {}, ended: () => {} }
  const running = new Map<number, { run: CheckRun; settled: Promise<unknown> }>()
  /** Cancelled between leaving the queue and being started. */
  const cancelledEarly = new Set<number>()
  const endedAt = new Map<BranchName, number>()
  const startedAt = new Map<number, { readonly base: BranchName; readonly at: number }>()
  /** Ends that the store did not take, by the number of their row. */
  const unstored = new Map<number, { readonly row: CheckRow; readonly end: CheckEnd }>()
  let starting = 0
  let disposed = false

  /** `hint` is false where nobody is to look at it at once. */
  const settle = async (
    row: CheckRow,
    patch: CheckEnd,
    { hint = true }: { readonly hint?: boolean } = {},
  ): Promise<void> => {
    const end = { finishedAt: clock(), ...patch }
    try {
      await store.pulls.updateCheck(row.id, end)
    } catch (error) {
      unstored.set(row.id, { row, end })
      throw error
    }
    unstored.delete(row.id)
    if (!hint || row.pull === null) return
    hints.emit(row.pull)
    for (const other of await store.pulls.list({ state: 'open' }))
      if (other.number !== row.pull && other.headSha === row.head) hints.emit(other.number)
  }

  /**
   * The commit to check, of a head that waited: null where nobody asks about it any more, or where
   * it conflicts with its base by now. The remote decides, where it can be asked.
   */
  const wantedCommit = async (row: CheckRow, pull: PullRow): Promise<Sha | null> => {
    const tips = await branches.tips([pull.headBranch, pull.baseBranch]).catch(() => null)
    const tip = tips?.get(pull.headBranch)
    const shared = async (): Promise<boolean> =>
      (await store.pulls.list({ state: 'open' })).some(
        (other) => other.number !== pull.number && other.headSha === row.head,
      )
    if (tip !== undefined && tip !== row.head && !(await shared())) return null
    const base = tips?.get(pull.baseBranch)
    await branches.bringIn([
      { branch: pull.headBranch, sha: row.head },
      ...(base === undefined ? [] : [{ branch: pull.baseBranch, sha: base }]),
    ])
    if (
      base !== undefined &&
      base !== row.base &&
      (await git.mergeTree(base, row.head)).kind === 'conflict'
    )
      return null
    if (row.base === null || row.tree === null) return row.head
    const [alone] = await git.mergeTrees([[row.head, row.head]])
    if (alone?.kind === 'clean' && alone.tree === row.tree) return row.head
    return git.commitTree({
      tree: row.tree,
      parents: [row.base, row.head],
      message: `Merge ${row.head} into ${row.base}`,
    })
  }

  const run: CheckRuns['run'] = async (row, commit, settings) => {
    const maxLogBytes = settings.maxLogBytes ?? MAX_LOG_BYTES
    await store.pulls
      .updateCheck(row.id, { status: 'running', startedAt: clock() })
      .catch((error: unknown) =>
        log.error({ err: error, check: row.id }, 'the start of a check could not be recorded'),
      )
    const started = startCheckRun({
      git,
      argv: settings.argv,
      environment: ciEnvironment,
      confine,
      ...(hold === undefined ? {} : { hold: () => hold(row.pull) }),
      sha: commit,
      folder: join(paths.ciWork, String(row.id)),
      logPath: row.logPath,
      timeoutMs: settings.timeoutMs,
      maxLogBytes,
      log,
    })
    const settled = started.done.then(async (result) => {
      await settle(row, result)
      await trimLogs(paths.ciLogs, maxLogBytes, new Set([row.logPath]))
      return result
    })
    running.set(row.id, { run: started, settled: settled.catch(() => undefined) })
    if (disposed) started.end('interrupted')
    if (cancelledEarly.delete(row.id)) started.end('cancelled')
    try {
      return await settled
    } catch (error) {
      log.error({ err: error, check: row.id }, 'the end of a check could not be recorded')
      return await started.done
    } finally {
      running.delete(row.id)
    }
  }

  const runOne = async (job: CheckJob): Promise<void> => {
    const { row, pull, settings } = job
    const left = new AbortController()
    waiting.set(row.id, { ...job, left })
    if (job.alone !== true) deferral.waits(pull.baseBranch)
    const release = await slots.take({
      parallel: settings.parallel,
      signal: left.signal,
      ready: () =>
        job.alone === true || !deferral.isDeferred(pull.baseBranch, pull.number, row.head),
    })
    waiting.delete(row.id)
    if (release === null) return
    starting += 1
    try {
      const commit = await wantedCommit(row, pull).catch((error: unknown) => {
        log.error({ err: error, check: row.id }, 'a check could not be prepared')
        return undefined
      })
      if (commit === null) await settle(row, { status: 'cancelled' })
      // Of its files nothing is known. The next look runs it again: a hint would be that look, at
      // once, for as long as it fails.
      else if (commit === undefined) await settle(row, { status: 'interrupted' }, { hint: false })
      else {
        startedAt.set(row.id, { base: pull.baseBranch, at: clock() })
        await run(row, commit, settings)
      }
    } catch (error) {
      log.error({ err: error, check: row.id }, 'a check could not be run')
    } finally {
      startedAt.delete(row.id)
      endedAt.set(pull.baseBranch, clock())
      starting -= 1
      release()
      deferral.ended(pull.baseBranch)
    }
  }

  return {
    slots,
    run,
    add: (job) => void runOne(job),
    waiting: (base) =>
      [...waiting.values()].filter(({ pull, alone }) => pull.baseBranch === base && alone !== true),
    defer: (by) => {
      deferral = by
      for (const { pull } of waiting.values()) by.waits(pull.baseBranch)
    },
    activity: (base) => ({
      lastEnded: endedAt.get(base) ?? -Infinity,
      running: [...startedAt.values()].flatMap((one) => (one.base === base ? [one.at] : [])),
    }),

    async cancel(row) {
      const job = waiting.get(row.id)
      if (job !== undefined) {
        waiting.delete(row.id)
        job.left.abort()
        await settle(row, { status: 'cancelled' })
        deferral.ended(job.pull.baseBranch)
        return
      }
      const now = running.get(row.id)
      if (now === undefined) cancelledEarly.add(row.id)
      else now.run.end('cancelled')
    },

    async storeEnds() {
      for (const { row, end } of unstored.values()) await settle(row, end)
    },

    async dispose() {
      disposed = true
      slots.close()
      while (running.size > 0 || starting > 0) {
        for (const { run: started } of running.values()) started.end('interrupted')
        await Promise.race([...Array.from(running.values(), (entry) => entry.settled), pause(5)])
      }
    },
  }
}
