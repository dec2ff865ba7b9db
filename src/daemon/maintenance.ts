import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import {
  confinedSpools,
  readConfinedSpool,
  readSpool,
  type SpooledHook,
} from '../adapters/machine/spool.ts'
import { pruneFolder } from '../adapters/machine/prune-folder.ts'
import type { Git } from '../adapters/git/git.ts'
import type { Trash } from '../adapters/machine/trash.ts'
import type { Store } from '../adapters/store/store.ts'
import type { Config } from '../config/schema.ts'
import type { Clock } from '../domain/clock.ts'
import { ExomonadError } from '../domain/errors.ts'
import type { Core } from '../core/core.ts'
import { boundsOf } from '../core/spawn/provision/setup.ts'
import { hashToken } from '../core/spawn/token.ts'
import type { Log } from '../runtime/log.ts'
import type { Paths } from '../runtime/paths.ts'
import { callSpooledHook } from '../surfaces/http/hooks.ts'
import { pruneOutputs } from './prune-outputs.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** What set-up commands wrote. Bytes. */
const SETUP_LOGS = 20_000_000
const BACKUP_EVERY = 600_000
/** A step of making worktrees ready: one at a time, while nobody waits for the machine. */
const POOL_EVERY = 1_000
/**
 * Soon after the start, when what it settled is settled: a tree that is lost in its first minutes
 * was begun by somebody, too.
 */
const FIRST_BACKUP = 5_000

/**
 * What happens by the clock: whether the repository is still there, reconciliation, hooks that were
 * spooled while the daemon was down, retention. Returns how to stop.
 */
export function startMaintenance(deps: {
  core: Core
  store: Store
  git: Pick<Git, 'endPool' | 'tendBorrower' | 'tendPool' | 'resolve'>
  paths: Paths
  trash: Trash
  config: () => Config
  clock: Clock
  log: Log
  onLost: () => void
}): () => Promise<void> {
  const { core, store, git, paths, trash, config, clock, log } = deps
  const { repeat, stop } = createRepeated(log)

  const spool = async () => {
    const hear = async ({ event, token, body, at }: SpooledHook): Promise<void> => {
      const agent = await core.directory.byTokenHash(hashToken(token))
      if (agent === undefined) return
      await callSpooledHook(core.hooks, event, { kind: 'agent', agent }, body, at)
    }
    await readSpool(paths.spool, hear, log)
    for (const folder of await confinedSpools(paths.agents))
      await readConfinedSpool(folder, hear, log)
  }

  const retain = async () => {
    const { retention } = config()
    const before = clock() - retention.events_days * DAY
    await store.events.prune(before)
    await store.outbox.prune(before)
    await store.usage.prune(clock() - retention.usage_days * DAY)
    await core.once.prune(clock() - DAY)
    await pruneFolder(paths.ciLogs, retention.ci_logs_mb * 1_000_000)
    await pruneFolder(paths.transcripts, retention.transcripts_mb * 1_000_000)
    await pruneFolder(paths.setupLogs, SETUP_LOGS)
    await core.maintenance.pruneSetupCache(boundsOf(config()))
    const live = new Set<string>((await store.agents.list({ live: true })).map(({ id }) => id))
    await pruneOutputs(paths.outputs, {
      limit: retention.outputs_mb * 1_000_000,
      live,
      now: clock(),
      before,
    })
  }

  let tending: Promise<void> | undefined
  /** A checkout takes its time, for which nothing else here waits. */
  const pool = async () => {
    if (tending !== undefined) return
    const { worktree, git: settings } = config()
    const root = (await store.agents.list()).find(({ kind }) => kind === 'root')
    const at = root === undefined ? null : await git.resolve(`refs/heads/${root.branch}`)
    if (at === null) return
    const folder = paths.pools[worktree.root]
    /** Where worktrees lay before `[worktree] root` was changed. Returns whether there was one. */
    const endOthers = async (): Promise<boolean> => {
      const others = Object.values(paths.pools).filter(
        (other) => other !== folder && existsSync(other),
      )
      for (const other of others) await git.endPool(other, trash.folder)
      return others.length > 0
    }
    tending = endOthers()
      .then(async (ended) => {
        const did = await git.tendPool({
          folder,
          ...{ size: worktree.pool, at, trash: trash.folder },
          checkoutWorkers: settings.checkout_workers,
        })
        if (did || ended) trash.empty()
      })
      .catch((thrown: unknown) => log.warn({ err: thrown }, 'no worktree could be made ready'))
      .finally(() => (tending = undefined))
  }

  /** A daemon of a repository that was removed or moved away has nobody left to serve. */
  const home = async () => {
    const there = await stat(paths.repositoryFile).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
    )
    if (there) return
    log.warn({ file: paths.repositoryFile }, 'the repository is gone; the daemon ends')
    deps.onLost()
  }

  repeat('home', () => config().liveness.reconcile_every * 1000, home)
  repeat('reconcile', () => config().liveness.reconcile_every * 1000, core.maintenance.reconcile)
  repeat('spool', () => config().liveness.reconcile_every * 1000, spool, 0)
  const { backUp } = store
  if (backUp !== null)
    repeat(
      'backup',
      () => BACKUP_EVERY,
      () => backUp(paths.backups),
      FIRST_BACKUP,
    )
  repeat('retention', () => HOUR, retain, 10_000)
  repeat(
    'what the forge borrows',
    () => HOUR,
    () => git.tendBorrower(paths.origin),
  )
  repeat('the pool', () => POOL_EVERY, pool)

  return stop
}

/** Jobs that come again and again, one at a time. */
function createRepeated(log: Log) {
  let stopped = false
  let running: Promise<void> = Promise.resolve()
  const timers = new Set<NodeJS.Timeout>()

  /** Repeats a job; the next run begins when the last one has ended. */
  const repeat = (
    what: string,
    every: () => number,
    job: () => Promise<unknown>,
    first = every(),
  ) => {
    const arm = (delay: number) => {
      if (stopped) return
      const timer = setTimeout(() => {
        timers.delete(timer)
        running = running
          .then(job)
          .then(
            () => {},
            (thrown: unknown) => {
              // Said once when the store goes, and once when it is back.
              const isKnown = thrown instanceof ExomonadError && thrown.code === 'STORE_UNAVAILABLE'
              log[isKnown ? 'debug' : 'error'](
                { err: thrown, what },
                'upkeep failed; it is tried again',
              )
            },
          )
          .then(() => arm(every()))
      }, delay)
      timers.add(timer)
    }
    arm(first)
  }

  const stop = async (): Promise<void> => {
    stopped = true
    for (const timer of timers) clearTimeout(timer)
    await running
  }
  return { repeat, stop }
}
