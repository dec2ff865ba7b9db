import { ExomonadError } from '../../domain/errors.ts'
import { newAgentId } from '../../domain/ids.ts'
import type { Agent, JournalEntry } from '../../domain/records.ts'
import type { Approvals } from '../questions/approvals.ts'
import type { Maintenance } from './maintenance-use-cases.ts'
import type { Deps } from '../deps.ts'
import { isAlive, STOPPED } from '../../domain/lifecycle.ts'
import type { MergePull } from '../pulls/merge/merge-pull.ts'
import { newAgentDefaults } from '../spawn/new-agent.ts'
import type { Teardown } from '../spawn/provision/teardown.ts'
import type { SpawnUndo } from '../spawn/undo.ts'
import { atOnce } from '../at-once.ts'

/** They use processors and disks as they like. */
const TEARDOWNS = 4

export function createMaintenance({
  store,
  git,
  publisher,
  setupCache,
  clock,
  log,
  reconcile,
  clean,
  reap,
  moveRoot,
  spawnUndo,
  mergePull,
  settleClean,
  failedCleans,
  teardown,
  files,
  approvals,
  deliverUnclaimed,
  giveBackUnconfirmed,
}: Pick<Deps, 'store' | 'git' | 'files' | 'publisher' | 'setupCache' | 'clock' | 'log'> & {
  reconcile: () => Promise<void>
  clean: Maintenance['clean']
  reap: Maintenance['reap']
  moveRoot: Maintenance['moveRoot']
  spawnUndo: SpawnUndo
  mergePull: MergePull
  settleClean: (entry: JournalEntry) => Promise<'done'>
  failedCleans: ReadonlySet<string>
  teardown: Teardown
  approvals: Approvals
  deliverUnclaimed: () => Promise<void>
  giveBackUnconfirmed: () => Promise<void>
}): Maintenance {
  /**
   * Entries that could not be settled yet; others in the journal may be under way in this process.
   */
  const unsettled = new Set<string>()

  const settle = async (
    entries: readonly JournalEntry[],
  ): Promise<{ finished: number; undone: number }> => {
    const count = { finished: 0, undone: 0 }
    for (const entry of entries) {
      unsettled.add(entry.id)
      try {
        const state =
          entry.kind === 'spawn'
            ? await spawnUndo.settle(entry)
            : entry.kind === 'merge'
              ? await mergePull.settle(entry)
              : entry.kind === 'clean'
                ? await settleClean(entry)
                : undefined
        if (state === undefined) continue
        // It is no longer settled but landed, in its turn.
        if (state === 'waits') {
          unsettled.delete(entry.id)
          continue
        }
        if (state === 'done') count.finished++
        else count.undone++
        unsettled.delete(entry.id)
      } catch (thrown) {
        log.error(
          { err: thrown, journal: entry.id, kind: entry.kind },
          'a journal entry could not be settled; it is tried again',
        )
      }
    }
    return count
  }

  return {
    reconcile: async () => {
      const open = await store.journal.open()
      const stuck = [unsettled, mergePull.stuck, spawnUndo.stuck, failedCleans]
      await settle(open.filter(({ id }) => stuck.some((some) => some.has(id))))
      await reconcile()
      await deliverUnclaimed()
    },
    clean,
    reap,
    moveRoot,
    tearDown: async (worktrees) => {
      const wanted = new Set(worktrees)
      const failed: string[] = []
      const agents = (await store.agents.list()).filter(
        ({ ownsWorktree, cleanedAt, state, stateReason }) =>
          ownsWorktree && cleanedAt === null && (!isAlive(state) || stateReason === STOPPED),
      )
      await atOnce(TEARDOWNS, agents, async (agent) => {
        // git lists them without symlinks.
        if (wanted.has(await files.realPath(agent.worktree)))
          failed.push(...(await teardown(agent)))
      })
      return failed
    },
    pruneSetupCache: (bounds) => setupCache.prune(bounds),
    recover: async () => {
      const result = await settle(await store.journal.open())
      await approvals.dropOrphans()
      await giveBackUnconfirmed()
      return result
    },
    registerRoot: async (worktree) => {
      const existing = (await store.agents.list()).find((agent) => agent.kind === 'root')
      if (existing !== undefined) return { agent: existing, already: true }
      const status = await git.status(worktree)
      if (status.branch === null)
        throw new ExomonadError(
          'DETACHED_HEAD',
          `${worktree} is on no branch. Check out the branch that the tree should grow from, then run \`exomonad init\` again.`,
        )
      if (status.head === null)
        throw new ExomonadError(
          'NO_COMMITS',
          `${status.branch} has no commit yet: agents need one to start from. Commit something, then run \`exomonad init\` again.`,
        )
      const now = clock()
      const branch = status.branch
      const root: Agent = {
        ...newAgentDefaults(now),
        id: newAgentId(),
        name: 'root',
        kind: 'root',
        runtime: 'pane',
        role: 'tl',
        agentCli: null,
        parentId: null,
        depth: 0,
        branch,
        baseBranch: null,
        forkPoint: null,
        worktree,
        ownsWorktree: false,
        adopted: true,
        task: '',
        state: 'idle',
        stateReason: STOPPED,
        tokenHash: `none:${newAgentId()}`,
      }
      await store.transaction(async (tx) => {
        await tx.agents.insert(root)
        await publisher.publish(
          {
            type: 'tree.initialized',
            agentId: root.id,
            actor: 'human',
            payload: { branch, worktree },
          },
          tx,
        )
      })
      return { agent: root, already: false }
    },
  }
}
