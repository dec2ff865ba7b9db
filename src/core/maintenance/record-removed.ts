import type { Agent } from '../../domain/records.ts'
import type { Deps } from '../deps.ts'

/** Writes down that these agents’ worktrees and branches are gone, with the forks that shared them. */
export type RecordRemoved = (
  gone: readonly { readonly agent: Agent; readonly forks: readonly Agent[] }[],
) => Promise<void>

export const createRecordRemoved =
  ({
    store,
    files,
    publisher,
    clock,
  }: Pick<Deps, 'store' | 'files' | 'publisher' | 'clock'>): RecordRemoved =>
  async (gone) => {
    if (gone.length === 0) return
    const all = gone.flatMap(({ agent, forks }) => [...forks, agent])
    await Promise.all(all.map(({ id }) => files.removeFolder(id)))
    await store.transaction(async (tx) => {
      for (const { id, reapedAt } of all)
        await tx.agents.update(id, {
          cleanedAt: clock(),
          reapedAt: reapedAt ?? clock(),
          paneId: null,
        })
      for (const { agent } of gone)
        await publisher.publish(
          {
            type: 'agent.removed',
            agentId: agent.id,
            actor: 'human',
            payload: { name: agent.name, branch: agent.branch, worktree: agent.worktree },
          },
          tx,
        )
    })
  }
