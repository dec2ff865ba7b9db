import { sharesBranch } from '../../domain/agent-kinds.ts'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Agent } from '../../domain/records.ts'
import { asExomonadError, ExomonadError } from '../../domain/errors.ts'
import {
  asBranchName,
  childBranch,
  newAgentId,
  requireFreeWord,
  slugify,
  type BranchName,
  type Sha,
} from '../../domain/ids.ts'
import type { Admission } from './admission.ts'
import { requireBudget } from '../usage/budgets.ts'
import type { SpawnError } from '../core.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Deps } from '../deps.ts'
import { recordIssue } from './issues/records.ts'
import { requireFree, type ResolvedSpec } from './issues/specs.ts'
import { requireAlive } from '../agents/directory.ts'
import type { Launcher } from './launch.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import { newAgentDefaults } from './new-agent.ts'
import { runtimeOf, toolsOf } from '../agents/programs.ts'
import { wrongBranch } from '../agents/wrong-branch.ts'

/** The branch children start from: the caller’s own, at the commit it has now. */
export interface Base {
  readonly branch: BranchName
  readonly sha: Sha
  readonly warnings: readonly string[]
}

/** A spec that could be spawned as far as can be told without making anything. */
export interface Candidate {
  readonly spec: ResolvedSpec
  readonly slug: string
  readonly branch: BranchName
  readonly forkPoint: Sha
  readonly role: string
  readonly cliName: string
  /** Of an adopted branch: its existing worktree, or null. Undefined for a new branch. */
  readonly adopt: { worktree: string | null; head: Sha } | undefined
}

export interface Reserved {
  readonly agent: Agent
  readonly candidate: Candidate
  readonly journal: string
}

