import { sharesBranch } from '../../domain/agent-kinds.ts'
import type { Agent } from '../../domain/records.ts'
import { asExomonadError } from '../../domain/errors.ts'
import type { Sha } from '../../domain/ids.ts'
import type { Maintenance } from './maintenance-use-cases.ts'
import type { Deps } from '../deps.ts'
import type { EndProgram } from '../agents/end-program.ts'
import { hasProgram, isAlive, STOPPED } from '../../domain/lifecycle.ts'
import type { Teardown } from '../spawn/provision/teardown.ts'
import type { OwnPanes } from '../panes/panes.ts'
import { knownPulls } from '../pulls/pull-records.ts'
import type { States } from '../agents/states.ts'
import { findAgent } from '../agents/directory.ts'
import { doneAgents } from '../tree/done.ts'

/**
 * Takes away what is proven merged, and nothing else: the branch’s tip must be in its base, the
 * worktree clean, the program ended. One that `down` stopped goes as well where it is done, which a
 * branch without any commit does not show; with `kill` so does one that rests in its program.
 */
export function createClean({
  settings,
  store,
  git,
  forge,
  files,
  trash,
  panes,
  states,
  endProgram,
  teardown,
  publisher,
  clock,
  log,
}: Pick<
  Deps,
  'settings' | 'store' | 'git' | 'forge' | 'files' | 'trash' | 'publisher' | 'clock' | 'log'
> & {
  panes: OwnPanes
  states: States
  endProgram: EndProgram
  teardown: Teardown
}): Maintenance['clean'] {
  /** Why it may not end, or must be ended first; null where it has ended or may. */
  const lives = (agent: Agent, done: boolean, kill: boolean): string | null => {
    if (!isAlive(agent.state)) return null
    if (done && (kill || !hasProgram(agent))) return null
    if (agent.stateReason === STOPPED)
      return 'it was stopped, and nothing of it was merged: resume it, or kill it first'
    return `its program may still run (${agent.state}); kill it first${done ? ', or clean with --kill' : ''}`
  }

  /** Null where it may go; else why it stays. */
  const keepReason = async (
    agent: Agent,
    agents: readonly Agent[],
    tips: Awaited<ReturnType<typeof git.branches>>,
    worktrees: Awaited<ReturnType<typeof git.worktrees>>,
    kill: boolean,
  ): Promise<string | null> => {
    const pulls = await knownPulls(store)
    const done = await doneAgents(store, [agent, ...agents.filter((one) => shares(one, agent))])
    const living = lives(agent, done.has(agent.id), kill)
    if (living !== null) return living
    if (agent.adopted) return 'it was there before the agent'
    const onIt = agents.find((other) => other.ownsWorktree && other.baseBranch === agent.branch)
    if (onIt !== undefined) return `it is the base of ${onIt.name}, which stays`
    const inIt = agents.find(
      (other) => shares(other, agent) && lives(other, done.has(other.id), kill) !== null,
    )
    if (inIt !== undefined)
      return `${inIt.name} may still work in it (${inIt.state}); kill that first`
    const waiting = pulls.find(
      (pull) =>
        pull.state === 'open' &&
        (pull.base.branch === agent.branch || pull.head.branch === agent.branch),
    )
    if (waiting !== undefined) return `#${waiting.number} is open`
    const tip = tips.get(agent.branch)
    // git lists them without symlinks.
    const place = await files.realPath(agent.worktree)
    const entry = worktrees.find((worktree) => worktree.path === place)
    if (entry !== undefined && !entry.prunable) {
      const status = await git.status(agent.worktree)
      if (status.operation !== null) return `a ${status.operation} is in progress`
      if (status.dirty.length > 0)
        return `${status.dirty.length} uncommitted file${status.dirty.length === 1 ? '' : 's'}: ${status.dirty.slice(0, 3).join(', ')}`
      if (status.branch !== agent.branch)
        return `its worktree is on ${status.branch ?? 'no branch'}`
    }
    if (tip === undefined) return null
    const bases = [
      agent.baseBranch === null ? null : `refs/remotes/${forge.remote}/${agent.baseBranch}`,
      agent.baseBranch === null ? null : `refs/heads/${agent.baseBranch}`,
    ]
    const merges = pulls.filter(
      (pull) =>
        pull.head.branch === agent.branch && pull.state === 'merged' && pull.mergedHead === tip,
    )
    for (const name of bases) {
      const base = name === null ? null : await git.resolve(name)
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

  /** Without a word to its parent, who merged it. */
  const end = async (agent: Agent): Promise<void> => {
    if (!isAlive(agent.state)) return
    const ended = await states.change(agent.id, {
      to: 'killed',
      reason: 'cleaned away, its work is merged',
      source: 'human',
      actor: 'human',
    })
    if (ended !== undefined) await endProgram(ended)
  }

  const takeAway = async (
    agent: Agent,
    forks: readonly Agent[],
    tip: Sha | undefined,
  ): Promise<string[]> => {
    // Nothing is torn down of a worktree that then stays.
    if ((await settings.snapshot()).config.worktree.teardown.length > 0)
      await git.requireRemovable(agent.worktree)
    for (const one of [...forks, agent]) await panes.close(one)
    const warnings = await teardown(agent)
    await git.removeWorktree(agent.worktree, { trash: trash.folder })
    if (tip !== undefined) {
      await git.deleteBranch(agent.branch, tip)
      try {
        const remote = await git.remoteTip(forge.remote, agent.branch)
        // A forge closes what is based on a branch that goes, also what people filed.
        const needed =
          remote === tip && (await forge.find({ state: 'open', base: agent.branch })).length > 0
        if (remote === tip && !needed) await git.deleteRemoteBranch(forge.remote, agent.branch, tip)
      } catch (thrown) {
        log.warn(
          { err: thrown, branch: agent.branch },
          'the branch stays on the remote, which could not be asked',
        )
      }
    }
    await git.keepSnapshots(new Map([[agent.id, null]]))
    for (const one of [...forks, agent]) {
      await files.removeFolder(one.id)
      await store.agents.update(one.id, {
        cleanedAt: clock(),
        reapedAt: one.reapedAt ?? clock(),
        paneId: null,
      })
    }
    await publisher.publish({
      type: 'agent.removed',
      agentId: agent.id,
      actor: 'human',
      payload: { name: agent.name, branch: agent.branch, worktree: agent.worktree },
    })
    return warnings
  }

  type Removed = Awaited<ReturnType<Maintenance['clean']>>['removed'][number]
  type Cleaned = { removed: Removed } | { kept: Removed & { reason: string } }

  return async ({ dryRun, kill, addresses }) => {
    const agents = (await store.agents.list()).filter((agent) => agent.cleanedAt === null)
    const named = await Promise.all(addresses.map((address) => findAgent(store.agents, address)))
    const wanted = agents.filter(
      (agent) =>
        agent.ownsWorktree &&
        (named.length === 0 || named.some((one) => one.id === agent.id || shares(one, agent))),
    )
    const tips = await git.branches()
    const worktrees = await git.worktrees()
    const staying = new Set(agents)

    const cleanOne = async (agent: Agent): Promise<Cleaned> => {
      const place: Removed = {
        agent: agent.name,
        branch: agent.branch,
        worktree: agent.worktree,
      }
      const reason = await keepReason(agent, [...staying], tips, worktrees, kill)
      if (reason !== null) return { kept: { ...place, reason } }
      const forks = agents.filter((other) => shares(other, agent))
      if (!dryRun) {
        await Promise.all([...forks, agent].map(end))
        // What a program did until it was ended counts as well.
        const since = [...forks, agent].some(({ state }) => isAlive(state))
          ? await keepReason(
              { ...agent, state: 'killed' },
              [...staying].filter((one) => !forks.includes(one)),
              await git.branches(),
              worktrees,
              kill,
            )
          : null
        if (since !== null) return { kept: { ...place, reason: since } }
        const warnings = await takeAway(agent, forks, tips.get(agent.branch))
        if (warnings.length > 0) place.warnings = warnings
      }
      for (const one of [...forks, agent]) staying.delete(one)
      return { removed: place }
    }
    const attempt = (agent: Agent): Promise<Cleaned> =>
      cleanOne(agent).catch((thrown: unknown) => ({
        kept: {
          agent: agent.name,
          branch: agent.branch,
          worktree: agent.worktree,
          reason: asExomonadError(thrown).message,
        },
      }))

    const cleaned: Cleaned[] = []
    // Children before parents: a parent’s branch is the base its children are compared with.
    const depths = [...new Set(wanted.map(({ depth }) => depth))].sort((a, b) => b - a)
    for (const depth of depths)
      cleaned.push(
        ...(await atOnce(
          AT_ONCE,
          wanted.filter((agent) => agent.depth === depth),
          attempt,
        )),
      )
    // Nobody waits for the files.
    if (!dryRun) trash.empty()
    return {
      removed: cleaned.flatMap((one) => ('removed' in one ? [one.removed] : [])),
      kept: cleaned.flatMap((one) => ('kept' in one ? [one.kept] : [])),
    }
  }
}

/** Looking over a large worktree takes a processor, and the disk, for a while. */
const AT_ONCE = 4

/** The results in the order of the items, so many at a time. */
async function atOnce<Item, Result>(
  limit: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const todo = items.entries()
  const worker = async (): Promise<void> => {
    for (const [index, item] of todo) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: limit }, worker))
  return results
}

/** Forks and sessions have no worktree of their own: they go with the one that they work in. */
const shares = (other: Agent, { worktree }: Agent): boolean =>
  sharesBranch(other) && other.worktree === worktree
