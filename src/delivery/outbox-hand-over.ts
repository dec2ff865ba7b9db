import type { AgentCli } from '../adapters/agent-cli/agent-cli.ts'
import type { Pane } from '../adapters/terminals/holder.ts'
import type { Store } from '../adapters/store/store.ts'
import type { Agent, Delivery } from '../domain/records.ts'
import type { Config } from '../config/schema.ts'
import type { Clock } from '../domain/clock.ts'
import type { AgentProbe } from '../core/agents/agent-probe.ts'
import type { PaneId } from '../domain/ids.ts'
import type { Log } from '../runtime/log.ts'
import { composeMessage, isTooLong, pointerTo } from './outbox-message.ts'
import { BOX, type Proof } from './outbox-proof.ts'
import type { OutboxRecords } from './outbox-records.ts'
import type { OutboxCli, Typing } from './outbox-typing.ts'
import { newUnconfirmed } from './outbox-unconfirmed.ts'

/**
 * `handed`: the agent has it, or that can’t be determined. `at`: when, where a turn begins by it.
 * `refused`: it certainly has not, and waits again. `nothing`: other lanes were quicker.
 */
export type HandedOver =
  | { kind: 'handed'; at: number | null }
  | { kind: 'refused'; reason: string }
  | { kind: 'nothing' }

export interface HandOver {
  byPane(
    agent: Agent,
    paneId: PaneId,
    queued: readonly Delivery[],
    hints: { cli: OutboxCli; config: Config },
  ): Promise<HandedOver>
  byChannel(
    agent: Agent,
    pane: Pane | undefined,
    queued: readonly Delivery[],
    hints: { cli: OutboxCli; channel: NonNullable<AgentCli['channel']>; config: Config },
  ): Promise<HandedOver>
}

/**
 * One message out of what waits, on its way: claimed first, which only one lane ever wins, and
 * noted once it was handed over. What a crash or a fault in between leaves is `claimed`: proof has to
 * settle it.
 */
export function createHandOver(deps: {
  readonly store: Store
  readonly records: OutboxRecords
  readonly probe: AgentProbe
  readonly proof: Proof
  readonly typing: Typing
  readonly clock: Clock
  readonly log: Log
  readonly newBatch: () => string
  readonly stopped: () => boolean
}): HandOver {
  const { store, records, probe, proof, typing, clock, log } = deps

  const claim = async (
    queued: readonly Delivery[],
    lane: 'pane' | 'channel' | 'acp',
    { cli, config }: { cli: OutboxCli; config: Config },
  ) => {
    const options = { maxChars: config.delivery.max_chars, acks: cli.acks, inert: cli.inert }
    const batch = deps.newBatch()
    const claimed = await store.outbox.claim(
      composeMessage(queued, options).ids,
      lane,
      batch,
      clock(),
    )
    if (claimed.length === 0) return undefined
    const expected = newUnconfirmed(lane, { name: 'under_way' })
    proof.unconfirmed.set(batch, expected)
    return { batch, claimed, expected, ...composeMessage(claimed, options) }
  }

  return {
    byPane: async (agent, paneId, queued, hints) => {
      const { cli, config } = hints
      const taken = await claim(queued, 'pane', hints)
      if (taken === undefined) return { kind: 'nothing' }
      const { batch, claimed, expected, ids, text } = taken
      const ackTimeout = config.delivery.ack_timeout * 1000
      const progress = {
        confirmed: async () =>
          cli.acks && (await store.outbox.list({ batch, states: ['sent'] })).length === 0,
        stopped: deps.stopped,
      }
      let at: number | null = null
      try {
        const typed = await typing.type(
          agent,
          paneId,
          cli.acks && isTooLong(text, cli.pasteLimit) ? pointerTo(text, ids) : text,
          { ...hints, batch, progress },
        )
        if (typed.kind === 'not_typed') {
          proof.unconfirmed.delete(batch)
          await records.requeue(claimed, clock(), typed.reason)
          return { kind: 'refused', reason: typed.reason }
        }
        at = typed.at
        // The next start finds it, and looks whether it arrived.
        if (typed.kind === 'cut_off') return { kind: 'handed', at }
        if (typed.kind === 'stuck') {
          expected.phase = { name: 'stuck', dueAt: clock(), reason: typed.reason }
          return { kind: 'handed', at }
        }
        await records.handed(agent.id, claimed)
        if (!cli.acks) proof.unconfirmed.delete(batch)
      } catch (error) {
        // Whether it was typed can't be determined: it is not typed again, and a confirmation may
        // still come.
        log.warn({ err: error, agent: agent.id }, 'a message may or may not have been typed')
      }
      const dueAt = clock() + ackTimeout
      expected.phase =
        cli.acks && cli.inputLine !== undefined && at !== null
          ? { name: 'in_box', dueAt, typedAt: at, boxAt: at + BOX }
          : { name: 'awaited', dueAt }
      return { kind: 'handed', at }
    },

    byChannel: async (agent, pane, queued, { channel, ...hints }) => {
      const { cli, config } = hints
      const taken = await claim(queued, cli.hasNoTerminal === true ? 'acp' : 'channel', hints)
      if (taken === undefined) return { kind: 'nothing' }
      const { batch, claimed, expected, text } = taken
      try {
        const result = await probe.send(agent, channel, pane, text)
        if (result.kind === 'refused') {
          proof.unconfirmed.delete(batch)
          await records.requeue(claimed, clock(), result.reason)
          return result
        }
        await records.handed(agent.id, claimed)
        if (!cli.acks) proof.unconfirmed.delete(batch)
      } catch (error) {
        log.warn(
          { err: error, agent: agent.id },
          'a message may or may not have reached the program’s channel',
        )
      }
      expected.phase = { name: 'awaited', dueAt: clock() + config.delivery.ack_timeout * 1000 }
      return { kind: 'handed', at: clock() }
    },
  }
}
