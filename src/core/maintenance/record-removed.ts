import type { AgentId } from '../../domain/ids.ts'
import type { Agent } from '../../domain/records.ts'
import type { Deps } from '../deps.ts'

/**
 * Writes down that these agents’ worktrees and branches are gone, with the forks that shared them;
 * once, whoever else did meanwhile.
 */
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
      const known = new Set<AgentId>()
      for (const { id } of all)
        if (((await tx.agents.get(id))?.cleanedAt ?? null) !== null) known.add(id)
      for (const { id, reapedAt } of all.filter((one) => !known.has(one.id)))
        await tx.agents.update(id, {
          cleanedAt: clock(),
          reapedAt: reapedAt ?? clock(),
          paneId: null,
        })
      for (const { agent } of gone.filter((one) => !known.has(one.agent.id)))
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
