import type { ForgeIssues, Issue } from '../../../adapters/forge/issues.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import { childBranch } from '../../../domain/ids.ts'
import { slugify } from '../../../domain/formats/slug.ts'
import type { SpawnSpec } from '../spawn-use-cases.ts'
import type { Caller } from '../../../domain/caller.ts'
import type { Deps } from '../../deps.ts'
import { isAlive } from '../../../domain/lifecycle.ts'
import { issueAgents, type IssueRecord } from './records.ts'
import { issueName, issueTask, type Consent } from './task.ts'

/** A spec whose name and task are known. */
export type ResolvedSpec = SpawnSpec & { readonly source?: IssueRecord }

/**
 * INVALID_ARG where an agent is on it already; `again`: a person wants another one all the same.
 */
export type RequireFree = (
  store: Parameters<typeof issueAgents>[0],
  issue: Pick<IssueRecord, 'number' | 'repository' | 'byLabel'>,
  again: boolean,
) => Promise<void>

/** By a label an issue is taken once for ever; by hand while no agent that took it lives. */
export const requireFree: RequireFree = async (store, { number, repository, byLabel }, again) => {
  if (again) return
  const taken = (await issueAgents(store, repository)).filter((one) => one.issue.number === number)
  const one =
    taken.find(({ agent }) => isAlive(agent.state) && agent.cleanedAt === null) ??
    (byLabel ? taken.at(-1) : undefined)
  if (one === undefined) return
  const { name, id, branch } = one.agent
  throw new ExomonadError(
    'INVALID_ARG',
    `${name} works on issue #${number} already (${branch}). Send it more work, or kill it first; \`--force\` spawns another one beside it.`,
    { number, agent: id, name },
  )
}

/**
 * Why that label is no reason to spawn; null where it is. `foreign`: nobody who may write set it.
 * `outdated`: they set it on other words.
 */
export function labelRefusal(
  { number, label }: Pick<Issue, 'number' | 'label'>,
  wanted: string,
): { code: 'foreign' | 'outdated'; reason: string } | null {
  if (label === null || !label.mayWrite) {
    const who =
      label === null
        ? 'nobody knows who put it there'
        : `${label.name} put it there, who has no write access to the repository`
    return {
      code: 'foreign',
      reason: `#${number} has the label “${wanted}”, but ${who}. Somebody who has may take it off and set it again.`,
    }
  }
  if (!label.outdated) return null
  const reason = `#${number} was changed by somebody without write access after ${label.name} set the label “${wanted}”. Read it, take the label off, and set it again.`
  return { code: 'outdated', reason }
}

/** Makes of an issue’s number what is spawned for it: a name, and its words as the task. */
export function createIssueSpecs({ store, forge, git }: Pick<Deps, 'store' | 'forge' | 'git'>): {
  resolve(caller: Caller, spec: SpawnSpec, options: { again: boolean }): Promise<ResolvedSpec>
} {
  const requireIssues = (): ForgeIssues => {
    if (forge.issues !== null) return forge.issues
    throw new ExomonadError(
      'NOT_AVAILABLE',
      `Issues are read on GitHub alone, and pull requests here are elsewhere (forge.kind = "${forge.kind}"). Set [forge] kind = "github" and start the daemon again, or give the task in words.`,
      { forge: forge.kind },
    )
  }

  const consentOf = (caller: Caller, issue: Issue, wanted: string | undefined): Consent => {
    const { number, authorName, trusted, label } = issue
    if (wanted !== undefined) {
      const refusal = labelRefusal(issue, wanted)
      if (refusal !== null || label === null)
        throw new ExomonadError('NOT_ALLOWED', refusal?.reason ?? '', { number })
      return trusted ? { kind: 'author' } : { kind: 'label', name: label.name }
    }
    if (trusted) return { kind: 'author' }
    if (caller.kind === 'human' || caller.actedBy === 'person') return { kind: 'person' }
    throw new ExomonadError(
      'NOT_ALLOWED',
      `Issue #${number} is by ${authorName}, who has no write access to the repository: only a person may give it to an agent (\`exomonad spawn --issue ${number}\`). Ask yours.`,
      { number, author: authorName },
    )
  }

  /** One that no branch has: an earlier agent’s may be there still. */
  const freeName = async (caller: Caller, issue: Issue): Promise<string> => {
    const base = issueName(issue)
    for (let count = 1; count < 10; count++) {
      const name = count === 1 ? base : `${base}-${count}`
      if (
        (await git.resolve(`refs/heads/${childBranch(caller.agent.branch, slugify(name))}`)) ===
        null
      )
        return name
    }
    return base
  }

  return {
    resolve: async (caller, spec, { again }) => {
      const { issue: number, label, name, prompt } = spec
      if (number === undefined) return spec
      const issues = requireIssues()
      if (again && caller.kind === 'agent' && caller.actedBy !== 'person')
        throw new ExomonadError(
          'NOT_ALLOWED',
          'Only the human may spawn a second agent for an issue (`force`).',
          { number },
        )
      const repository = await forge.identity()
      const byLabel = label !== undefined
      await requireFree(store, { number, repository, byLabel }, again)
      const issue = await issues.read(number, label)
      if (issue.state === 'closed')
        throw new ExomonadError(
          'INVALID_ARG',
          `Issue #${number} is closed: ${issue.url}. Reopen it, or give the task in words.`,
          { number, url: issue.url },
        )
      const consent = consentOf(caller, issue, label)
      return {
        ...spec,
        name: name.trim() === '' ? await freeName(caller, issue) : name,
        prompt: issueTask(issue, consent, prompt),
        source: { number, url: issue.url, title: issue.title, repository, byLabel },
      }
    },
  }
}
