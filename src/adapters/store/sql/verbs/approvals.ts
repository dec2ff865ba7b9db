import type { Approval } from '../../../../domain/records.ts'
import type { ApprovalStore } from '../../store.ts'
import type { Given, Tools } from '../queries.ts'
import type { Session } from '../session.ts'

export function createApprovals({ rows, change }: Session): ApprovalStore {
  return {
    insert: async (approval) => {
      await change(INSERT, approval)
    },
    get: async (id) => (await rows(GET, { id }))[0],
    pending: () => rows(PENDING, {}),
    decide: async (id, decision, reason, decidedAt) =>
      (await change(DECIDE, { id, decision, reason, decidedAt })) === 1,
  }
}

const COLUMNS = ['id', 'agentId', 'what', 'requestedAt', 'decision', 'decidedAt', 'reason'] as const

const INSERT = ({ db }: Tools, given: Given<Approval>) => db.insertInto('approvals').values(given)

const GET = ({ db }: Tools, given: Given<Pick<Approval, 'id'>>) =>
  db.selectFrom('approvals').select(COLUMNS).where('id', '=', given.id)

const PENDING = ({ db }: Tools) =>
  db
    .selectFrom('approvals')
    .select(COLUMNS)
    .where('decision', 'is', null)
    .orderBy('requestedAt')
    .orderBy('seq')

const DECIDE = (
  { db }: Tools,
  { id, ...decided }: Given<Pick<Approval, 'id' | 'decision' | 'reason' | 'decidedAt'>>,
) => db.updateTable('approvals').set(decided).where('id', '=', id).where('decision', 'is', null)
