import type { AgentStore } from '../../store.ts'
import type { Agent, AgentPatch } from '../../../../domain/records.ts'
import { type Session, change, rows } from '../session.ts'
import type { Tables } from '../tables.ts'

type AgentRow = Omit<Tables['agents'], 'seq'>

export function createAgents({ db }: Session): AgentStore {
  const one = async (where: string, value: string): Promise<Agent | undefined> => {
    const [row] = await rows<AgentRow>(
      db,
      `select ${COLUMNS} from agents where ${where} = ? limit 1`,
      value,
    )
    return row === undefined ? undefined : toAgent(row)
  }
  return {
    insert: async (agent) => {
      await db.insertInto('agents').values(toRow(agent)).execute()
    },
    get: (id) => one('id', id),
    list: async ({ live = false, parentId, address } = {}) => {
      const conditions = [
        ...(live ? [LIVE] : []),
        ...(parentId === undefined ? [] : ['parentId = ?']),
        ...(address === undefined ? [] : [ADDRESSED]),
      ]
      const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
      const values = [
        ...(parentId === undefined ? [] : [parentId]),
        ...(address === undefined
          ? []
          : [address, address, address.toLowerCase(), address, address, address]),
      ]
      const found = await rows<AgentRow>(
        db,
        `select ${COLUMNS} from agents ${where} order by spawnedAt, seq`,
        ...values,
      )
      return found.map(toAgent)
    },
    update: async (id, patch) => {
      const columns = toColumns(patch)
      if (Object.keys(columns).length > 0)
        await db.updateTable('agents').set(columns).where('id', '=', id).execute()
    },
    remove: async (id) => {
      await change(db, 'delete from agents where id = ?', id)
    },
    findByTokenHash: (hash) => (hash === '' ? Promise.resolve(undefined) : one('tokenHash', hash)),
  }
}

const LIVE = "state not in ('completed', 'failed', 'killed')"

const ADDRESSED =
  "(branch = ? or name = ? or instr(id, ?) = 1 or (length(branch) > length(?) and substr(branch, -length(?) - 1) = '.' || ?))"

const COLUMNS = `
  id, name, kind, runtime, role, tools, agentCli, parentId, depth, branch, baseBranch, forkPoint, worktree, ownsWorktree, adopted, paneId, pid,
  sessionId, transcript, task, state, stateReason, stateSource, stateAt, outcome, exitCode, exitSignal, lastSeenAt, tokens, usage, toolCalls,
  stopBlocker, stopBlocks, stopReason, rebaseTries, spawnedAt, endedAt, reapedAt, cleanedAt, tokenHash`

/**
 * Changes the fresh row in place: a tree of a thousand agents is read often, and copies cost more
 * than the query.
 */
function toAgent(row: AgentRow): Agent {
  return Object.assign(row, {
    ownsWorktree: row.ownsWorktree === 1,
    adopted: row.adopted === 1,
    outcome: parsed<Agent['outcome']>(row.outcome),
    tools: parsed<Agent['tools']>(row.tools),
    usage: parsed<Agent['usage']>(row.usage),
  })
}

function toRow(agent: Agent): AgentRow {
  return {
    ...agent,
    ownsWorktree: Number(agent.ownsWorktree),
    adopted: Number(agent.adopted),
    outcome: text(agent.outcome),
    tools: text(agent.tools),
    usage: text(agent.usage),
  }
}

function toColumns({
  ownsWorktree,
  adopted,
  outcome,
  tools,
  usage,
  ...rest
}: AgentPatch): Partial<AgentRow> {
  const columns: Partial<AgentRow> = {
    ...rest,
    ...(ownsWorktree === undefined ? {} : { ownsWorktree: Number(ownsWorktree) }),
    ...(adopted === undefined ? {} : { adopted: Number(adopted) }),
    ...(outcome === undefined ? {} : { outcome: text(outcome) }),
    ...(tools === undefined ? {} : { tools: text(tools) }),
    ...(usage === undefined ? {} : { usage: text(usage) }),
  }
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
}

const text = (value: object | null): string | null =>
  value === null ? null : JSON.stringify(value)
const parsed = <Value>(value: string | null): Value | null =>
  value === null ? null : (JSON.parse(value) as Value)
