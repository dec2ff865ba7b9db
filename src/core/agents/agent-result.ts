import type { Agent, RunResult } from '../../domain/records.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { AgentId, Sha } from '../../domain/ids.ts'
import type { AgentResult } from '../sessions/agent-sessions.ts'
import { doneAt, statusOf } from './agent-status.ts'
import type { Deps } from '../deps.ts'
import { withPlace, type FinalOutput } from './final-output.ts'
import { isAlive } from '../../domain/lifecycle.ts'

/** What came of agents: put on record when they end, and never taken off it. */
export interface Results {
  /** RESULT_NOT_READY while it runs. Of an agent that idles with its work reported as it is now. */
  of(agent: Agent): Promise<RunResult>
  /** Of an agent that is about to end, or has just: what it said, its files and its time. */
  make(
    agent: Agent,
    words: FinalOutput,
    end: Pick<RunResult, 'status' | 'summary'>,
  ): Promise<RunResult>
  /**
   * It ended: goes on record, where it doesn’t stand there yet. Never throws. `words`: looked at
   * before its pane went.
   */
  record(id: AgentId, words?: FinalOutput): Promise<void>
}

export function createResults({
  store,
  git,
  files,
  clock,
  log,
  finalOutput,
}: Pick<Deps, 'store' | 'git' | 'files' | 'clock' | 'log'> & {
  finalOutput: (agent: Agent) => Promise<FinalOutput>
}): Results {
  /** Of several who ask at once the first looks. */
  const pending = new Map<AgentId, Promise<RunResult>>()

  /** Where its work began: the worktree at its start, or the commit that its branch starts from. */
  const startOf = async (agent: Agent): Promise<Sha | null> =>
    (await store.runs.get(agent.id))?.startTree ?? agent.forkPoint

  /** Files that differ from when it began; what can’t be determined is left out. */
  const filesModified = async (agent: Agent): Promise<readonly string[]> => {
    try {
      const start = await startOf(agent)
      if (start === null) return []
      // Of what was taken away its branch may be left.
      const now = (await files.exists(agent.worktree))
        ? await git.snapshotTree(agent.worktree)
        : await git.resolve(`refs/heads/${agent.branch}`)
      return now === null ? [] : await git.changedPaths(start, now)
    } catch (thrown) {
      log.warn(
        { err: thrown, agent: agent.id },
        'which files an agent changed could not be determined',
      )
      return []
    }
  }

  const make: Results['make'] = async (agent, { text, turns, reason }, { status, summary }) => ({
    status,
    summary,
    output: agent.outcome?.partial ?? (text === '' ? (agent.outcome?.summary ?? '') : text),
    filesModified: await filesModified(agent),
    elapsedMs: Math.max(0, (doneAt(agent) ?? agent.endedAt ?? clock()) - agent.spawnedAt),
    turns,
    reason,
  })

  const look = async (agent: Agent, words?: FinalOutput): Promise<RunResult> => {
    const { outcome } = agent
    const status = statusOf(agent)
    if (status === 'running') {
      throw new ExomonadError(
        'RESULT_NOT_READY',
        `No result available (agent may still be running): ${agent.name} is ${agent.state}. Ask again once agent_status says completed, failed or killed.`,
        { agent: agent.id, state: agent.state },
      )
    }
    // What it reported is its output, not what its terminal shows.
    const said =
      words ??
      (outcome === null || !isAlive(agent.state)
        ? await finalOutput(agent)
        : { text: '', turns: 0, reason: null })
    const own = outcome === null || agent.runtime !== 'pane' ? said : { ...said, text: '' }
    return make(agent, own, {
      status,
      summary: outcome?.summary ?? outcome?.error ?? agent.stateReason ?? status,
    })
  }

  const settled = (agent: Agent, words?: FinalOutput): Promise<RunResult> => {
    const known = pending.get(agent.id)
    if (known !== undefined) return known
    const looking = look(agent, words)
      .then(async (result) => {
        await store.runs.finish(agent.id, result)
        await store.signal(agent.id)
        return (await store.runs.get(agent.id))?.result ?? result
      })
      .finally(() => pending.delete(agent.id))
    pending.set(agent.id, looking)
    return looking
  }

  return {
    make,
    of: async (agent) => {
      const result = isAlive(agent.state)
        ? await look(agent)
        : ((await store.runs.get(agent.id))?.result ?? (await settled(agent)))
      return {
        ...result,
        output: await withPlace(result.output, () => files.outputPlace(agent.id)),
      }
    },
    record: async (id, words) => {
      try {
        const agent = await store.agents.get(id)
        if (
          agent === undefined ||
          isAlive(agent.state) ||
          ((await store.runs.get(id))?.result ?? null) !== null
        )
          return
        await settled(agent, words)
      } catch (thrown) {
        log.warn(
          { err: thrown, agent: id },
          'the result of an agent could not be put on record; it is looked up when somebody asks',
        )
      }
    },
  }
}

export const describeResult = (
  id: AgentId,
  result: RunResult,
): AgentResult & { turns: number; reason: string | null } => ({
  agent_id: id,
  status: result.status,
  summary: result.summary,
  output: result.output,
  files_modified: [...result.filesModified],
  elapsed_secs: Math.round(result.elapsedMs) / 1000,
  turns: result.turns,
  reason: result.reason,
})
