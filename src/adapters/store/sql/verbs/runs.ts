import { sql } from 'kysely'
import type { AgentId } from '../../../../domain/ids.ts'
import type { Run, RunResult } from '../../../../domain/records.ts'
import type { RunStore } from '../../store.ts'
import type { Given, Tools } from '../queries.ts'
import type { Session } from '../session.ts'
import type { Tables } from '../tables.ts'

export function createRuns({ rows, change }: Session): RunStore {
  return {
    insert: async ({ agentId, startTree, command, model, deadline }) => {
      const rounded = deadline === null ? null : Math.ceil(deadline)
      await change(INSERT, { agentId, startTree, command, model, deadline: rounded })
    },
    get: async (agentId) => (await rows(GET, { agentId })).map(toRun)[0],
    timed: async () => (await rows(TIMED, {})).map(toRun),
    finish: async (agentId, result) =>
      (await change(FINISH, { agentId, result: JSON.stringify(result) })) > 0,
    reopen: async (agentId) => {
      await change(REOPEN, { agentId })
    },
    remove: async (agentId) => {
      await change(REMOVE, { agentId })
    },
  }
}

const toRun = ({ result, ...row }: Tables['runs']): Run => ({
  ...row,
  result: result === null ? null : (JSON.parse(result) as RunResult),
})

const COLUMNS = ['agentId', 'startTree', 'command', 'model', 'deadline', 'result'] as const

const INSERT = ({ db }: Tools, given: Given<Omit<Run, 'result'>>) =>
  db.insertInto('runs').values(given)

const GET = ({ db }: Tools, given: Given<{ agentId: AgentId }>) =>
  db.selectFrom('runs').select(COLUMNS).where('agentId', '=', given.agentId)

const TIMED = ({ db }: Tools) =>
  db
    .selectFrom('runs')
    .select(COLUMNS)
    .where('deadline', 'is not', null)
    .where('result', 'is', null)
    .orderBy('deadline')
    .orderBy('agentId')

const FINISH = ({ db }: Tools, given: Given<{ agentId: AgentId; result: string }>) =>
  db
    .insertInto('runs')
    .values(given)
    .onConflict((conflict) =>
      conflict
        .column('agentId')
        .doUpdateSet(({ ref }) => ({ result: ref('excluded.result') }))
        .where('runs.result', 'is', null),
    )

const REOPEN = ({ db }: Tools, given: Given<{ agentId: AgentId }>) =>
  db
    .updateTable('runs')
    .set({ result: sql.lit(null) })
    .where('agentId', '=', given.agentId)

const REMOVE = ({ db }: Tools, given: Given<{ agentId: AgentId }>) =>
  db.deleteFrom('runs').where('agentId', '=', given.agentId)
