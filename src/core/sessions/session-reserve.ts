import { randomUUID } from 'node:crypto'
import type { Agent, Run } from '../../domain/records.ts'
import { asExomonadError, ExomonadError } from '../../domain/errors.ts'
import { unusedName } from '../../domain/fork-name.ts'
import { newAgentId, type Sha } from '../../domain/ids.ts'
import type { Admission } from '../spawn/admission.ts'
import type { Approvals } from '../questions/approvals.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Configured, Deps } from '../deps.ts'
import { requireAlive } from '../agents/directory.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import { sharedWorktreeFields, newAgentDefaults } from '../spawn/new-agent.ts'
import type { SpawnUndo } from '../spawn/undo.ts'

export interface Prepared {
  readonly configured: Configured
  readonly parent: Agent
}

export interface Reserved {
  readonly agent: Agent
  readonly journal: string
}

type Given = Pick<Agent, 'name' | 'kind' | 'runtime' | 'agentCli' | 'tools' | 'task'>
/** `timeout`: milliseconds, from when it is on record; null for no limit. */
type GivenRun = Pick<Run, 'command' | 'model'> & { readonly timeout: number | null }

/**
 * What works in its caller’s worktree without a terminal: looked at, reserved and taken back alike,
 * whether a session or a process.
 */
export interface SessionReserve {
  /**
   * Everything that can be known before anything is made. Waits for the human where a spawn needs
   * that. Returns the parent and the configuration as
   * they are now.
   */
  prepare(caller: Caller, what: string): Promise<Prepared>
  /** Row, run and intent in one transaction, under the limits. */
  reserve(
    caller: Caller,
    prepared: { configured: Pick<Configured, 'config'>; parent: Agent },
    given: Given,
    run: GivenRun,
  ): Promise<Reserved>
  /** Returns what `begin` does; where that throws, nothing is left. */
  orUndo<Result>(reserved: Reserved, begin: () => Promise<Result>): Promise<Result>
}

/**
 * Before anything runs there. Without it the files that are changed can’t be determined; that is no
 * reason not to begin.
 */
export async function startTreeOf(
  { git, log }: Pick<Deps, 'git' | 'log'>,
  { worktree }: Pick<Agent, 'worktree'>,
): Promise<Sha | null> {
  try {
    return await git.snapshotTree(worktree)
  } catch (thrown) {
    log.warn({ err: thrown, worktree }, 'which files will be changed can’t be determined')
    return null
  }
}

export function createSessionReserve({
  store,
  git,
  files,
  settings,
  clock,
  log,
  admission,
  approvals,
  undo,
}: Pick<Deps, 'store' | 'git' | 'files' | 'settings' | 'clock' | 'log'> & {
  admission: Admission
  approvals: Approvals
  undo: SpawnUndo
}): SessionReserve {
  const look = async (caller: Caller): Promise<Prepared> => {
    await settings.requireTrust()
    const configured = await settings.snapshot()
    const parent = (await store.agents.get(caller.agent.id)) ?? caller.agent
    if (parent.kind !== 'root') requireAlive(parent, 'spawn from')
    if (!(await files.exists(parent.worktree)))
      throw new ExomonadError(
        'NOT_AVAILABLE',
        `The worktree of ${parent.name} is gone: ${parent.worktree}. What it starts would have nowhere to work.`,
      )
    return { configured, parent }
  }

  return {
    prepare: async (caller, what) => {
      const prepared = await look(caller)
      const { limits } = prepared.configured.config
      // The human may have taken hours.
      return (await approvals.requireForSpawn(limits, caller, [what])) ? look(caller) : prepared
    },

    reserve: async (caller, { configured: { config }, parent }, given, { timeout, ...run }) => {
      const tree = await startTreeOf({ git, log }, parent)
      return store.transaction(async (tx) => {
        const agents = await admission.require(tx, config, caller, [given.runtime], 'spawn from')
        const taken = new Set<string>(
          agents
            .filter(({ state }) => isAlive(state))
            .flatMap((agent) => [agent.name, agent.branch]),
        )
        const agent: Agent = {
          ...newAgentDefaults(clock()),
          ...given,
          id: newAgentId(),
          name: unusedName(given.name, taken),
          ...sharedWorktreeFields(parent),
          state: 'spawning',
          tokenHash: randomUUID(),
        }
        const intent = {
          agentId: agent.id,
          name: agent.name,
          branch: agent.branch,
          worktree: agent.worktree,
          forkPoint: '',
        }
        const journal = await admission.enter(tx, agent, {
          ...intent,
          makesBranch: false,
          makesWorktree: false,
        })
        await tx.runs.insert({
          agentId: agent.id,
          startTree: tree,
          ...run,
          deadline: timeout === null ? null : agent.spawnedAt + timeout,
        })
        return { agent, journal }
      })
    },

    orUndo: async ({ agent, journal }, begin) => {
      try {
        return await begin()
      } catch (thrown) {
        const { message, code } = asExomonadError(thrown)
        log.warn({ err: thrown, agent: agent.name }, 'a spawn failed, undoing')
        await undo.undo(journal, { name: agent.name, error: message, code })
        throw thrown
      }
    },
  }
}
