import { randomUUID } from 'node:crypto'
import type { Config } from '../../config/schema.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import type { Agent, Approval } from '../../domain/records.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Deps } from '../deps.ts'

interface Outcome {
  readonly decision: 'approved' | 'denied'
  readonly reason: string | null
}

/**
 * Ids of permissions that agents’ programs ask for begin so: the program gets the decision, its
 * agent needs no message.
 */
const PERMISSION = 'perm-'
export const isPermission = (id: string): boolean => id.startsWith(PERMISSION)

/** Characters of an id that say which one is meant. */
const SHORTEST = 4

export interface Approvals {
  /**
   * Waits for the human where the configuration asks for it, and returns whether it did;
   * APPROVAL_DENIED where refused. The human needs none.
   */
  requireForSpawn(
    limits: Config['limits'],
    caller: Caller,
    branches: readonly string[],
  ): Promise<boolean>
  /**
   * Asks the human whether an agent’s program may do something. Undefined where the signal came
   * first: it was settled elsewhere, or nobody waits.
   */
  requestPermission(agent: Agent, what: string, signal: AbortSignal): Promise<Outcome | undefined>
  decide(
    id: string,
    decision: 'approved' | 'denied',
    reason: string | undefined,
  ): Promise<{ approval_id: string; decision: string }>
  /** After a restart nobody waits for the old requests any more. */
  dropOrphans(): Promise<void>
}

export function createApprovals({
  store,
  publisher,
  clock,
  log,
}: Pick<Deps, 'store' | 'publisher' | 'clock' | 'log'>): Approvals {
  const waiting = new Map<string, (outcome: Outcome) => void>()

  /** Whoever comes first decides. */
  const settle = async (
    { id, agentId, what }: Approval,
    outcome: Outcome,
    actor: 'human' | 'daemon',
  ): Promise<void> => {
    const { decision, reason } = outcome
    const decided = await store.transaction(async (tx) => {
      if (!(await tx.approvals.decide(id, decision, reason, clock()))) return false
      await publisher.publish(
        {
          type: 'approval.decided',
          agentId,
          actor,
          payload: {
            ...{ approval_id: id, decision, what, reason },
            ...(isPermission(id) ? { permission: true } : {}),
            ...(actor === 'daemon' ? { ended: true } : {}),
          },
        },
        tx,
      )
      return true
    })
    if (decided) waiting.get(id)?.(outcome)
  }

  const decide: Approvals['decide'] = async (id, decision, reason) => {
    const pending = await store.approvals.pending()
    const exact = pending.filter((approval) => approval.id === id)
    if (exact.length === 0 && id.length < SHORTEST) {
      // An id may begin with the number of another item.
      const meant = decision === 'approved' ? '--approve' : '--deny'
      throw new ExomonadError(
        'INVALID_ARG',
        /^\d+$/.test(id)
          ? `"${id}" is no id. If it is a number in your inbox: \`exomonad inbox ${id} ${meant}\`.`
          : `"${id}" is too short for an id: give ${SHORTEST} characters of it at least. \`exomonad inbox\` lists what waits.`,
        { approval_id: id },
      )
    }
    const matches =
      exact.length > 0 ? exact : pending.filter((approval) => approval.id.startsWith(id))
    const [approval] = matches
    if (approval === undefined || matches.length > 1) {
      throw new ExomonadError(
        'INVALID_ARG',
        `${matches.length === 0 ? 'Nothing' : 'More than one thing'} with the id "${id}" waits for approval. \`exomonad inbox\` lists what does.`,
        { approval_id: id },
      )
    }
    await settle(approval, { decision, reason: reason ?? null }, 'human')
    return { approval_id: approval.id, decision }
  }

  /** Of one that is over nobody waits for the answer any more. */
  const closeWithAgent = async ({ id, agentId }: Pick<Approval, 'id' | 'agentId'>) => {
    const agent = await store.agents.get(agentId)
    const approval = await store.approvals.get(id)
    if (approval === undefined || (agent !== undefined && isAlive(agent.state))) return
    await settle(approval, { decision: 'denied', reason: 'its agent has ended' }, 'daemon')
  }

  const request = async (
    id: string,
    agent: Agent,
    what: string,
  ): Promise<{ promise: Promise<Outcome> }> => {
    const outcome = new Promise<Outcome>((resolve) => waiting.set(id, resolve))
    await store.transaction(async (tx) => {
      await tx.approvals.insert({
        id,
        agentId: agent.id,
        what,
        requestedAt: clock(),
        decision: null,
        decidedAt: null,
        reason: null,
      })
      await publisher.publish(
        {
          type: 'approval.requested',
          agentId: agent.id,
          actor: agent.id,
          payload: { approval_id: id, name: agent.name, what },
        },
        tx,
      )
    })
    const stop = store.subscribe(agent.id, () => {
      closeWithAgent({ id, agentId: agent.id }).catch((error: unknown) =>
        log.warn({ err: error, approval: id }, 'what an agent asked for could not be closed'),
      )
    })
    return { promise: outcome.finally(stop) }
  }

  return {
    decide,
    requestPermission: async (agent, what, signal) => {
      if (signal.aborted) return undefined
      const id = `${PERMISSION}${randomUUID().slice(0, 6)}`
      const gone = new Promise<undefined>((resolve) =>
        signal.addEventListener('abort', () => resolve(undefined), { once: true }),
      )
      try {
        const { promise } = await request(id, agent, what)
        const outcome = await Promise.race([promise, gone])
        if (outcome === undefined)
          await decide(
            id,
            'denied',
            agent.runtime === 'acp'
              ? 'its program no longer asks'
              : 'it was settled in the agent’s terminal',
          )
        return outcome
      } finally {
        waiting.delete(id)
      }
    },
    requireForSpawn: async (limits, caller, branches) => {
      const depth = caller.agent.depth + 1
      if (
        caller.kind === 'human' ||
        caller.actedBy === 'person' ||
        branches.length === 0 ||
        limits.approval_depth === undefined ||
        depth < limits.approval_depth
      )
        return false
      const id = randomUUID().slice(0, 8)
      const what = `spawn ${branches.join(', ')} at depth ${depth}`
      const { promise } = await request(id, caller.agent, what)
      const { decision, reason } = await promise.finally(() => waiting.delete(id))
      if (decision === 'denied') {
        throw new ExomonadError(
          'APPROVAL_DENIED',
          `The human refused to let you ${what}${reason === null ? '' : `: ${reason}`}. Do the work without it.`,
          {
            approval_id: id,
          },
        )
      }
      return true
    },
    dropOrphans: async () => {
      for (const approval of await store.approvals.pending()) {
        if (waiting.has(approval.id)) continue
        if (!isPermission(approval.id)) {
          await decide(approval.id, 'denied', 'the daemon restarted; ask again')
          continue
        }
        const agent = await store.agents.get(approval.agentId)
        // Without a terminal it asks again, by itself.
        const asksAgain = agent?.runtime === 'acp'
        await decide(
          approval.id,
          'denied',
          `the daemon restarted; ${asksAgain ? 'the question is put again' : 'answer in its terminal'}`,
        )
        if (agent?.state !== 'waiting' || asksAgain) continue
        const reason = agent.stateReason ?? approval.what
        await publisher.publish({
          type: 'agent.waiting',
          agentId: agent.id,
          actor: agent.id,
          payload: { name: agent.name, reason, source: agent.stateSource, screen: '' },
        })
      }
    },
  }
}