export function createReservations(
  deps: Pick<Deps, 'store' | 'git' | 'files' | 'settings' | 'paths' | 'clock'> & {
    launcher: Launcher
    admission: Admission
  },
) {
  const { store, git, files, settings, paths, clock, launcher, admission } = deps

  const takenBranch = (agents: readonly Agent[], branch: string) =>
    agents.find(
      (agent) => agent.branch === branch && !sharesBranch(agent) && agent.cleanedAt === null,
    )

  /** `{slug}`, then `{slug}-2` and on: the first folder that is no agent’s and isn’t there. */
  const freeWorktree = async (agents: readonly Agent[], slug: string): Promise<string> => {
    const taken = new Set(agents.map((agent) => agent.worktree))
    for (let number = 1; ; number++) {
      const path = join(paths.worktrees, number === 1 ? slug : `${slug}-${number}`)
      if (!taken.has(path) && !(await files.exists(path))) return path
    }
  }

  const draft = async (
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
      tools: toolsOf(await settings.config(), cliName),
      agentCli: cliName,
      parentId: caller.agent.id,
      depth: caller.agent.depth + 1,
      branch: candidate.branch,
      baseBranch: caller.agent.branch,
      forkPoint: candidate.forkPoint,
      worktree:
        candidate.adopt?.worktree ??
        (await freeWorktree(agents ?? (await store.agents.list()), candidate.slug)),
      ownsWorktree: true,
      adopted: candidate.adopt !== undefined,
      task: spec.prompt,
      state: 'spawning',
      tokenHash,
    }
  }

  const adoption = async (
    branch: string,
  ): Promise<{ branch: BranchName; worktree: string | null; head: Sha }> => {
    const head = await git.resolve(`refs/heads/${branch}`)
    if (head === null)
      throw new ExomonadError(
        'INVALID_ARG',
        `There is no branch "${branch}" to adopt. Leave --branch out to make one.`,
        { branch },
      )
    const entry = (await git.worktrees()).find((worktree) => worktree.branch === branch)
    const owner = takenBranch(await store.agents.list(), branch)
    if (owner !== undefined)
      throw new ExomonadError(
        'BRANCH_EXISTS',
        `${branch} is the branch of the agent ${owner.name} already.`,
        { branch, agent: owner.id },
      )
    return {
      branch: asBranchName(branch),
      worktree: entry === undefined || entry.prunable ? null : entry.path,
      head,
    }
  }

  return {
    draft,

    base: async (caller: Caller, allowDirty: boolean): Promise<Base> => {
      const { agent } = caller
      if (agent.kind !== 'root') requireAlive(agent, 'spawn from')
      const status = await git.status(agent.worktree)
      if (status.operation !== null) {
        throw new ExomonadError(
          'DIRTY_WORKTREE',
          `A ${status.operation} is in progress in ${agent.worktree}: children would start from the middle of it. Finish it (\`git ${status.operation} --continue\`) or abort it, then spawn.`,
          { worktree: agent.worktree, operation: status.operation },
        )
      }
      if (status.branch === null) {
        throw new ExomonadError(
          'DETACHED_HEAD',
          `${agent.worktree} is on no branch. Check out ${agent.branch} there, then spawn.`,
          {
            worktree: agent.worktree,
          },
        )
      }
      if (status.branch !== agent.branch) throw wrongBranch(caller, agent, status.branch, 'spawn')
      if (status.head === null)
        throw new ExomonadError(
          'NO_COMMITS',
          `${agent.branch} has no commit yet. Commit something, then spawn.`,
        )
      // What `init` wrote may stay uncommitted: children are run by this configuration, wherever it
      // is.
      const dirty = status.dirty.filter((path) => !path.startsWith('.exomonad/'))
      if (dirty.length > 0 && !allowDirty) {
        const shown = dirty.slice(0, 20)
        throw new ExomonadError(
          'DIRTY_WORKTREE',
          `${agent.worktree} has uncommitted changes that children would not see: ${shown.join(', ')}${dirty.length > shown.length ? ` and ${dirty.length - shown.length} more` : ''}. Commit them, or spawn with allow_dirty (\`--allow-dirty\`).`,
          { worktree: agent.worktree, files: shown },
        )
      }
      const warnings =
        dirty.length > 0
          ? [
              `The child’s worktree lacks ${dirty.length} uncommitted file${dirty.length === 1 ? '' : 's'} of ${agent.branch}.`,
            ]
          : []
      return { branch: agent.branch, sha: status.head, warnings }
    },

    /** Depth and budgets allow a child of the caller. LIMIT_REACHED. */
    requireRoom: async (caller: Caller): Promise<void> => {
      const config = await settings.config()
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

    candidate: async (caller: Caller, spec: ResolvedSpec, base: Base): Promise<Candidate> => {
      const slug = requireFreeWord(slugify(spec.name), spec.name)
      if (spec.prompt.trim() === '') {
        throw new ExomonadError(
          'INVALID_ARG',
          `${slug} has no task: its prompt is empty or missing. Say in it all that it is to do.`,
          {
            field: 'prompt',
            name: spec.name,
          },
        )
      }
      const role = spec.role ?? (spec.kind === 'subtree' ? 'tl' : 'dev')
      const cliName = await launcher.cliOfRole(role, spec.agent)
      await launcher.requireProgram(cliName)
      if (spec.branch !== undefined) {
        // Somebody else’s work may be on it.
        if (caller.kind === 'agent' && caller.byPerson !== true)
          throw new ExomonadError(
            'NOT_ALLOWED',
            'Only the human may give an existing branch to an agent. Spawn without `branch`.',
            { branch: spec.branch },
          )
        const { branch, ...adopt } = await adoption(spec.branch)
        return {
          spec,
          slug,
          branch,
          forkPoint: (await git.mergeBase(base.sha, adopt.head)) ?? base.sha,
          role,
          cliName,
          adopt,
        }
      }
      const branch = childBranch(caller.agent.branch, slug)
      // By construction only `.lock` at the end or the length can be refused; git itself refuses
      // the rest when the branch is made.
      if ((slug === 'lock' || branch.length > 200) && !(await git.isValidBranchName(branch))) {
        throw new ExomonadError(
          'INVALID_ARG',
          `"${branch}" can’t be a branch name. Choose another name than "${spec.name}".`,
          { name: spec.name, branch },
        )
      }
      // Looked at before anything is made: what a failed spawn takes back must not be a branch that
      // was there before. One of an agent is named when rows are reserved.
      if (
        (await git.resolve(`refs/heads/${branch}`)) !== null &&
        takenBranch(await store.agents.list(), branch) === undefined
      ) {
        throw new ExomonadError(
          'BRANCH_EXISTS',
          `There is a branch ${branch} already. Take another name, or adopt it (\`exomonad spawn … --branch ${branch}\`).`,
          { branch },
        )
      }
      return { spec, slug, branch, forkPoint: base.sha, role, cliName, adopt: undefined }
    },

    /**
     * Rows in state spawning and their intents, in one transaction: two spawns never get the same
     * branch or folder, nor pass a limit together.
     */
    reserve: async (
      caller: Caller,
      candidates: readonly Candidate[],
      again = false,
    ): Promise<{ agents: Reserved[]; errors: SpawnError[] }> => {
      return store.transaction(async (tx) => {
        const agents = await admission.require(
          tx,
          caller,
          candidates.map(({ cliName }) => runtimeOf(cliName)),
          'spawn from',
        )
        const reserved: Reserved[] = []
        const errors: SpawnError[] = []
        for (const candidate of candidates) {
          const taken = takenBranch(agents, candidate.branch)
          if (taken !== undefined) {
            errors.push({
              name: candidate.spec.name,
              code: 'BRANCH_EXISTS',
              error: `${candidate.branch} belongs to the agent ${taken.name} (${isAlive(taken.state) ? 'alive' : taken.state}). Take another name${isAlive(taken.state) ? `, or send ${taken.name} more work` : ''}.`,
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
          const agent = await draft(caller, candidate, agents, randomUUID())
          agents.push(agent)
          const journal = await admission.enter(tx, agent, {
            agentId: agent.id,
            branch: agent.branch,
            worktree: agent.worktree,
            forkPoint: candidate.forkPoint,
            makesBranch: candidate.adopt === undefined,
            makesWorktree: candidate.adopt === undefined || candidate.adopt.worktree === null,
          })
          if (source !== undefined) await recordIssue(tx, agent.id, source)
          reserved.push({ agent, candidate, journal })
        }
        return { agents: reserved, errors }
      })
    },
  }
}
