import Database from 'better-sqlite3'
import type { Log } from '../../../runtime/log.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'
import { isAlive, isLasting, STOPPED } from '../../../domain/lifecycle.ts'
import type { Agent } from '../../../domain/records.ts'
import { openSqliteStore } from './open.ts'

export interface AdoptedAgent {
  readonly id: string
  readonly name: string
  /** As it is now in the store. */
  readonly worktree: string
  /** It has one of its own, which is to be there. */
  readonly needsWorktree: boolean
}

/**
 * Makes a copy of a store fit for where none of its programs run: brings it to today’s version; what
 * worked is stopped (`exomonad resume NAME` starts it again), sessions and processes have failed, and
 * folders are where `relocate` says. Throws STORE_TOO_NEW, STORE_CORRUPT and as opening does.
 */
export async function adoptCopy(
  file: string,
  relocate: (path: string) => string,
  {
    log,
    now,
    reason = 'it ran when the backup was made',
  }: { log: Log; now: number; /** Why what can’t go on has failed. */ reason?: string },
): Promise<AdoptedAgent[]> {
  await (await openSqliteStore({ file, log })).close()
  const database = new Database(file, { fileMustExist: true })
  try {
    return database.transaction(() => {
      const agents = database
        .prepare('select id, name, kind, state, worktree, ownsWorktree, reapedAt from agents')
        .all() as (Pick<Agent, 'id' | 'name' | 'kind' | 'state' | 'worktree' | 'reapedAt'> & {
        ownsWorktree: number
      })[]
      const move = database.prepare('update agents set worktree = ? where id = ?')
      const end = database.prepare(
        "update agents set paneId = null, pid = null, state = ?, stateReason = ?, stateSource = 'daemon', stateAt = ?, endedAt = ? where id = ?",
      )
      for (const { id, kind, state, worktree } of agents) {
        move.run(relocate(worktree), id)
        if (!isAlive(state)) continue
        if (isLasting({ kind }) && (state !== 'spawning' || kind === 'root'))
          end.run('idle', STOPPED, now, null, id)
        else end.run('failed', reason, now, now, id)
      }
      relocateJournal(database, relocate)
      return agents.map(({ id, name, kind, worktree, ownsWorktree, reapedAt }) => ({
        id,
        name,
        worktree: relocate(worktree),
        needsWorktree: kind !== 'root' && ownsWorktree === 1 && reapedAt === null,
      }))
    })()
  } finally {
    // One file: what SQLite keeps beside it would be left behind.
    database.pragma('wal_checkpoint(truncate)')
    database.pragma('journal_mode = delete')
    database.close()
  }
}

/** What was under way names folders. */
function relocateJournal(database: Database.Database, relocate: (path: string) => string): void {
  const open = database.prepare("select id, data from journal where state = 'open'").all() as {
    id: string
    data: string
  }[]
  const write = database.prepare('update journal set data = ? where id = ?')
  for (const { id, data } of open)
    write.run(
      JSON.stringify(
        eachText(parseJson(data), (text) => (text.startsWith('/') ? relocate(text) : text)),
      ),
      id,
    )
}

function eachText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((one) => eachText(one, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, eachText(one, change)]))
}
