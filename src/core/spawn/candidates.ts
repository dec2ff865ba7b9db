import { ExomonadError } from '../../domain/errors.ts'
import {
  asBranchName,
  childBranch,
  fitsInFile,
  LONGEST_IN_BRANCH,
  type BranchName,
  type Sha,
} from '../../domain/ids.ts'
import { requireFreeWord, slugify } from '../../domain/formats/slug.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Configured, Deps } from '../deps.ts'
import type { ResolvedSpec } from './issues/specs.ts'
import type { Launcher } from './launch.ts'
import { agentOnBranch, requireOver } from './take-over.ts'
import type { Base } from './spawn-base.ts'

/** A spec that could be spawned as far as can be determined without making anything. */
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

/**
 * Looks whether a spec could be spawned: its name and branch, its program, who may adopt.
 * INVALID_ARG, AGENT_CLI_MISSING, NOT_ALLOWED, BRANCH_EXISTS.
 */
export function createCandidates({
  store,
  git,
  launcher,
}: Pick<Deps, 'store' | 'git'> & { launcher: Launcher }) {
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
    const agents = await store.agents.list()
    const owner = agentOnBranch(agents, branch)
    if (owner !== undefined) requireOver(owner, agents)
    return {
      branch: asBranchName(branch),
      worktree: entry === undefined || entry.prunable ? null : entry.path,
      head,
    }
  }

  return async (
    configured: Configured,
    caller: Caller,
    spec: ResolvedSpec,
    base: Base,
  ): Promise<Candidate> => {
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
    const cliName = launcher.cliOfRole(configured.config, role, spec.agent)
    await launcher.requireProgram(configured, cliName)
    if (spec.branch !== undefined) {
      // Somebody else’s work may be on it.
      if (caller.kind === 'agent' && caller.actedBy !== 'person')
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
    if (slug === 'lock' || !fitsInFile(branch)) {
      throw new ExomonadError(
        'INVALID_ARG',
        slug === 'lock'
          ? `"${branch}" can’t be a branch name. Choose another name than "${spec.name}".`
          : `${spec.name} would be on the branch "${branch}", whose name is longer than git can keep (${LONGEST_IN_BRANCH} bytes between two slashes). Choose a shorter name, or spawn it higher up in the tree.`,
        { name: spec.name, branch },
      )
    }
    // Looked at before anything is made: what a failed spawn takes back must not be a branch that
    // was there before. One of an agent is named when rows are reserved.
    if (
      (await git.resolve(`refs/heads/${branch}`)) !== null &&
      agentOnBranch(await store.agents.list(), branch) === undefined
    ) {
      throw new ExomonadError(
        'BRANCH_EXISTS',
        `There is a branch ${branch} already. Take another name, or adopt it (\`exomonad spawn workers … --branch ${branch}\`).`,
        { branch },
      )
    }
    return { spec, slug, branch, forkPoint: base.sha, role, cliName, adopt: undefined }
  }
}
