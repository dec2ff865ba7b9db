import { join } from 'node:path'
import { ExomonadError } from '../../../domain/errors.ts'
import type { Sha } from '../../../domain/ids.ts'
import { rebasedHeads } from '../../../domain/rebased-heads.ts'
import type { CheckRow, PullRow } from '../../../domain/forge-rows.ts'
import type { Check, ChecksState } from '../check.ts'
import { createSerial } from '../serial.ts'
import type { CheckConfig } from './check-config.ts'
import { logTail, wholeLog } from './check-log.ts'
import type { CheckRuns } from './check-runs.ts'
import { checksState, isEnded, needsRun } from './check-state.ts'
import { removeEmptyFolder, sweepRuns } from './leftovers.ts'
import type { LocalForgeOptions } from './options.ts'

/** The one check of the local forge. */
export const CHECK_NAME = 'ci'

/** The present head of a pull request, and what merging it comes to. */
export interface CheckedHead {
  readonly pull: Pick<PullRow, 'number' | 'headBranch'>
  readonly head: Sha
  /** Null where the remote lacks the base. */
  readonly base: Sha | null
  /** The files after the merge; null where it conflicts, or the base is not there. */
  readonly tree: Sha | null
}

export interface Checks {
  /**
   * Queues a run of the head merged with its base where none has said anything of this head, or of
   * the same files; cancels runs of heads that the pull request had before. A base that moves later
   * starts nothing, and neither does a conflict: then there is nothing to check.
   */
  readonly ensure: (pull: PullRow, at: CheckedHead) => Promise<void>
  /** Runs it again, unless it is being run: `running`. */
  readonly rerun: (pull: PullRow, at: CheckedHead) => Promise<'started' | 'running'>
  readonly of: (
    at: CheckedHead,
  ) => Promise<{ checks: Check[]; state: ChecksState; required: boolean }>
  readonly log: (pull: PullRow, name: string) => Promise<string>
  /** The pull request is merged or closed: its runs are pointless. */
  readonly cancel: (pull: PullRow) => Promise<void>
  /**
   * Marks runs that a crash cut off and takes away what they left, once; stores the ends that the
   * store did not take when they came. Everything else here waits for it.
   */
  readonly recover: () => Promise<void>
  readonly dispose: () => Promise<void>
}

/**
 * A run is a row: queued → running → passed | failed | timed_out | cancelled | interrupted. Per
 * head and command one run counts, the latest; it holds for every pull request with that head, for
 * what that head is rebased to, and by its tree for the same files however they came about.
 * Cancelled (superseded) and interrupted (the daemon ended, or its commit could not be made) ones
 * are run again when the head is looked at again. The row is written before the process starts, so
 * that a crash leaves a row to settle, never an unknown process.
 */
