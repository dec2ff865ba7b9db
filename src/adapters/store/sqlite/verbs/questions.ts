import type { QuestionStore } from '../../store.ts'
import type { Question } from '../../../../domain/records.ts'
import { type Session, change, rows } from '../session.ts'

export function createQuestions({ db }: Session): QuestionStore {
  return {
    insert: async (question) => {
      await db.insertInto('questions').values(question).execute()
    },
    get: async (id) =>
      (await rows<Question>(db, `select ${COLUMNS} from questions where id = ?`, id))[0],
    open: (agentId) =>
      agentId === undefined
        ? rows<Question>(
            db,
            `select ${COLUMNS} from questions where answer is null order by askedAt, seq`,
          )
        : rows<Question>(
            db,
            `select ${COLUMNS} from questions where answer is null and agentId = ? order by askedAt, seq`,
            agentId,
          ),
    answer: async (id, answer, by, at) => (await change(db, ANSWER, answer, by, at, id)) === 1,
    unclaimed: () =>
      rows<Question>(
        db,
        `select ${COLUMNS} from questions where answer is not null and claimedBy is null order by answeredAt, seq`,
      ),
    claim: async (id, by) =>
      (await change(
        db,
        'update questions set claimedBy = ? where id = ? and claimedBy is null',
        by,
        id,
      )) === 1,
    confirm: async (id) => {
      await change(db, "update questions set confirmed = 1 where id = ? and claimedBy = 'tool'", id)
    },
    unconfirmed: () =>
      rows<Question>(
        db,
        `select ${COLUMNS} from questions where claimedBy = 'tool' and confirmed = 0 order by seq`,
      ),
    giveBack: async (id) =>
      (await change(
        db,
        "update questions set claimedBy = null, confirmed = 0 where id = ? and claimedBy = 'tool'",
        id,
      )) === 1,
  }
}

const COLUMNS = 'id, agentId, message, askedAt, answer, answeredBy, answeredAt, claimedBy'
const ANSWER =
  'update questions set answer = ?, answeredBy = ?, answeredAt = ? where id = ? and answer is null'
