import { randomUUID } from 'node:crypto'
import { ExomonadError } from '../errors.ts'
import type { Caller } from './core.ts'
import type { Deps } from './deps.ts'

export interface Approvals {
  /** Waits for the human where the configuration asks for it, and answers whether it did; APPROVAL_DENIED where refused. The human needs none. */
  requireForSpawn(caller: Caller, branches: readonly string[]): Promise<boolean>
  decide(id: string, decision: 'approved' | 'denied', reason: string | undefined): Promise<{ approval_id: string; decision: string }>
  /** After a restart nobody waits for the old requests any more. */
  dropOrphans(): Promise<void>
}

export function createApprovals({ store, publisher, settings, clock }: Pick<Deps, 'store' | 'publisher' | 'settings' | 'clock'>): Approvals {
  const waiting = new Map<string, (outcome: { decision: 'approved' | 'denied'; reason: string | null }) => void>()

  const decide: Approvals['decide'] = async (id, decision, reason) => {
    const matches = (await store.approvals.pending()).filter((approval) => approval.id.startsWith(id))
    const [approval] = matches
    if (approval === undefined || matches.length > 1) {
      throw new ExomonadError(
        'INVALID_ARG',
        `${matches.length === 0 ? 'Nothing' : 'More than one thing'} with the id "${id}" waits for approval. \`exomonad inbox\` lists what does.`,
        { approval_id: id },
      )
    }
    const decided = await store.transaction(async (tx) => {
      if (!(await tx.approvals.decide(approval.id, decision, reason ?? null, clock()))) return false
      await publisher.publish(
        {
          type: 'approval.decided',
          agentId: approval.agentId,
          actor: 'human',
          payload: { approval_id: approval.id, decision, what: approval.what, reason: reason ?? null },
        },
        tx,
      )
      return true
    })
    if (decided) waiting.get(approval.id)?.({ decision, reason: reason ?? null })
    return { approval_id: approval.id, decision }
  }

  return {
    decide,
    requireForSpawn: async (caller, branches) => {
      const { limits } = await settings.config()
      const depth = caller.agent.depth + 1
      if (caller.kind === 'human' || branches.length === 0 || limits.approval_depth === undefined || depth < limits.approval_depth) return false
      const id = randomUUID().slice(0, 8)
      const what = `spawn ${branches.join(', ')} at depth ${depth}`
      const outcome = new Promise<{ decision: 'approved' | 'denied'; reason: string | null }>((resolve) => waiting.set(id, resolve))
      await store.transaction(async (tx) => {
        await tx.approvals.insert({ id, agentId: caller.agent.id, what, requestedAt: clock(), decision: null, decidedAt: null, reason: null })
        await publisher.publish(
          { type: 'approval.requested', agentId: caller.agent.id, actor: caller.agent.id, payload: { approval_id: id, name: caller.agent.name, what } },
          tx,
        )
      })
      const { decision, reason } = await outcome.finally(() => waiting.delete(id))
      if (decision === 'denied') {
        throw new ExomonadError('APPROVAL_DENIED', `The human refused to let you ${what}${reason === null ? '' : `: ${reason}`}. Do the work without it.`, {
          approval_id: id,
        })
      }
      return true
    },
    dropOrphans: async () => {
      for (const approval of await store.approvals.pending()) {
        if (!waiting.has(approval.id)) await decide(approval.id, 'denied', 'the daemon restarted; ask again')
      }
    },
  }
}
