import { sql } from 'kysely'
import type { Given, Runner, Tools } from '../queries.ts'

/**
 * Takes away what no verb removes and nobody will ask for again: ended journal entries, long after
 * their start.
 */
export async function forgetFinished({ change }: Runner, now: number): Promise<void> {
  await change(FORGET, { before: now - JOURNAL_MILLISECONDS })
}

const JOURNAL_MILLISECONDS = 30 * 24 * 60 * 60 * 1000

const FORGET = ({ db }: Tools, given: Given<{ before: number }>) =>
  db
    .deleteFrom('journal')
    .where('state', '<>', sql.lit('open'))
    .where('startedAt', '<', given.before)
