import type { UsageHour } from '../../../../domain/records.ts'
import type { UsageStore } from '../../usage-store.ts'
import type { Given, Tools } from '../queries.ts'
import type { Session } from '../session.ts'

export function createUsageHours({ rows, change }: Session): UsageStore {
  return {
    add: async ({ agentId, hour, model, input, output, cacheRead, cacheWrite }) => {
      await change(ADD, { agentId, hour, model, input, output, cacheRead, cacheWrite })
    },
    list: ({ since, until }) => rows(LIST, { since, until }),
    prune: (before) => change(PRUNE, { before }),
  }
}

const ADD = ({ db }: Tools, given: Given<UsageHour>) =>
  db
    .insertInto('usage_hours')
    .values(given)
    .onConflict((conflict) =>
      conflict.columns(['agentId', 'hour', 'model']).doUpdateSet(({ eb, ref }) => {
        const sum = (column: 'input' | 'output' | 'cacheRead' | 'cacheWrite') =>
          eb(`usage_hours.${column}`, '+', ref(`excluded.${column}`))
        return {
          input: sum('input'),
          output: sum('output'),
          cacheRead: sum('cacheRead'),
          cacheWrite: sum('cacheWrite'),
        }
      }),
    )

const COLUMNS = [
  ...(['agentId', 'hour', 'model', 'input', 'output', 'cacheRead', 'cacheWrite'] as const),
]

function LIST(
  { db }: Tools,
  { since, until }: Given<{ since?: number | undefined; until?: number | undefined }>,
) {
  let query = db
    .selectFrom('usage_hours')
    .select(COLUMNS)
    .orderBy('hour')
    .orderBy('agentId')
    .orderBy('model')
  if (since !== undefined) query = query.where('hour', '>=', since)
  if (until !== undefined) query = query.where('hour', '<', until)
  return query
}

const PRUNE = ({ db }: Tools, given: Given<{ before: number }>) =>
  db.deleteFrom('usage_hours').where('hour', '<', given.before)
