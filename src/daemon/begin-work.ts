import type { Forge } from '../adapters/forge/forge.ts'
import type { Store } from '../adapters/store/store.ts'
import type { Multiplexer } from '../adapters/terminals/holder.ts'
import type { Config } from '../config/schema.ts'
import type { Outbox } from '../delivery/outbox.ts'
import type { Poller } from '../pull-watch/poller.ts'
import type { Log } from '../runtime/log.ts'
import type { Paths } from '../runtime/paths.ts'
import type { AssembledCore } from './assemble-core.ts'
import { listenForWebhooks } from './forge/listen-for-webhooks.ts'
import type { Releaser } from './releaser.ts'
import { requireAccounted } from './unaccounted.ts'

export interface BegunWork {
  /** How many panes of agents that live on were taken over; 0 at the first start. */
  readonly adopted: () => Promise<number>
  /** Operations that a crash cut off. */
  readonly recovered: { readonly finished: number; readonly undone: number }
}

/**
 * Sets everything going that goes on by itself. It is level-triggered from here on: first what a
 * crash cut off, then what is true now; new requests are let in only after this. `reconciled` is
 * called once the records say what is true.
 */
export async function beginWork(deps: {
  readonly assembled: AssembledCore
  readonly store: Store
  readonly multiplexer: Multiplexer
  readonly outbox: Outbox
  readonly forge: Forge
  readonly poller: Poller
  readonly resumeForge: () => Promise<void>
  readonly config: () => Config
  readonly paths: Paths
  /** Where the root’s agent works. */
  readonly rootWorktree: string
  /** Home of the person. */
  readonly userHome: string
  readonly log: Log
  readonly release: Releaser
  readonly reconciled: () => void
}): Promise<BegunWork> {
  const { assembled, store, multiplexer, outbox, forge, poller, paths, release } = deps
  const { maintenance } = assembled.core
  await multiplexer.start()
  await requireAccounted({ store, multiplexer, paths })
  const { already } = await maintenance.registerRoot(deps.rootWorktree)
  const recovered = await maintenance.recover()
  release.add('deaths', multiplexer.onDeath(assembled.paneDied))
  await maintenance.reconcile()
  deps.reconciled()
  await outbox.start()
  release.add('outbox', () => outbox.stop())
  poller.start()
  release.add('poller', () => poller.stop())
  const webhook = await listenForWebhooks({
    config: deps.config(),
    forge,
    poller,
    home: paths.home,
    userHome: deps.userHome,
    log: deps.log,
  })
  if (webhook !== null) release.add('webhook', () => webhook.close())
  for (const part of [
    'usage',
    'observing',
    'sessions',
    'paneNames',
    'limits',
    'landings',
    'background',
  ] as const)
    release.add(part, () => assembled[part].stop())
  await deps.resumeForge().then(assembled.background.begin)
  return {
    recovered,
    adopted: async () => (already ? (await multiplexer.list()).length : 0),
  }
}