export function createChecks({
  git,
  store,
  paths,
  clock,
  log,
  config,
  runs,
}: Pick<LocalForgeOptions, 'git' | 'store' | 'paths' | 'clock' | 'log'> & {
  config: CheckConfig
  runs: CheckRuns
}): Checks {
  const oneAtATime = createSerial()
  let disposed = false
  let recovered: Promise<void> | undefined

  const recover = async (): Promise<void> => {
    await (recovered ??= (async () => {
      for (const row of await store.pulls.checks({ statuses: ['queued', 'running'] })) {
        await store.pulls.updateCheck(row.id, { status: 'interrupted', finishedAt: clock() })
      }
      await sweepRuns({ git, ciWork: paths.ciWork, log })
      await removeEmptyFolder(paths.ciWork)
    })().catch((error: unknown) => {
      // Where the store was away, the next look tries it again.
      recovered = undefined
      throw error
    }))
    await runs.storeEnds()
  }

  /** Heads that are the same work as this one, it first. */
  const lineageOf = async (branch: string, head: Sha): Promise<Sha[]> =>
    (await rebasedHeads(store.snapshots, branch)).lineage(head)

  /** Ends runs of this pull request for heads that no open one has any more. */
  const cancelExcept = async (pull: PullRow, head: Sha | null): Promise<void> => {
    const unfinished = (
      await store.pulls.checks({ pull: pull.number, statuses: ['queued', 'running'] })
    ).filter(({ kind }) => kind === 'pull')
    if (unfinished.length === 0) return
    const wanted = new Set(
      (await store.pulls.list({ state: 'open' }))
        .filter((other) => other.number !== pull.number)
        .map((other) => other.headSha),
    )
    for (const same of head === null ? [] : await lineageOf(pull.headBranch, head)) wanted.add(same)
    for (const row of unfinished) if (!wanted.has(row.head)) await runs.cancel(row)
  }

  /**
   * The newest that says something of the head: a run of it, or one of the same files that has
   * ended.
   */
  const latestOf = async (
    { pull, head, tree }: CheckedHead,
    hash: string,
  ): Promise<CheckRow | undefined> => {
    const heads = await lineageOf(pull.headBranch, head)
    const ofHead = (await Promise.all(heads.map((one) => store.pulls.checks({ head: one }))))
      .flat()
      .filter((row) => row.kind === 'pull' || row.pull === pull.number)
    const ofFiles =
      tree === null ? [] : (await store.pulls.checks({ tree })).filter((row) => isEnded(row.status))
    return [...ofHead, ...ofFiles]
      .filter((row) => row.configHash === hash)
      .reduce<CheckRow | undefined>(
        (newest, row) => (newest === undefined || row.id > newest.id ? row : newest),
        undefined,
      )
  }

  const trees = new Map<Sha, Sha>()
  /** Whether a base is known to be red as it is. */
  const wasRed = async (base: Sha, hash: string): Promise<boolean> => {
    if (!trees.has(base)) {
      const [alone] = await git.mergeTrees([[base, base]])
      if (alone?.kind === 'clean') trees.set(base, alone.tree)
    }
    const tree = trees.get(base)
    const rows =
      tree === undefined
        ? []
        : (await store.pulls.checks({ tree })).filter(
            (row) => row.configHash === hash && isEnded(row.status),
          )
    return rows.length > 0 && rows.at(-1)?.status !== 'passed'
  }

  const enqueue = async (
    pull: PullRow,
    { head, base, tree }: CheckedHead,
    now: NonNullable<Awaited<ReturnType<CheckConfig['settings']>>>,
    alone = false,
  ): Promise<void> => {
    const row = await store.pulls.insertCheck({
      pull: pull.number,
      kind: 'pull',
      name: CHECK_NAME,
      head,
      base: tree === null ? null : base,
      tree,
      configHash: now.hash,
      status: 'queued',
      exitCode: null,
      logPath: join(paths.ciLogs, `${pull.number}-${head.slice(0, 12)}-${clock()}.log`),
      startedAt: null,
      finishedAt: null,
    })
    runs.add({ row, pull, settings: now.settings, ...(alone && { alone }) })
  }

  return {
    recover,

    ensure: (pull, at) =>
      oneAtATime(async () => {
        await recover()
        if (disposed) return
        await cancelExcept(pull, at.head)
        const now = await config.settings()
        if (now === undefined || (at.base !== null && at.tree === null)) return
        if (!needsRun(await latestOf(at, now.hash)) || (await config.distrust()) !== null) return
        await enqueue(pull, at, now)
      }),

    rerun: (pull, at) =>
      oneAtATime(async () => {
        await recover()
        const now = await config.settings()
        if (now === undefined) {
          throw new ExomonadError(
            'INVALID_ARG',
            `There is nothing to check #${pull.number} with. Set [forge.local] ci in the configuration.`,
            {
              number: pull.number,
            },
          )
        }
        const reason = await config.distrust()
        if (reason !== null) throw new ExomonadError('UNTRUSTED_CONFIG', reason)
        const latest = await latestOf(at, now.hash)
        if (latest?.status === 'queued' || latest?.status === 'running') return 'running'
        await enqueue(pull, at, now, true)
        return 'started'
      }),

    async of(at) {
      const now = await config.settings()
      if (now === undefined) return { checks: [], state: 'none', required: false }
      const latest = await latestOf(at, now.hash)
      if (needsRun(latest)) {
        const reason = await config.distrust()
        if (reason !== null) {
          return {
            checks: [
              {
                name: CHECK_NAME,
                status: 'queued',
                required: true,
                run: null,
                url: null,
                logTail: `not run: ${reason}`,
              },
            ],
            state: 'pending',
            required: true,
          }
        }
      }
      if (latest === undefined) return { checks: [], state: 'none', required: true }
      const isRed = latest.status === 'failed' || latest.status === 'timed_out'
      const words =
        isRed && latest.base !== null && (await wasRed(latest.base, now.hash))
          ? `[exomonad] ${latest.base.slice(0, 10)}, the base that it was merged with, is red without it\n`
          : ''
      const tail = isRed ? `${words}${await logTail(latest.logPath)}` : null
      const check: Check = {
        name: latest.name,
        status: latest.status,
        required: true,
        run: String(latest.id),
        url: latest.logPath,
        logTail: tail,
        ...(latest.kind === 'result' ? { landing: true } : {}),
      }
      return { checks: [check], state: checksState(latest.status), required: true }
    },

    async log(pull, name) {
      const rows = (await store.pulls.checks({ pull: pull.number })).filter(
        (row) => row.name === name,
      )
      const shared =
        rows.length > 0
          ? rows
          : (await store.pulls.checks({ head: pull.headSha })).filter((row) => row.name === name)
      const row = shared.sort((a, b) => a.id - b.id).at(-1)
      if (row === undefined) {
        throw new ExomonadError(
          'INVALID_ARG',
          `#${pull.number} has no check "${name}" that ran. \`exomonad pr checks ${pull.number}\` lists them.`,
          { name },
        )
      }
      return wholeLog(row.logPath)
    },

    cancel: (pull) => oneAtATime(() => cancelExcept(pull, null)),

    async dispose() {
      disposed = true
      await oneAtATime(async () => undefined)
      await runs.dispose()
      await removeEmptyFolder(paths.ciWork)
    },
  }
}
