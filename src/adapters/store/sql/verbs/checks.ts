import type { CheckRow, CheckStatus } from '../../../../domain/forge-rows.ts'
import type { Sha } from '../../../../domain/ids.ts'
import type { PullStore } from '../../pull-store.ts'
import { type Given, isEmpty, type Tools } from '../queries.ts'
import type { Session } from '../session.ts'

/** The part of the pulls' verbs that is about checks. */
export function createChecks({
  rows,
  change,
}: Session): Pick<PullStore, 'insertCheck' | 'updateCheck' | 'checks'> {
  return {
    insertCheck: async (check) => {
      const [row] = await rows(INSERT, check)
      if (row === undefined) throw new Error('an insert answered no row')
      return row
    },
    updateCheck: async (id, patch) => {
      if (!isEmpty(patch)) await change(UPDATE, { ...patch, id })
    },
    checks: async (filter) => {
      const found = await rows(LIST, filter)
      return filter.last === undefined ? found : found.toReversed()
    },
  }
}

const INSERT = ({ db }: Tools, given: Given<Omit<CheckRow, 'id'>>) =>
  db.insertInto('checks').values(given).returningAll()

const UPDATE = ({ db }: Tools, { id, ...patch }: Given<Partial<CheckRow> & { id: number }>) =>
  db.updateTable('checks').set(patch).where('id', '=', id)

interface Filter {
  readonly pull?: number
  readonly head?: Sha
  readonly tree?: Sha
  readonly statuses?: readonly CheckStatus[]
  /** The newest first, and no more than so many. */
  readonly last?: number
}

function LIST({ db, listed }: Tools, { pull, head, tree, statuses, last }: Given<Filter>) {
  let query = db.selectFrom('checks').selectAll()
  if (pull !== undefined) query = query.where('pull', '=', pull)
  if (head !== undefined) query = query.where('head', '=', head)
  if (tree !== undefined) query = query.where('tree', '=', tree)
  if (statuses !== undefined) query = query.where('status', 'in', listed(statuses))
  return last === undefined ? query.orderBy('id') : query.orderBy('id', 'desc').limit(last)
}
