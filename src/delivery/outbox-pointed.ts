import { cliOf } from '../core/agents/programs.ts'
import type { Config } from '../config/schema.ts'
import { handOverOf, stateOf } from '../domain/delivery-state.ts'
import type { AgentId, DeliveryId } from '../domain/ids.ts'
import type { Delivery } from '../domain/records.ts'
import { cap } from './render/escape.ts'
import { composeMessage, isTooLong, readCalls } from './outbox-message.ts'
import type { OutboxCli } from './outbox-typing.ts'
import type { WorkerDeps } from './outbox-worker.ts'

type Deps = Pick<WorkerDeps, 'store' | 'settings'>

/** A message that was typed as one line that points to it. */
interface Pointed {
  readonly batch: string
  /** All of it, as it was claimed. */
  readonly deliveries: readonly Delivery[]
  readonly text: string
}

/** Those of the agent’s that one of these ids belongs to. */
async function pointedOf(
  { store }: Pick<Deps, 'store'>,
  agentId: AgentId,
  ids: readonly string[],
  { cli, config }: { cli: OutboxCli; config: Config },
): Promise<Pointed[]> {
  const found = await Promise.all([...new Set(ids)].map((id) => store.outbox.get(id as DeliveryId)))
  const batches = new Set(
    found
      .filter((delivery) => delivery?.recipient === agentId)
      .map((delivery) => delivery?.batch ?? null),
  )
  const pointed: Pointed[] = []
  for (const batch of batches) {
    if (batch === null) continue
    const deliveries = await store.outbox.list({ batch, recipient: agentId })
    const text = pointedText(deliveries, cli, config)
    if (text !== null) pointed.push({ batch, deliveries, text })
  }
  return pointed
}

/** The text of those that their prompt only pointed to; null for what came whole. */
function pointedText(batch: readonly Delivery[], cli: OutboxCli, config: Config): string | null {
  const [first] = batch
  if (first === undefined || handOverOf(stateOf(first))?.lane !== 'pane' || !cli.acks) return null
  const { text } = composeMessage(batch, {
    maxChars: config.delivery.max_chars,
    acks: true,
    inert: cli.inert,
  })
  return isTooLong(text, cli.pasteLimit) ? text : null
}

const idsOf = (all: readonly Pointed[]): DeliveryId[] =>
  all.flatMap(({ deliveries }) => deliveries.map(({ id }) => id))

/**
 * Cut to what a hook’s answer may hold. The ids stay, because the conversation has to show them:
 * what it does not show is sent again.
 */
function shortened(text: string, pointed: readonly Pointed[], max: number): string {
  if (text.length <= max) return text
  const ids = idsOf(pointed)
  const room = Math.max(Math.floor(max / 2 / `${ids[0]} `.length), 1)
  const named = `\n[${ids.slice(0, room).join(' ')}]`
  const whole = `call ${readCalls(pointed.flatMap(({ deliveries }) => deliveries.slice(0, 1).map(({ id }) => id)))}`
  const cut = cap(text, { max: max - whole.length - named.length - 60, keep: 'start', whole })
  return `${cut}${named}`
}

/** Reads messages that were typed as one line that points to them; null where there is none. */
export const createPointedText =
  (deps: Deps) =>
  async (
    agentId: AgentId,
    ids: readonly string[],
  ): Promise<{ text: string; ids: DeliveryId[]; batches: string[]; provable: boolean } | null> => {
    const agent = await deps.store.agents.get(agentId)
    if (agent === undefined) return null
    const configured = await deps.settings.snapshot()
    const cli = cliOf(configured, agent)
    if (cli === undefined || cli.pasteLimit === null) return null
    const pointed = await pointedOf(deps, agentId, ids, { cli, config: configured.config })
    if (pointed.length === 0) return null
    const text = pointed.map((each) => each.text).join('\n\n')
    return {
      text: shortened(text, pointed, cli.contextLimit ?? Infinity),
      ids: idsOf(pointed),
      batches: pointed.map(({ batch }) => batch),
      provable: cli.mentions !== undefined,
    }
  }

/**
 * The whole text of one delivery; of one in a message that was only pointed to, of that message.
 * Undefined for another agent’s.
 */
export const createWholeText =
  (deps: Deps) =>
  async (
    agentId: AgentId,
    id: DeliveryId,
  ): Promise<{ text: string; ids: readonly DeliveryId[] } | undefined> => {
    const delivery = await deps.store.outbox.get(id)
    if (delivery?.recipient !== agentId) return undefined
    const alone = { text: delivery.text, ids: [id] }
    const agent = await deps.store.agents.get(agentId)
    if (agent === undefined) return alone
    const configured = await deps.settings.snapshot()
    const cli = cliOf(configured, agent)
    if (cli === undefined || cli.pasteLimit === null) return alone
    const [pointed] = await pointedOf(deps, agentId, [id], { cli, config: configured.config })
    if (pointed === undefined) return alone
    const { deliveries } = pointed
    const options = { maxChars: Infinity, acks: false, inert: (text: string) => text }
    return { text: composeMessage(deliveries, options).text, ids: idsOf([pointed]) }
  }
