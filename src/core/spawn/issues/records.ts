import type { StoreVerbs } from '../../../adapters/store/store.ts'
import type { Agent } from '../../../domain/records.ts'
import type { AgentId } from '../../../domain/ids.ts'

/**
 * The issue that an agent was spawned for. Written with its row and taken away with it, so that it
 * is there exactly where the agent is.
 */
export interface IssueRecord {
  readonly number: number
  readonly url: string
  readonly title: string
  /** The forge’s name of its repository: #42 of one is not #42 of another. */
  readonly repository: string
  /** The label of the configuration did it, and no person by hand. */
  readonly byLabel: boolean
}

const PREFIX = 'issue:'
const keyOf = (id: AgentId): string => `${PREFIX}${id}`

export const issueOf = async (
  store: Pick<StoreVerbs, 'snapshots'>,
  id: AgentId,
): Promise<IssueRecord | undefined> =>
  (await store.snapshots.get(keyOf(id))) as IssueRecord | undefined

export const recordIssue = (
  tx: Pick<StoreVerbs, 'snapshots'>,
  id: AgentId,
  { number, url, title, repository, byLabel }: IssueRecord,
): Promise<void> => tx.snapshots.put(keyOf(id), { number, url, title, repository, byLabel })

export const forgetIssue = (tx: Pick<StoreVerbs, 'snapshots'>, id: AgentId): Promise<void> =>
  tx.snapshots.remove(keyOf(id))

/** Every agent that ever was spawned for an issue of that repository. */
export async function issueAgents(
  store: Pick<StoreVerbs, 'agents' | 'snapshots'>,
  repository: string,
): Promise<{ issue: IssueRecord; agent: Agent }[]> {
  const records = await store.snapshots.list(PREFIX)
  const agents = records.size === 0 ? [] : await store.agents.list()
  return agents.flatMap((agent) => {
    const issue = records.get(keyOf(agent.id)) as IssueRecord | undefined
    return issue?.repository === repository ? [{ issue, agent }] : []
  })
}
