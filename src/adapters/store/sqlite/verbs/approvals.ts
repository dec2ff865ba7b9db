import type { ApprovalStore } from '../../store.ts'
import type { Approval } from '../../../../domain/records.ts'
import { type Session, change, rows } from '../session.ts'

export function createApprovals({ db }: Session): ApprovalStore {
  return {
    insert: async (approval) => {
      await db.insertInto('approvals').values(approval).execute()
    },
    get: async (id) =>
      (await rows<Approval>(db, `select ${COLUMNS} from approvals where id = ?`, id))[0],
    pending: () =>
      rows<Approval>(
        db,
        `select ${COLUMNS} from approvals where decision is null order by requestedAt, seq`,
      ),
    decide: async (id, decision, reason, at) =>
      (await change(db, DECIDE, decision, reason, at, id)) === 1,
  }
}

const COLUMNS = 'id, agentId, what, requestedAt, decision, decidedAt, reason'
const DECIDE =
  'update approvals set decision = ?, reason = ?, decidedAt = ? where id = ? and decision is null'
