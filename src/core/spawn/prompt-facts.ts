import type { PromptFacts } from '../deps.ts'
import { sharesBranch } from '../../domain/agent-kinds.ts'
import type { Agent } from '../../domain/records.ts'
import type { AgentFiles } from '../../adapters/machine/agent-files.ts'
import { join } from 'node:path'

/** Where a fork is given what its parent’s terminal showed. */
export const parentText = (files: Pick<AgentFiles, 'folder'>, { id }: Pick<Agent, 'id'>): string =>
  join(files.folder(id), 'parent.txt')

/** What the first prompt of an agent is made of. */
export const promptFacts = (agent: Agent, parent: Agent | undefined): PromptFacts => ({
  task: agent.task,
  name: agent.name,
  agent_id: agent.id,
  role: agent.role,
  branch: agent.branch,
  base: agent.baseBranch ?? '',
  worktree: agent.worktree,
  parent_id: agent.parentId ?? '',
  parent_name: parent?.name ?? '',
  shares_worktree: sharesBranch(agent),
})
