import type { AgentId } from '../../../../domain/ids.ts'
import type { ScrollbackEntry } from '../../../../domain/records.ts'
import type { ScrollbackStore } from '../../store.ts'
import type { Given, Tools } from '../queries.ts'
import type { Session } from '../session.ts'

export function createScrollback({ rows }: Session): ScrollbackStore {
  return {
    append: async ({ agentId, kind, text, at, line }) => {
      const [row] = await rows(INSERT, { agentId, kind, text, at, line })
      if (row === undefined) throw new Error('an insert answered no row')
      return row
    },
    list: (agentId) => rows(LIST, { agentId }),
  }
}

const COLUMNS = ['seq', 'agentId', 'kind', 'text', 'at', 'line'] as const

const INSERT = ({ db }: Tools, given: Given<Omit<ScrollbackEntry, 'seq'>>) =>
  db.insertInto('scrollback').values(given).returning(COLUMNS)

const LIST = ({ db }: Tools, given: Given<{ agentId: AgentId }>) =>
  db.selectFrom('scrollback').select(COLUMNS).where('agentId', '=', given.agentId).orderBy('seq')
