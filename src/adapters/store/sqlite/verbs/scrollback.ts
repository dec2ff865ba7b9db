import type { ScrollbackStore } from '../../store.ts'
import type { ScrollbackEntry } from '../../../../domain/records.ts'
import { type Session, rows } from '../session.ts'

export function createScrollback({ db }: Session): ScrollbackStore {
  return {
    append: async ({ agentId, kind, text, at, line }) => {
      const [row] = await rows<ScrollbackEntry>(db, INSERT, agentId, kind, text, at, line)
      if (row === undefined) throw new Error('an insert answered no row')
      return row
    },
    list: (agentId) =>
      rows<ScrollbackEntry>(
        db,
        `select ${COLUMNS} from scrollback where agentId = ? order by seq`,
        agentId,
      ),
  }
}

const COLUMNS = 'seq, agentId, kind, text, at, line'
const INSERT = `insert into scrollback (agentId, kind, text, at, line) values (?, ?, ?, ?, ?) returning ${COLUMNS}`
