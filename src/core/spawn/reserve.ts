import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Config } from '../../config/schema.ts'
import type { Agent } from '../../domain/records.ts'
import { asExomonadError, ExomonadError } from '../../domain/errors.ts'
import { newAgentId } from '../../domain/ids.ts'
import type { Admission } from './admission.ts'
import { requireBudget } from '../usage/budgets.ts'
import { holdNewsOf, type WakeFor } from './held-children.ts'
import type { SpawnError } from './spawn-use-cases.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Deps } from '../deps.ts'
import { recordIssue } from './issues/records.ts'
import { requireFree } from './issues/specs.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import { newAgentDefaults } from './new-agent.ts'
import { runtimeOf, toolsOf } from '../agents/programs.ts'
import type { Candidate } from './candidates.ts'
import { agentOnBranch, requireOver, takeOver } from './take-over.ts'

export interface Reserved {
  readonly agent: Agent
  readonly candidate: Candidate
  readonly journal: string
}

/** Why this branch can’t be had, as a sentence; undefined where its owner is over. */
function whyNot(
  { adopt, branch }: Candidate,
  taken: Agent,
  agents: readonly Agent[],
): string | undefined {
  if (adopt === undefined)
    return `${branch} belongs to the agent ${taken.name} (${isAlive(taken.state) ? 'alive' : taken.state}). Take another name, or ${isAlive(taken.state) ? `send ${taken.name} more work` : `have the new agent go on with that work (\`exomonad spawn workers … --branch ${branch}\`)`}.`
  try {
    requireOver(taken, agents)
    return undefined
  } catch (error) {
    return asExomonadError(error).message
  }
}

export function createReservations(
  deps: Pick<Deps, 'store' | 'files' | 'paths' | 'clock'> & { admission: Admission },
) {
  const { store, files, paths, clock, admission } = deps

  /** `{slug}`, then `{slug}-2` and on: the first folder that is no agent’s and isn’t there. */
  const freeWorktree = async (
    root: string,
    agents: readonly Agent[],
    slug: string,
  ): Promise<string> => {
    const taken = new Set(agents.map((agent) => agent.worktree))
    for (let number = 1; ; number++) {
      const path = join(root, number === 1 ? slug : `${slug}-${number}`)
      if (!taken.has(path) && !(await files.exists(path))) return path
    }
  }

  const draft = async (
    config: Config,
    caller: Caller,
    candidate: Candidate,
    agents?: readonly Agent[],
    tokenHash = '',
  ): Promise<Agent> => {
    const now = clock()
    const { spec, cliName } = candidate
    return {
      ...newAgentDefaults(now),
      id: newAgentId(),
      name: candidate.slug,
      kind: spec.kind,
      runtime: runtimeOf(cliName),
      role: candidate.role,
      tools: toolsOf(config, cliName),
      agentCli: cliName,
      parentId: caller.agent.id,
      depth: caller.agent.depth + 1,
      branch: candidate.branch,
      baseBranch: caller.agent.branch,
      forkPoint: candidate.forkPoint,
      worktree:
        candidate.adopt?.worktree ??
        (await freeWorktree(
          paths.worktrees[config.worktree.root],
          agents ?? (await store.agents.list()),
          candidate.slug,
        )),
      ownsWorktree: true,
      adopted: candidate.adopt !== undefined,
      task: spec.prompt,
      state: 'spawning',
      tokenHash,
    }
  }

  return {
    draft,

    /** Depth and budgets allow a child of the caller. LIMIT_REACHED. */
    requireRoom: async (config: Config, caller: Caller): Promise<void> => {
      const { max_tree_depth: deepest } = config.limits
      const depth = caller.agent.depth + 1
      if (depth > deepest) {
        throw new ExomonadError(
          'LIMIT_REACHED',
          `${caller.agent.name} is at depth ${caller.agent.depth}; agents may go down to ${deepest} (limits.max_tree_depth). Do the work here instead of spawning.`,
          { limit: deepest, depth },
        )
      }
      requireBudget(caller.agent.id, await store.agents.list(), config)
    },

    /**
     * Rows in state spawning and their intents, in one transaction: two spawns never get the same
     * branch or folder, nor pass a limit together.
     */
    reserve: async (
      config: Config,
      caller: Caller,
      candidates: readonly Candidate[],
      { again, wake }: { readonly again: boolean; readonly wake: WakeFor },
    ): Promise<{ agents: Reserved[]; errors: SpawnError[] }> => {
      return store.transaction(async (tx) => {
        const agents = await admission.require(
          tx,
          config,
          caller,
          candidates.map(({ cliName }) => runtimeOf(cliName)),
          'spawn from',
        )
        const reserved: Reserved[] = []
        const errors: SpawnError[] = []
        for (const candidate of candidates) {
          const taken = agentOnBranch(agents, candidate.branch)
          const occupied = taken === undefined ? undefined : whyNot(candidate, taken, agents)
          if (occupied !== undefined) {
            errors.push({
              name: candidate.spec.name,
              code: 'BRANCH_EXISTS',
              error: occupied,
            })
            continue
          }
          const { source } = candidate.spec
          const refused =
            source === undefined
              ? undefined
              : await requireFree(tx, source, again).then(() => undefined, asExomonadError)
          if (refused !== undefined) {
            errors.push({ name: candidate.spec.name, code: refused.code, error: refused.message })
            continue
          }
          const from = taken === undefined ? undefined : await takeOver(tx, taken, clock())
          const others = agents.filter((agent) => agent !== taken)
          const drafted = await draft(config, caller, candidate, others, randomUUID())
          // Made for the agent before it, the worktree may go when it is merged.
          const agent = taken === undefined ? drafted : { ...drafted, adopted: taken.adopted }
          agents.splice(0, Infinity, ...others, agent)
          const journal = await admission.enter(tx, agent, {
            agentId: agent.id,
            branch: agent.branch,
            worktree: agent.worktree,
            forkPoint: candidate.forkPoint,
            makesBranch: candidate.adopt === undefined,
            makesWorktree: candidate.adopt === undefined || candidate.adopt.worktree === null,
            ...(from === undefined ? {} : { from }),
          })
          if (source !== undefined) await recordIssue(tx, agent.id, source)
          if (wake === 'all_settled') await holdNewsOf(tx, agent.id, caller.agent.id)
          reserved.push({ agent, candidate, journal })
        }
        return { agents: reserved, errors }
      })
    },
  }
}
