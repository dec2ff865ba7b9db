import type { RunStore } from '../../store.ts'
import type { Run, RunResult } from '../../../../domain/records.ts'
import { type Session, change, rows } from '../session.ts'

export function createRuns({ db }: Session): RunStore {
  return {
    insert: async ({ agentId, startTree, command, model, deadline }) => {
      await change(
        db,
        INSERT,
        agentId,
        startTree,
        command,
        model,
        deadline === null ? null : Math.ceil(deadline),
      )
    },
    get: async (agentId) =>
      (await rows<Row>(db, `select ${COLUMNS} from runs where agentId = ?`, agentId)).map(toRun)[0],
    timed: async () =>
      (
        await rows<Row>(
          db,
          `select ${COLUMNS} from runs where deadline is not null and result is null order by deadline, agentId`,
        )
      ).map(toRun),
    finish: async (agentId, result) =>
      (await change(db, FINISH, agentId, JSON.stringify(result))) > 0,
    reopen: async (agentId) => {
      await change(db, 'update runs set result = null where agentId = ?', agentId)
    },
    remove: async (agentId) => {
      await change(db, 'delete from runs where agentId = ?', agentId)
    },
  }
}

type Row = Omit<Run, 'result'> & { result: string | null }

const toRun = ({ result, ...row }: Row): Run => ({
  ...row,
  result: result === null ? null : (JSON.parse(result) as RunResult),
})

const COLUMNS = 'agentId, startTree, command, model, deadline, result'
const INSERT =
  'insert into runs (agentId, startTree, command, model, deadline) values (?, ?, ?, ?, ?)'
const FINISH = `insert into runs (agentId, result) values (?, ?)
  on conflict (agentId) do update set result = excluded.result where runs.result is null`
