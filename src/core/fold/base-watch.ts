import type { MergeResults } from '../../adapters/forge/merge-results.ts'
import type { StoredEvent } from '../../domain/records.ts'
import { asBranchName, type BranchName, type Sha } from '../../domain/ids.ts'
import type { Deps } from '../deps.ts'
import { ownerOf } from '../pulls/merge/settle.ts'

/**
 * Whether bases are green as they are, where something landed whose result nobody had checked:
 * forced, unchecked, or merged past us.
 */
export interface BaseWatch {
  /**
   * Checks the tip, where nothing is known of its files; notifies the base’s owner where it is red.
   * Looks at one base follow each other.
   */
  look(base: BranchName): Promise<void>
  /** That commit was found good and is the tip; `landed` came with it. */
  green(base: BranchName, tip: Sha, landed?: readonly Sha[]): Promise<void>
  /**
   * Notes that a base has to be looked at, where something landed on it unchecked, and has that
   * done.
   */
  note(event: StoredEvent): Promise<void>
  /** Looks that a restart cut off. */
  resume(): Promise<void>
  settled(): Promise<void>
}

interface BaseRecord extends Record<string, unknown> {
  /** Tip that was last found good; before the first, the one before what landed unchecked. */
  readonly green?: Sha
  /** Tip that was found red, and reported. */
  readonly red?: Sha
  /** Something landed that has to be looked at. */
  readonly unchecked?: boolean
}

const PREFIX = 'base-state:'

export function createBaseWatch({
  store,
  git,
  publisher,
  log,
  results,
}: Pick<Deps, 'store' | 'git' | 'publisher' | 'log'> & { results: MergeResults }): BaseWatch {
  const looking = new Map<BranchName, Promise<void>>()
  /** Has not begun yet. */
  const waiting = new Map<BranchName, Promise<void>>()
  /** Commits by which something landed whose result had been checked. */
  const checked = new Set<string>()

  const read = async (base: BranchName): Promise<BaseRecord> =>
    ((await store.snapshots.get(`${PREFIX}${base}`)) ?? {}) as BaseRecord

  const green: BaseWatch['green'] = async (base, tip, landed = []) => {
    for (const sha of landed) checked.add(sha)
    await store.transaction(async (tx) => {
      const before = ((await tx.snapshots.get(`${PREFIX}${base}`)) ?? {}) as BaseRecord
      await tx.snapshots.put(`${PREFIX}${base}`, { green: tip })
      if (before.red === undefined) return
      await publisher.publish(
        { type: 'base.green', agentId: null, actor: 'daemon', payload: { branch: base, sha: tip } },
        tx,
      )
    })
  }

  const red = async (
    base: BranchName,
    tip: Sha,
    known: { readonly logTail: string; readonly logUrl: string | null },
  ): Promise<void> => {
    const before = await read(base)
    const commits =
      before.green !== undefined && (await git.isAncestor(before.green, tip))
        ? await git.firstParents(before.green, tip)
        : [{ sha: tip, subject: '' }]
    const merged = await results.mergedAs(
      base,
      commits.map(({ sha }) => sha),
    )
    const owner = ownerOf(await store.agents.list({ live: true }), base)
    await store.transaction(async (tx) => {
      await tx.snapshots.put(`${PREFIX}${base}`, {
        ...(before.green === undefined ? {} : { green: before.green }),
        red: tip,
      })
      const payload = {
        branch: base,
        sha: tip,
        since: commits.flatMap(({ sha }) => merged.get(sha) ?? []),
        log: known.logTail,
        log_url: known.logUrl,
      }
      await publisher.publish(
        {
          type: 'base.red',
          agentId: owner?.id ?? null,
          actor: 'daemon',
          payload,
        },
        tx,
      )
    })
  }

  const lookNow = async (base: BranchName): Promise<void> => {
    if (!(await results.required())) return
    const tip = await results.tip(base)
    if (tip === null) return
    const tree = await results.treeOf(tip)
    let known = await results.known(tree)
    if (known.state === 'unknown') {
      const slot = await results.slot({})
      if (slot === null) return
      try {
        const checked = await slot.check({ sha: tip, tree, label: 'base', kind: 'base' })
        if (checked.status === 'interrupted' || checked.status === 'unchecked') return
        known = { state: checked.status, logTail: checked.logTail, logUrl: checked.logUrl }
      } finally {
        slot.release()
      }
    }
    await (known.state === 'passed' ? green(base, tip) : red(base, tip, known))
  }

  const look: BaseWatch['look'] = (base) => {
    const next = waiting.get(base)
    if (next !== undefined) return next
    const done = (looking.get(base) ?? Promise.resolve())
      .then(() => {
        waiting.delete(base)
        return lookNow(base)
      })
      .catch((error: unknown) =>
        log.warn(
          { err: error, base },
          'whether a base is green could not be found out; the next landing asks again',
        ),
      )
      .finally(() => {
        if (looking.get(base) === done) looking.delete(base)
      })
    waiting.set(base, done)
    looking.set(base, done)
    return done
  }

  return {
    look,
    green,
    note: async ({ type, payload }) => {
      if (
        type !== 'pr.merged' ||
        typeof payload['base'] !== 'string' ||
        checked.delete(String(payload['sha']))
      )
        return
      const base = asBranchName(payload['base'])
      const before = await read(base)
      const since =
        before.green ??
        (typeof payload['sha'] === 'string' ? await git.resolve(`${payload['sha']}^`) : null)
      await store.snapshots.put(`${PREFIX}${base}`, {
        ...before,
        ...(since === null ? {} : { green: since }),
        unchecked: true,
      })
      void look(base)
    },
    resume: async () => {
      for (const [key, record] of await store.snapshots.list(PREFIX)) {
        if (record['unchecked'] === true) void look(asBranchName(key.slice(PREFIX.length)))
      }
    },
    settled: async () => {
      while (looking.size > 0) await Promise.all(looking.values())
    },
  }
}
