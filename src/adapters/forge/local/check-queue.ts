import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { CheckRow, PullRow } from '../../store/store.ts'
import type { Branches } from '../branches.ts'
import { trimLogs } from './check-log.ts'
import { startCheckRun, type CheckRun } from './check-run.ts'
import type { Hints } from '../hints.ts'
import type { CheckSettings, LocalForgeOptions } from './options.ts'

const MAX_LOG_BYTES = 200_000_000

export interface CheckJob {
  /** Its row, queued. */
  readonly row: CheckRow
  readonly pull: PullRow
  readonly settings: CheckSettings & { readonly argv: readonly string[] }
}

export interface CheckQueue {
  readonly add: (job: CheckJob) => void
  readonly cancel: (row: CheckRow) => Promise<void>
  /** Ends what runs; what waits keeps its row, for the next start to find. */
  readonly dispose: () => Promise<void>
}

/** Runs jobs in the order they came, no more at once than the configuration allows, and keeps their rows true. */
export function createCheckQueue({
  git,
  store,
  ciEnvironment,
  paths,
  clock,
  log,
  branches,
  hints,
}: Pick<LocalForgeOptions, 'git' | 'store' | 'ciEnvironment' | 'paths' | 'clock' | 'log'> & { branches: Branches; hints: Hints }): CheckQueue {
  const waiting: CheckJob[] = []
  const running = new Map<number, { run: CheckRun; settled: Promise<void> }>()
  /** Cancelled between leaving the queue and being started. */
  const cancelledEarly = new Set<number>()
  let starting = 0
  let disposed = false

  const settle = async (row: CheckRow, patch: Parameters<typeof store.pulls.updateCheck>[1]): Promise<void> => {
    await store.pulls.updateCheck(row.id, { finishedAt: clock(), ...patch })
    hints.emit(row.pull)
    for (const other of await store.pulls.list({ state: 'open' })) if (other.number !== row.pull && other.headSha === row.head) hints.emit(other.number)
  }

  /** Whether a head that waited is still one that somebody asks about; the remote decides, where it can be asked. */
  const stillWanted = async (row: CheckRow, pull: PullRow): Promise<boolean> => {
    const tips = await branches.tips().catch(() => null)
    const tip = tips?.get(pull.headBranch)
    if (tip === undefined || tip === row.head) return true
    return (await store.pulls.list({ state: 'open' })).some((other) => other.number !== pull.number && other.headSha === row.head)
  }

  const runOne = async ({ row, pull, settings }: CheckJob): Promise<void> => {
    try {
      if (!(await stillWanted(row, pull))) {
        await settle(row, { status: 'cancelled' })
        return
      }
      await store.pulls.updateCheck(row.id, { status: 'running', startedAt: clock() })
      await branches.bringIn([{ branch: pull.headBranch, sha: row.head }])
    } catch (error) {
      log.error({ err: error, check: row.id }, 'a check could not be prepared')
    }
    const maxLogBytes = settings.maxLogBytes ?? MAX_LOG_BYTES
    const run = startCheckRun({
      git,
      argv: settings.argv,
      environment: ciEnvironment,
      sha: row.head,
      folder: join(paths.ciWork, String(row.id)),
      logPath: row.logPath,
      timeoutMs: settings.timeoutMs,
      maxLogBytes,
      log,
    })
    const settled = run.done
      .then(async (result) => {
        await settle(row, result)
        await trimLogs(paths.ciLogs, maxLogBytes, new Set([row.logPath]))
      })
      .catch((error: unknown) => log.error({ err: error, check: row.id }, 'the end of a check could not be recorded'))
      .finally(() => {
        running.delete(row.id)
        startNext()
      })
    running.set(row.id, { run, settled })
    if (disposed) run.end('interrupted')
    if (cancelledEarly.delete(row.id)) run.end('cancelled')
  }

  function startNext(): void {
    while (!disposed && waiting.length > 0 && running.size + starting < waiting[0]!.settings.parallel) {
      starting += 1
      void runOne(waiting.shift()!).finally(() => {
        starting -= 1
        startNext()
      })
    }
  }

  return {
    add(job) {
      waiting.push(job)
      startNext()
    },

    async cancel(row) {
      const place = waiting.findIndex((job) => job.row.id === row.id)
      if (place >= 0) {
        waiting.splice(place, 1)
        await settle(row, { status: 'cancelled' })
        return
      }
      const job = running.get(row.id)
      if (job === undefined) cancelledEarly.add(row.id)
      else job.run.end('cancelled')
    },

    async dispose() {
      disposed = true
      waiting.length = 0
      while (running.size > 0 || starting > 0) {
        for (const { run } of running.values()) run.end('interrupted')
        await Promise.race([...Array.from(running.values(), (entry) => entry.settled), pause(5)])
      }
    },
  }
}
