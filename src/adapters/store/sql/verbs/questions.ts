import { sql } from 'kysely'
import type { AgentId, QuestionId } from '../../../../domain/ids.ts'
import type { Question } from '../../../../domain/records.ts'
import type { QuestionStore } from '../../store.ts'
import type { Given, Tools } from '../queries.ts'
import type { Session } from '../session.ts'

export function createQuestions({ rows, change }: Session): QuestionStore {
  return {
    insert: async (question) => {
      await change(INSERT, question)
    },
    get: async (id) => (await rows(GET, { id }))[0],
    open: (agentId) => rows(OPEN, { agentId }),
    answer: async (id, answer, answeredBy, answeredAt) =>
      (await change(ANSWER, { id, answer, answeredBy, answeredAt })) === 1,
    unclaimed: () => rows(UNCLAIMED, {}),
    claim: async (id, claimedBy) => (await change(CLAIM, { id, claimedBy })) === 1,
    confirm: async (id) => {
      await change(CONFIRM, { id })
    },
    unconfirmed: () => rows(UNCONFIRMED, {}),
    giveBack: async (id) => (await change(GIVE_BACK, { id })) === 1,
  }
}

const COLUMNS = [
  'id',
  'agentId',
  'message',
  'askedAt',
  'answer',
  'answeredBy',
  'answeredAt',
  'claimedBy',
] as const

const INSERT = ({ db }: Tools, given: Given<Question>) => db.insertInto('questions').values(given)

const GET = ({ db }: Tools, given: Given<{ id: QuestionId }>) =>
  db.selectFrom('questions').select(COLUMNS).where('id', '=', given.id)

function OPEN({ db }: Tools, given: Given<{ agentId?: AgentId | undefined }>) {
  const open = db
    .selectFrom('questions')
    .select(COLUMNS)
    .where('answer', 'is', null)
    .orderBy('askedAt')
    .orderBy('seq')
  return given.agentId === undefined ? open : open.where('agentId', '=', given.agentId)
}

const ANSWER = (
  { db }: Tools,
  { id, ...answer }: Given<Pick<Question, 'id' | 'answer' | 'answeredBy' | 'answeredAt'>>,
) => db.updateTable('questions').set(answer).where('id', '=', id).where('answer', 'is', null)

const UNCLAIMED = ({ db }: Tools) =>
  db
    .selectFrom('questions')
    .select(COLUMNS)
    .where('answer', 'is not', null)
    .where('claimedBy', 'is', null)
    .orderBy('answeredAt')
    .orderBy('seq')

const CLAIM = ({ db }: Tools, { id, claimedBy }: Given<Pick<Question, 'id' | 'claimedBy'>>) =>
  db.updateTable('questions').set({ claimedBy }).where('id', '=', id).where('claimedBy', 'is', null)

const CONFIRM = ({ db }: Tools, given: Given<{ id: QuestionId }>) =>
  db
    .updateTable('questions')
    .set({ confirmed: sql.lit(1) })
    .where('id', '=', given.id)
    .where('claimedBy', '=', sql.lit('tool'))

const UNCONFIRMED = ({ db }: Tools) =>
  db
    .selectFrom('questions')
    .select(COLUMNS)
    .where('claimedBy', '=', sql.lit('tool'))
    .where('confirmed', '=', sql.lit(0))
    .orderBy('seq')

const GIVE_BACK = ({ db }: Tools, given: Given<{ id: QuestionId }>) =>
  db
    .updateTable('questions')
    .set({ claimedBy: sql.lit(null), confirmed: sql.lit(0) })
    .where('id', '=', given.id)
    .where('claimedBy', '=', sql.lit('tool'))
