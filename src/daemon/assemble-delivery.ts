import { join } from 'node:path'
import type { AgentFiles } from '../adapters/machine/agent-files.ts'
import type { Store } from '../adapters/store/store.ts'
import type { Multiplexer } from '../adapters/terminals/holder.ts'
import { createAgentProbe, type AgentProbe } from '../core/agents/agent-probe.ts'
import { createLiveAgentOf } from '../core/agents/live-agent.ts'
import { createOutbox, type Outbox } from '../delivery/outbox.ts'
import { createPublisher, type PublisherWithDeliveries } from '../delivery/publisher.ts'
import { createRenderer, type Renderer } from '../delivery/render/render.ts'
import { newDeliveryId } from '../domain/ids.ts'
import type { Log } from '../runtime/log.ts'
import { PACKAGE_ROOT } from '../runtime/package-root.ts'
import type { Paths } from '../runtime/paths.ts'
import type { KnownTokens } from './known-tokens.ts'
import type { LiveSettings } from './settings.ts'
import { createTemplateOverrides } from './template-overrides.ts'

export interface AssembledDelivery {
  readonly renderer: Renderer
  readonly publisher: PublisherWithDeliveries
  readonly probe: AgentProbe
  readonly outbox: Outbox
}

/** From an event to the agents’ terminals; nothing is handed over before the outbox starts. */
export function assembleDelivery(deps: {
  readonly store: Store
  readonly multiplexer: Multiplexer
  readonly files: AgentFiles
  readonly settings: LiveSettings
  readonly paths: Paths
  readonly tokens: KnownTokens
  readonly clock: () => number
  readonly log: Log
}): AssembledDelivery {
  const { store, multiplexer, files, settings, clock, log } = deps
  const renderer = createRenderer({
    shippedFolder: join(PACKAGE_ROOT, 'templates'),
    overrideFolder: createTemplateOverrides({
      folder: deps.paths.templates,
      requireTrust: settings.requireTrust,
      clock,
    }),
    log,
    secrets: deps.tokens,
  })
  // Messages go on by the last one that could be read.
  const snapshot = () => settings.snapshot().catch(settings.lastRead)
  const attention = async () => (await snapshot()).config.attention
  const publisher = createPublisher({ store, renderer, clock, log, newDeliveryId, attention })
  const probe = createAgentProbe({
    liveAgentOf: createLiveAgentOf({ files }),
    multiplexer,
    clock,
    log,
  })
  const outbox = createOutbox({
    store,
    probe,
    multiplexer,
    settings: { snapshot },
    publisher,
    clock,
    log,
  })
  return { renderer, publisher, probe, outbox }
}
