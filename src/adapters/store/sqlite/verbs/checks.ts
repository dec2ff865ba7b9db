import type { PullStore } from '../../store.ts'
import type { Session } from '../session.ts'

/** The part of the pulls' verbs that is about checks. */
export function createChecks({
  db,
}: Session): Pick<PullStore, 'insertCheck' | 'updateCheck' | 'checks'> {
  return {
    insertCheck: (check) =>
      db.insertInto('checks').values(check).returningAll().executeTakeFirstOrThrow(),
    updateCheck: async (id, patch) => {
      const set = Object.fromEntries(
        Object.entries(patch).filter(([, value]) => value !== undefined),
      )
      if (Object.keys(set).length > 0)
        await db.updateTable('checks').set(set).where('id', '=', id).execute()
    },
    checks: async ({ pull, head, tree, statuses, last }) => {
      let query = db
        .selectFrom('checks')
        .selectAll()
        .orderBy('id', last === undefined ? 'asc' : 'desc')
      if (pull !== undefined) query = query.where('pull', '=', pull)
      if (head !== undefined) query = query.where('head', '=', head)
      if (tree !== undefined) query = query.where('tree', '=', tree)
      if (statuses !== undefined) query = query.where('status', 'in', [...statuses])
      if (last === undefined) return query.execute()
      return (await query.limit(last).execute()).toReversed()
    },
  }
}
