import process from 'node:process'
import type { Store } from '../adapters/store/store.ts'
import type { Environment } from '../config/environment.ts'
import type { PeopleNotices } from '../delivery/notify/notify-people.ts'
import { createPeopleNotices } from '../delivery/notify/notify-people.ts'
import { createIsStillOpen } from '../delivery/notify/still-open.ts'
import type { PublisherWithDeliveries } from '../delivery/publisher.ts'
import { realTimers } from '../delivery/timers.ts'
import { exec } from '../processes/exec.ts'
import type { Log } from '../runtime/log.ts'
import type { Paths } from '../runtime/paths.ts'
import type { TextGate } from '../sanitize/text-gate.ts'
import type { KnownTokens } from './known-tokens.ts'
import { notifyTargets } from './notify-targets.ts'
import type { LiveSettings } from './settings.ts'

/** What tells people; nothing is sent before it starts. */
export const assembleNotices = (deps: {
  readonly store: Store
  readonly publisher: PublisherWithDeliveries
  readonly settings: LiveSettings
  readonly environment: Environment
  /** Of commands that the configuration names. */
  readonly env: Readonly<Record<string, string>>
  readonly paths: Paths
  readonly tokens: KnownTokens
  readonly gate: TextGate
  readonly clock: () => number
  readonly log: Log
}): PeopleNotices => {
  const { store, settings, paths, clock } = deps
  return createPeopleNotices({
    ...deps,
    isStillOpen: createIsStillOpen(store),
    requireTrust: settings.requireTrust,
    timers: realTimers,
    startedAt: clock(),
    // By the last configuration that could be read.
    targets: async () => {
      const { config } = await settings.snapshot().catch(settings.lastRead)
      return notifyTargets(config, {
        ...deps,
        exec,
        home: paths.home,
        platform: process.platform,
      })
    },
  })
}
