import type { Pane } from '../../adapters/terminals/holder.ts'
import type { JournalEntry } from '../../domain/records.ts'
import { asBranchName, parseAgentId, parseSha } from '../../domain/ids.ts'
import { holdNoMore } from './held-children.ts'
import { forgetIssue } from './issues/records.ts'
import { endCapture } from './open-capture.ts'
import type { SpawnError } from './spawn-use-cases.ts'
import type { Deps } from '../deps.ts'
import type { SpawnIntent } from './intent.ts'
import type { Teardown } from './provision/teardown.ts'
import { giveBack } from './take-over.ts'
import type { States } from '../agents/states.ts'

/** Takes back what a spawn made, or, where its agent already works, lets it live. */
export interface SpawnUndo {
  /** After a failure in this process: nothing has worked there yet, everything of it goes. */
  undo(journal: string, failure: SpawnError): Promise<void>
  /** Journal ids of spawns that could not be taken back yet. */
  readonly stuck: ReadonlySet<string>
  /**
   * After a crash: the agent may have worked meanwhile, so only what is proven untouched goes.
   * Undefined: something is left and is tried again.
   */
  settle(entry: JournalEntry): Promise<'done' | 'undone' | undefined>
}

export function createSpawnUndo({
  store,
  git,
  multiplexer,
  files,
  trash,
  publisher,
  clock,
  log,
  states,
  teardown,
}: Pick<
  Deps,
  'store' | 'git' | 'multiplexer' | 'files' | 'trash' | 'publisher' | 'clock' | 'log'
> & { states: States; teardown: Teardown }): SpawnUndo {
  const stuck = new Set<string>()

  const takeBack = async (
    journal: string,
    intent: SpawnIntent,
    failure: SpawnError,
  ): Promise<void> => {
    const agentId = parseAgentId(intent.agentId)
    let complete = true
    // Reverse order; one part that can’t be taken back must not keep the others.
    const attempt = async (what: string, work: () => Promise<unknown>) => {
      try {
        await work()
      } catch (thrown) {
        complete = false
        log.error(
          { err: thrown, what, agent: agentId },
          'undoing a spawn left something behind; it is tried again',
        )
      }
    }
    // Of a retry: a later agent may have got the same folder or branch.
    const others = (await store.agents.list()).filter((agent) => agent.id !== agentId)
    const isFree = (field: 'worktree' | 'branch') =>
      !others.some((agent) => agent[field] === intent[field] && agent.cleanedAt === null)
    await attempt('pane', async () => {
      for (const pane of await multiplexer.list())
        if (pane.agentId === agentId) await multiplexer.close(pane.paneId)
    })
    // A set-up command that the daemon was cut off from goes on by itself.
    await attempt('processes', () => multiplexer.endLeftBehind(agentId))
    await attempt('files', async () => {
      await files.remove(agentId)
      await files.removeFolder(agentId)
      await files.removeOutput(agentId)
    })
    if (intent.makesWorktree && isFree('worktree')) {
      const agent = await store.agents.get(agentId)
      const { step } = (await store.journal.get(journal)) ?? {}
      // What set-up commands may have begun.
      if (agent !== undefined && step !== 'reserved' && step !== 'worktree') await teardown(agent)
      await attempt('worktree', () =>
        git.removeWorktree(intent.worktree, { force: true, trash: trash.folder }),
      )
      trash.empty()
    }
    if (intent.makesBranch && isFree('branch'))
      await attempt('branch', () =>
        git.deleteBranch(asBranchName(intent.branch), parseSha(intent.forkPoint)),
      )
    await store.transaction(async (tx) => {
      await tx.agents.remove(agentId)
      if (intent.from !== undefined) await giveBack(tx, intent.from)
      await tx.runs.remove(agentId)
      await forgetIssue(tx, agentId)
      await holdNoMore(tx, agentId)
      if (complete) await tx.journal.finish(journal, 'undone')
      if (intent.told === true) return
      await tx.journal.step(journal, 'undo', { told: true })
      await publisher.publish(
        {
          type: 'spawn.failed',
          agentId: null,
          actor: 'daemon',
          payload: {
            name: failure.name,
            branch: intent.branch,
            error: failure.error,
            code: failure.code,
          },
        },
        tx,
      )
    })
    if (complete) stuck.delete(journal)
    else stuck.add(journal)
  }

  /** Something was written or committed in the worktree: it must not be removed. */
  const touched = async (intent: SpawnIntent): Promise<boolean> => {
    if (!intent.makesWorktree) return false
    const tip = await git.resolve(`refs/heads/${intent.branch}`)
    if (intent.makesBranch && tip !== null && tip !== intent.forkPoint) return true
    if (!(await files.exists(intent.worktree))) return false
    try {
      const { operation, dirty, branch, head } = await git.status(intent.worktree)
      if (operation !== null || dirty.length > 0) return true
      // Commits on no branch, or on another, are not seen at the tip of its own.
      return branch !== intent.branch || head !== tip
    } catch {
      return true // a program was started there: what can’t be looked at is not removed
    }
  }

  /**
   * What was cut off before the records said so. Of a program that has ended meanwhile, its end.
   */
  const live = (
    entry: JournalEntry,
    intent: SpawnIntent,
    pane: Pane | undefined,
  ): Promise<void> => {
    const agentId = parseAgentId(intent.agentId)
    const alive = pane !== undefined && !pane.dead
    const reason = 'its program ended while the daemon was down'
    return store.transaction(async (tx) => {
      const agent = await states.change(
        agentId,
        {
          to: alive ? 'running' : 'failed',
          reason: alive ? null : reason,
          source: 'process',
          actor: 'daemon',
          patch: alive ? { paneId: pane.paneId, pid: pane.pid } : {},
          events: (changed) => [
            {
              type: 'agent.spawned',
              agentId,
              actor: 'daemon',
              why: 'finished after a crash',
              payload: {
                name: changed.name,
                kind: changed.kind,
                role: changed.role,
                branch: changed.branch,
                worktree: changed.worktree,
                adopted: changed.adopted,
              },
            },
            ...(alive
              ? []
              : [
                  {
                    type: 'agent.failed' as const,
                    agentId,
                    actor: agentId,
                    payload: {
                      name: changed.name,
                      exit_code: pane?.exitCode ?? null,
                      signal: pane?.exitSignal ?? null,
                      reason,
                      last_lines: '',
                    },
                  },
                ]),
          ],
        },
        tx,
      )
      if (agent !== undefined && intent.capture !== undefined)
        await endCapture(tx, intent.capture, agent, clock())
      await tx.journal.finish(entry.id, 'done')
    })
  }

  return {
    stuck,
    undo: async (journal, failure) => {
      try {
        const entry = await store.journal.get(journal)
        if (entry?.state === 'open') await takeBack(journal, entry.data as SpawnIntent, failure)
      } catch (thrown) {
        // A full disk, say: the caller still gets the failure of the spawn, and this is tried
        // again.
        stuck.add(journal)
        log.error({ err: thrown, journal }, 'undoing a spawn failed; it is tried again')
      }
    },

    settle: async (entry) => {
      const intent = entry.data as SpawnIntent
      const agentId = parseAgentId(intent.agentId)
      const pane = (await multiplexer.list()).find((candidate) => candidate.agentId === agentId)
      // One that was being taken back already is never let live.
      const started = (entry.step === 'pane' || entry.step === 'live') && !stuck.has(entry.id)
      const alive = pane !== undefined && !pane.dead
      if (started && (alive || (await touched(intent)))) {
        await live(entry, intent, pane)
        return 'done'
      }
      await takeBack(entry.id, intent, {
        name: intent.name ?? intent.branch,
        error: 'The daemon ended in the middle of the spawn; what had been made was taken back.',
        code: 'SPAWN_FAILED',
      })
      return stuck.has(entry.id) ? undefined : 'undone'
    },
  }
}
