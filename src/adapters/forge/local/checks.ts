import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { ExomonadError } from '../../../errors.ts'
import type { Sha } from '../../../ids.ts'
import type { CheckRow, PullRow } from '../../store/store.ts'
import type { Check, ChecksState } from '../forge.ts'
import type { Branches } from '../branches.ts'
import { logTail, wholeLog } from './check-log.ts'
import { createCheckQueue } from './check-queue.ts'
import { checksState, needsRun } from './check-state.ts'
import type { Hints } from '../hints.ts'
import { removeEmptyFolder, sweepRuns } from './leftovers.ts'
import type { CheckSettings, LocalForgeOptions } from './options.ts'
import { createSerial } from '../serial.ts'

/** The one check of the local forge. */
const NAME = 'ci'

export interface Checks {
  /** Queues a run of this head where there is none for the configured command, and cancels runs of heads the pull request had before. */
  readonly ensure: (pull: PullRow, head: Sha) => Promise<void>
  /** Runs this head again, unless it is being run: `running`. */
  readonly rerun: (pull: PullRow, head: Sha) => Promise<'started' | 'running'>
  readonly of: (head: Sha) => Promise<{ checks: Check[]; state: ChecksState; required: boolean }>
  readonly log: (pull: PullRow, name: string) => Promise<string>
  /** The pull request is merged or closed: its runs are pointless. */
  readonly cancel: (pull: PullRow) => Promise<void>
  /** Marks runs that a crash cut off and takes away what they left. Happens once; everything else here waits for it. */
  readonly recover: () => Promise<void>
  readonly dispose: () => Promise<void>
}

const hashOf = (argv: readonly string[]): string => createHash('sha256').update(JSON.stringify(argv)).digest('hex').slice(0, 16)

/**
 * A run is a row: queued → running → passed | failed | timed_out | cancelled | interrupted. Per head and command one run counts, the latest;
 * it holds for every pull request with that head. Cancelled (superseded) and interrupted (the daemon ended) ones are run again when the head
 * is looked at again. The row is written before the process starts, so that a crash leaves a row to settle, never an unknown process.
 */
export function createChecks({
  git,
  store,
  ci,
  ciEnvironment,
  paths,
  clock,
  log,
  trusted,
  branches,
  hints,
}: Omit<LocalForgeOptions, 'remote'> & { branches: Branches; hints: Hints }): Checks {
  const oneAtATime = createSerial()
  let disposed = false
  let recovered: Promise<void> | undefined

  const recover = (): Promise<void> =>
    (recovered ??= (async () => {
      for (const row of await store.pulls.checks({ statuses: ['queued', 'running'] })) {
        await store.pulls.updateCheck(row.id, { status: 'interrupted', finishedAt: clock() })
      }
      await sweepRuns({ git, ciWork: paths.ciWork, log })
      await removeEmptyFolder(paths.ciWork)
    })())

  const queue = createCheckQueue({ git, store, ciEnvironment, paths, clock, log, branches, hints })

  /** Ends runs of this pull request for heads that no open one has any more. */
  const cancelExcept = async (pull: PullRow, head: Sha | null): Promise<void> => {
    const wanted = new Set((await store.pulls.list({ state: 'open' })).filter((other) => other.number !== pull.number).map((other) => other.headSha))
    if (head !== null) wanted.add(head)
    for (const row of await store.pulls.checks({ pull: pull.number, statuses: ['queued', 'running'] })) if (!wanted.has(row.head)) await queue.cancel(row)
  }

  const latestOf = async (head: Sha, argv: readonly string[]): Promise<CheckRow | undefined> => {
    const hash = hashOf(argv)
    return (await store.pulls.checks({ head }))
      .filter((row) => row.configHash === hash)
      .sort((a, b) => a.id - b.id)
      .at(-1)
  }

  /** Why configured commands must not run here; null where they may. */
  const distrust = async (): Promise<string | null> => {
    try {
      await trusted()
      return null
    } catch (error) {
      if (error instanceof ExomonadError && error.code === 'UNTRUSTED_CONFIG') return error.message
      throw error
    }
  }

  const enqueue = async (pull: PullRow, head: Sha, settings: CheckSettings & { argv: readonly string[] }): Promise<void> => {
    const row = await store.pulls.insertCheck({
      pull: pull.number,
      name: NAME,
      head,
      configHash: hashOf(settings.argv),
      status: 'queued',
      exitCode: null,
      logPath: join(paths.ciLogs, `${pull.number}-${head.slice(0, 12)}-${clock()}.log`),
      startedAt: null,
      finishedAt: null,
    })
    queue.add({ row, pull, settings })
  }

  return {
    recover,

    ensure: (pull, head) =>
      oneAtATime(async () => {
        await recover()
        if (disposed) return
        await cancelExcept(pull, head)
        const { argv, ...rest } = await ci()
        if (argv === undefined || !needsRun(await latestOf(head, argv)) || (await distrust()) !== null) return
        await enqueue(pull, head, { ...rest, argv })
      }),

    rerun: (pull, head) =>
      oneAtATime(async () => {
        await recover()
        const { argv, ...rest } = await ci()
        if (argv === undefined) {
          throw new ExomonadError('INVALID_ARG', `There is nothing to check #${pull.number} with. Set [forge.local] ci in the configuration.`, {
            number: pull.number,
          })
        }
        await trusted()
        const latest = await latestOf(head, argv)
        if (latest?.status === 'queued' || latest?.status === 'running') return 'running'
        await enqueue(pull, head, { ...rest, argv })
        return 'started'
      }),

    async of(head) {
      const { argv } = await ci()
      if (argv === undefined) return { checks: [], state: 'none', required: false }
      const latest = await latestOf(head, argv)
      if (needsRun(latest)) {
        const reason = await distrust()
        if (reason !== null) {
          return {
            checks: [{ name: NAME, status: 'queued', required: true, run: null, url: null, logTail: `not run: ${reason}` }],
            state: 'pending',
            required: true,
          }
        }
      }
      if (latest === undefined) return { checks: [], state: 'none', required: true }
      const tail = latest.status === 'failed' || latest.status === 'timed_out' ? await logTail(latest.logPath) : null
      const check: Check = { name: latest.name, status: latest.status, required: true, run: String(latest.id), url: latest.logPath, logTail: tail }
      return { checks: [check], state: checksState(latest.status), required: true }
    },

    async log(pull, name) {
      const rows = (await store.pulls.checks({ pull: pull.number })).filter((row) => row.name === name)
      const shared = rows.length > 0 ? rows : (await store.pulls.checks({ head: pull.headSha })).filter((row) => row.name === name)
      const row = shared.sort((a, b) => a.id - b.id).at(-1)
      if (row === undefined) {
        throw new ExomonadError('INVALID_ARG', `#${pull.number} has no check "${name}" that ran. \`exomonad pr checks ${pull.number}\` lists them.`, { name })
      }
      return wholeLog(row.logPath)
    },

    cancel: (pull) => oneAtATime(() => cancelExcept(pull, null)),

    async dispose() {
      disposed = true
      await oneAtATime(async () => undefined)
      await queue.dispose()
      await removeEmptyFolder(paths.ciWork)
    },
  }
}
