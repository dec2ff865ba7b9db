import { cliOf } from '../core/agents/programs.ts'
import type { AgentId, DeliveryId } from '../domain/ids.ts'
import { pointedText } from './outbox-hand-over.ts'
import { cap } from './render/escape.ts'
import { readCalls } from './outbox-message.ts'
import type { WorkerDeps } from './outbox-worker.ts'

/** Reads messages that were typed as one line that points to them; null where there is none. */
export const createPointedText =
  ({ store, settings }: Pick<WorkerDeps, 'store' | 'settings'>) =>
  async (
    agentId: AgentId,
    ids: readonly string[],
  ): Promise<{ text: string; batches: string[]; provable: boolean } | null> => {
    const agent = await store.agents.get(agentId)
    if (agent === undefined) return null
    const configured = await settings.snapshot()
    const cli = cliOf(configured, agent)
    if (cli === undefined || cli.pasteLimit === null) return null
    const found = await Promise.all(
      [...new Set(ids)].map((id) => store.outbox.get(id as DeliveryId)),
    )
    const batches = new Set(
      found
        .filter((delivery) => delivery?.recipient === agentId)
        .map((delivery) => delivery?.batch ?? null),
    )
    const texts: string[] = []
    const shortened: string[] = []
    for (const batch of batches) {
      const message =
        batch === null
          ? null
          : pointedText(
              await store.outbox.list({ batch, recipient: agentId }),
              cli,
              configured.config,
            )
      if (message === null || batch === null) continue
      texts.push(message.text)
      shortened.push(batch)
    }
    const text = texts.join('\n\n')
    const max = cli.contextLimit ?? Infinity
    const whole = `call ${readCalls(ids)}`
    if (shortened.length === 0) return null
    const carried = cap(text, {
      max: text.length > max ? max - whole.length - 60 : max,
      keep: 'start',
      whole,
    })
    return { text: carried, batches: shortened, provable: cli.mentions !== undefined }
  }
