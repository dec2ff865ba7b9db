import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../../runtime/log.ts'
import type { Entry } from './panes.ts'
import type { Session } from './session.ts'

/** A busy one may not list its panes, or not close one. */
const ATTEMPTS = 10
/** Between two of them. Milliseconds. */
const PAUSE = 500

/** Panes that show what another one shows that was there before. */
const doublesOf = (entries: readonly Entry[]): Entry[] =>
  entries.filter(
    ({ shows }, index) =>
      shows !== null && entries.findIndex((entry) => entry.shows === shows) < index,
  )

/** Closes what the session shows twice, until it lists each terminal once. */
export async function closeDoubles(
  session: Session,
  log: Log,
  disposed: AbortSignal,
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS && !disposed.aborted; attempt += 1) {
    try {
      const entries = await session.list()
      const doubles = doublesOf(entries ?? [])
      if (entries !== undefined && doubles.length === 0) return
      for (const { id } of doubles) await session.action('close-pane', '--pane-id', id)
    } catch (error) {
      log.debug({ err: error }, 'what Zellij shows twice could not be closed')
    }
    await delay(PAUSE, undefined, { signal: disposed }).catch(() => undefined)
  }
}
