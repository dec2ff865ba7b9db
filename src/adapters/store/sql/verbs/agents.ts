import { sql } from 'kysely'
import type { AgentId } from '../../../../domain/ids.ts'
import type { Agent, AgentPatch } from '../../../../domain/records.ts'
import type { AgentStore } from '../../store.ts'
import { type Given, isEmpty, type Tools } from '../queries.ts'
import type { Session } from '../session.ts'
import type { Tables } from '../tables.ts'

type AgentRow = Omit<Tables['agents'], 'seq'>

export function createAgents({ rows, change }: Session): AgentStore {
  return {
    insert: async (agent) => {
      await change(INSERT, toRow(agent))
    },
    get: async (id) => toAgents(await rows(GET, { id }))[0],
    list: async ({ live = false, parentId, address } = {}) => {
      const addressed =
        address === undefined
          ? {}
          : { address, idStart: address.toLowerCase(), branchEnd: `.${address}` }
      return toAgents(await rows(LIST, { live: live || undefined, parentId, ...addressed }))
    },
    update: async (id, patch) => {
      const columns = toColumns(patch)
      if (!isEmpty(columns)) await change(UPDATE, { ...columns, id })
    },
    remove: async (id) => {
      await change(REMOVE, { id })
    },
    findByTokenHash: async (tokenHash) =>
      tokenHash === '' ? undefined : toAgents(await rows(BY_TOKEN, { tokenHash }))[0],
  }
}

const COLUMNS = [
  'id',
  'name',
  'kind',
  'runtime',
  'role',
  'tools',
  'agentCli',
  'parentId',
  'depth',
  'branch',
  'baseBranch',
  'forkPoint',
  'worktree',
  'ownsWorktree',
  'adopted',
  'paneId',
  'pid',
  'sessionId',
  'transcript',
  'task',
  'state',
  'stateReason',
  'stateSource',
  'stateAt',
  'outcome',
  'exitCode',
  'exitSignal',
  'lastSeenAt',
  'tokens',
  'usage',
  'toolCalls',
  'stopBlocker',
  'stopBlocks',
  'stopReason',
  'rebaseTries',
  'spawnedAt',
  'endedAt',
  'reapedAt',
  'cleanedAt',
  'tokenHash',
] as const

const ENDED = (['completed', 'failed', 'killed'] as const).map((state) => sql.lit(state))

const INSERT = ({ db }: Tools, given: Given<AgentRow>) => db.insertInto('agents').values(given)

const GET = ({ db }: Tools, given: Given<{ id: AgentId }>) =>
  db.selectFrom('agents').select(COLUMNS).where('id', '=', given.id)

const BY_TOKEN = ({ db }: Tools, given: Given<{ tokenHash: string }>) =>
  db.selectFrom('agents').select(COLUMNS).where('tokenHash', '=', given.tokenHash).limit(sql.lit(1))

interface Filter {
  readonly live?: true | undefined
  readonly parentId?: AgentId | undefined
  readonly address?: string | undefined
  readonly idStart?: string | undefined
  readonly branchEnd?: string | undefined
}

function LIST(
  { db, startsWith, endsWith }: Tools,
  { live, parentId, address, idStart, branchEnd }: Given<Filter>,
) {
  let query = db.selectFrom('agents').select(COLUMNS).orderBy('spawnedAt').orderBy('seq')
  if (live !== undefined) query = query.where('state', 'not in', ENDED)
  if (parentId !== undefined) query = query.where('parentId', '=', parentId)
  if (address !== undefined && idStart !== undefined && branchEnd !== undefined)
    query = query.where(({ eb, or, ref }) =>
      or([
        eb(ref('branch').$castTo<string>(), '=', address),
        eb('name', '=', address),
        startsWith(ref('id'), idStart),
        endsWith(ref('branch'), branchEnd),
      ]),
    )
  return query
}

const UPDATE = ({ db }: Tools, { id, ...columns }: Given<Partial<AgentRow> & { id: AgentId }>) =>
  db.updateTable('agents').set(columns).where('id', '=', id)

const REMOVE = ({ db }: Tools, given: Given<{ id: AgentId }>) =>
  db.deleteFrom('agents').where('id', '=', given.id)

const toAgents = (found: AgentRow[]): Agent[] => found.map(toAgent)

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
  return {
    ...rest,
    ...(ownsWorktree === undefined ? {} : { ownsWorktree: Number(ownsWorktree) }),
    ...(adopted === undefined ? {} : { adopted: Number(adopted) }),
    ...(outcome === undefined ? {} : { outcome: text(outcome) }),
    ...(tools === undefined ? {} : { tools: text(tools) }),
    ...(usage === undefined ? {} : { usage: text(usage) }),
  }
}

const text = (value: object | null): string | null =>
  value === null ? null : JSON.stringify(value)
const parsed = <Value>(value: string | null): Value | null =>
  value === null ? null : (JSON.parse(value) as Value)
