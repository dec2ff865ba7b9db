import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { SessionRef } from '../settled.ts'

/**
 * Rows of one of Codex’s own databases, which it goes on writing meanwhile. None where it is not
 * there, or not as it was in 0.169.0.
 */
function rows<Row>(file: string, sql: string, parameter: string): Row[] {
  let database: Database.Database | undefined
  try {
    database = new Database(file, { readonly: true, fileMustExist: true, timeout: 500 })
    return database.prepare<[string], Row>(sql).all(parameter)
  } catch {
    return []
  } finally {
    database?.close()
  }
}

/** Whether one of these words stands in a message that waits in the session’s queue. */
export function isQueued(sqliteHome: string, sessionId: string, words: readonly string[]): boolean {
  const queued = rows<{ payload_json: string }>(
    join(sqliteHome, 'queue_1.sqlite'),
    'select payload_json from queued_items where thread_id = ?',
    sessionId,
  )
  return queued.some(({ payload_json: payload }) => words.some((word) => payload.includes(word)))
}

/**
 * Codex’s own subagents that were started in a session, and theirs. They work in the same program.
 */
export function subagentsOf(sqliteHome: string, sessionId: string): SessionRef[] {
  return rows<SessionRef>(
    join(sqliteHome, 'state_5.sqlite'),
    `with recursive below(id) as (
       select child_thread_id from thread_spawn_edges where parent_thread_id = ?
       union select child_thread_id from thread_spawn_edges join below on parent_thread_id = below.id
     )
     select threads.id as id, rollout_path as transcript from below join threads on threads.id = below.id`,
    sessionId,
  )
}
