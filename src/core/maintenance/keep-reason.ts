import type { Git, WorktreeEntry, WorktreeStatus } from '../../adapters/git/git.ts'
import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import { sharesBranch } from '../../domain/agent-kinds.ts'
import type { AgentId, BranchName, Sha } from '../../domain/ids.ts'
import { hasProgram, isAlive, STOPPED } from '../../domain/lifecycle.ts'
import type { Agent } from '../../domain/records.ts'
import type { Deps } from '../deps.ts'
import { knownPulls } from '../pulls/pull-records.ts'
import { doneAgents } from '../tree/done.ts'

/** What all agents are judged by, looked at once for all of them. */
export interface KeepFacts {
  readonly pulls: readonly PullRequestSnapshot[]
  readonly done: ReadonlySet<AgentId>
  readonly tips: ReadonlyMap<BranchName, Sha>
  readonly worktrees: readonly WorktreeEntry[]
}

/** `status`: of its worktree at the end of the look; null where it has none. */
export type Verdict =
  | { readonly kind: 'kept'; readonly reason: string }
  | { readonly kind: 'free'; readonly status: WorktreeStatus | null }

/** Forks and sessions have no worktree of their own: they go with the one that they work in. */
export const shares = (other: Agent, { worktree }: Agent): boolean =>
  sharesBranch(other) && other.worktree === worktree

/** Why it may not end, or must be ended first; null where it has ended or may. */
export function livesOn(agent: Agent, done: boolean, kill: boolean): string | null {
  if (!isAlive(agent.state)) return null
  if (done && (kill || !hasProgram(agent))) return null
  if (agent.stateReason === STOPPED)
    return 'it was stopped, and nothing of it was merged: resume it, or kill it first'
  return `its program may still run (${agent.state}); kill it first${done ? ', or clean with --kill' : ''}`
}

export interface KeepReasons {
  look(agents: readonly Agent[]): Promise<KeepFacts>
  /**
   * Why what an agent has may not be taken away, by records and commits; `commits` is said only
   * where its files give no other reason. `staying`: all that was not taken away yet. `kill`: of
   * those that are done also where their program runs.
   */
  ofRecords(
    agent: Agent,
    staying: readonly Agent[],
    around: KeepFacts,
    options: { kill: boolean },
  ): Promise<{ reason: string | null; commits: string | null }>
  /** The rest, by what its worktree holds right now. */
  ofFiles(agent: Agent, around: KeepFacts, commits: string | null): Promise<Verdict>
}

export function createKeepReasons({
  store,
  git,
  forge,
  files,
}: Pick<Deps, 'store' | 'forge' | 'files'> & {
  git: Pick<Git, 'branches' | 'worktrees' | 'status' | 'resolve' | 'isAncestor' | 'isMerged'>
}): KeepReasons {
  /** Of the records alone. */
  const recorded = (
    agent: Agent,
    staying: readonly Agent[],
    { pulls, done }: KeepFacts,
    kill: boolean,
  ): string | null => {
    const living = livesOn(agent, done.has(agent.id), kill)
    if (living !== null) return living
    if (agent.adopted) return 'it was there before the agent'
    const onIt = staying.find((other) => other.ownsWorktree && other.baseBranch === agent.branch)
    if (onIt !== undefined) return `it is the base of ${onIt.name}, which stays`
    const inIt = staying.find(
      (other) => shares(other, agent) && livesOn(other, done.has(other.id), kill) !== null,
    )
    if (inIt !== undefined)
      return `${inIt.name} may still work in it (${inIt.state}); kill that first`
    const waiting = pulls.find(
      (pull) =>
        pull.state === 'open' &&
        (pull.base.branch === agent.branch || pull.head.branch === agent.branch),
    )
    return waiting === undefined ? null : `#${waiting.number} is open`
  }

  const unmerged = async (agent: Agent, { pulls, tips }: KeepFacts): Promise<string | null> => {
    const tip = tips.get(agent.branch)
    if (tip === undefined) return null
    const bases =
      agent.baseBranch === null
        ? []
        : [`refs/remotes/${forge.remote}/${agent.baseBranch}`, `refs/heads/${agent.baseBranch}`]
    const merges = pulls.filter(
      (pull) =>
        pull.head.branch === agent.branch && pull.state === 'merged' && pull.mergedHead === tip,
    )
    for (const name of bases) {
      const base = await git.resolve(name)
      if (base === null) continue
      if (tip === agent.forkPoint && (await git.isAncestor(tip, base))) return null
      for (const pull of merges)
        if (pull.mergeSha !== null && (await git.isAncestor(pull.mergeSha, base))) return null
      if (await git.isMerged(tip, base)) return null
    }
    return agent.baseBranch === null
      ? 'it has no base to be merged into'
      : `it has commits that are not proven to be in ${agent.baseBranch}`
  }

  const unsaved = (
    { branch }: Agent,
    status: WorktreeStatus,
    tip: Sha | undefined,
  ): string | null => {
    const { operation, dirty } = status
    if (operation !== null) return `a ${operation} is in progress`
    if (dirty.length > 0)
      return `${dirty.length} uncommitted file${dirty.length === 1 ? '' : 's'}: ${dirty.slice(0, 3).join(', ')}`
    if (status.branch !== branch) return `its worktree is on ${status.branch ?? 'no branch'}`
    return tip === undefined || status.head === tip ? null : `${branch} has just moved`
  }

  return {
    look: async (agents) => {
      const [pulls, done, tips, worktrees] = await Promise.all([
        knownPulls(store),
        doneAgents(store, agents),
        git.branches(),
        git.worktrees(),
      ])
      return { pulls, done, tips, worktrees }
    },

    ofRecords: async (agent, staying, around, { kill }) => {
      const reason = recorded(agent, staying, around, kill)
      return { reason, commits: reason === null ? await unmerged(agent, around) : null }
    },

    ofFiles: async (agent, { tips, worktrees }, commits) => {
      // git lists them without symlinks.
      const place = await files.realPath(agent.worktree)
      const entry = worktrees.find((worktree) => worktree.path === place)
      const status =
        entry === undefined || entry.prunable
          ? null
          : await git.status(agent.worktree, { submodules: true })
      const reason = status === null ? null : unsaved(agent, status, tips.get(agent.branch))
      const why = reason ?? commits
      return why === null ? { kind: 'free', status } : { kind: 'kept', reason: why }
    },
  }
}
