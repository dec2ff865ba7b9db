import type { LiveAgent } from '../../adapters/agent-cli/agent-cli.ts'
import type { AgentFiles } from '../../adapters/machine/agent-files.ts'
import type { Pane } from '../../adapters/terminals/holder.ts'
import type { Agent } from '../../domain/records.ts'

/** A running agent as its adapter needs to know it; `pane` where it was looked at. */
export type LiveAgentOf = (agent: Agent, pane?: Pane) => Promise<LiveAgent>

export const createLiveAgentOf =
  ({ files }: { files: Pick<AgentFiles, 'folder' | 'readChannel'> }): LiveAgentOf =>
  async (agent, pane) => ({
    agentId: agent.id,
    paneId: agent.paneId,
    pid: pane?.pid ?? agent.pid,
    worktree: agent.worktree,
    session:
      agent.sessionId === null ? null : { id: agent.sessionId, transcript: agent.transcript },
    folder: files.folder(agent.id),
    channel: await files.readChannel(agent.id),
    title: pane === undefined ? null : pane.title,
  })
