import type { Kysely } from 'kysely'
import { change } from '../session.ts'
import type { Tables } from '../tables.ts'

/**
 * Takes away what no verb removes and nobody will ask for again: ended journal entries, long after
 * their start.
 */
export async function forgetFinished(db: Kysely<Tables>, now: number): Promise<void> {
  await change(
    db,
    "delete from journal where state <> 'open' and startedAt < ?",
    now - JOURNAL_MILLISECONDS,
  )
}

const JOURNAL_MILLISECONDS = 30 * 24 * 60 * 60 * 1000
