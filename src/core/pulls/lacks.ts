import type { Lack, ReportLack } from '../../adapters/forge/lack.ts'
import type { StoreTransaction, StoreVerbs } from '../../adapters/store/store.ts'
import { FORGE_NAMES, type ForgeKind } from '../../domain/forge-kinds.ts'
import type { Publisher } from '../../events/publish.ts'
import type { Log } from '../../runtime/log.ts'

/** Where it is so: the forge, and its name of the repository. */
interface Place {
  readonly forge: ForgeKind
  readonly repository: string
}

/**
 * Notifies the root of what the forge lacks here, once for ever: the event’s key is kept, whatever
 * becomes of the daemon.
 */
export async function publishLack(
  { publisher, verbs, tx }: { publisher: Publisher; verbs: StoreVerbs; tx?: StoreTransaction },
  { forge, repository }: Place,
  { key, what, why, fix }: Lack,
): Promise<void> {
  const root = (await verbs.agents.list()).find(({ kind }) => kind === 'root')
  await publisher.publish(
    {
      type: 'forge.lacks',
      agentId: root?.id ?? null,
      actor: 'daemon',
      payload: { forge: FORGE_NAMES[forge], lack: key, what, why, fix },
      dedupeKey: `lacks:${forge}:${repository}:${key}`,
    },
    tx,
  )
}

/** The same for the forge’s own code, which it must not fail. */
export const createReportLack =
  (
    { publisher, store, log }: { publisher: Publisher; store: StoreVerbs; log: Log },
    place: Place,
  ): ReportLack =>
  (lack) =>
    publishLack({ publisher, verbs: store }, place, lack).catch((error: unknown) =>
      log.warn({ err: error, lack: lack.key }, 'what the forge lacks could not be reported'),
    )
