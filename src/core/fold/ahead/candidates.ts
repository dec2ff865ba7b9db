import type { PullRequestSnapshot } from '../../../adapters/forge/forge.ts'
import type { PlannedMerge } from '../../../adapters/forge/merge-results.ts'
import { sharesBranch } from '../../../domain/agent-kinds.ts'
import type { AgentId, BranchName, Sha } from '../../../domain/ids.ts'
import { isAlive } from '../../../domain/lifecycle.ts'
import type { Deps } from '../../deps.ts'
import { waitsToLand, type MergeIntent } from '../../pulls/merge/journal.ts'
import { ownerOf } from '../../pulls/merge/settle.ts'
import { chooseStrategy, usualStrategy } from '../../pulls/merge/strategy.ts'
import { blockersOf } from '../../pulls/readiness.ts'
import type { LandsHere } from '../lands-here.ts'
import { partnersOf, type Ejected } from './fold-record.ts'

/** One that may be a link of the chain. */
export interface Candidate extends PlannedMerge {
  readonly title: string
  readonly branch: BranchName
  readonly owner: AgentId | null
  /** Null of one that is not filed yet. */
  readonly pull: PullRequestSnapshot | null
}

/** Filed, and nothing stands against it but checks that are still to come. */
const isFoldable = (pull: PullRequestSnapshot): boolean =>
  pull.state === 'open' &&
  pull.trusted &&
  !pull.draft &&
  pull.scheduled === undefined &&
  pull.mergeable === 'mergeable' &&
  pull.reviewDecision !== 'changes_requested' &&
  pull.checksState !== 'failed' &&
  blockersOf(pull).length === 0

/**
 * Whether it stays out of the chain with this head: as long as those that it is red with have the
 * same, or, red by itself, until a check of its own says otherwise.
 */
export function isOut(
  ejected: readonly Ejected[],
  { number, head, pull }: Pick<Candidate, 'number' | 'head' | 'pull'>,
  heads: ReadonlyMap<number, Sha>,
): boolean {
  const found = ejected.find((one) => one.number === number && one.head === head)
  if (found === undefined) return false
  const partners = partnersOf(found)
  return partners.length === 0
    ? pull?.checksState !== 'passed'
    : partners.every((partner) => heads.get(partner.number) === partner.head)
}

/** What is open on a base, oldest first, with the merge that each would have. */
export async function foldable(
  {
    store,
    forge,
    settings,
    landsHere,
  }: Pick<Deps, 'store' | 'forge' | 'settings'> & {
    landsHere: LandsHere
  },
  base: BranchName,
): Promise<{ readonly pulls: PullRequestSnapshot[]; readonly candidates: Candidate[] }> {
  const numbers = await forge.find({ state: 'open', base })
  const found = await forge.snapshots(numbers.toSorted((a, b) => a - b))
  const pulls = found.flatMap((one) => ('snapshot' in one ? [one.snapshot] : []))
  const [agents, journal] = [await store.agents.list(), await store.journal.open()]
  const asked = new Map(
    journal.filter(waitsToLand).map(({ data }) => [Number(data['number']), data as MergeIntent]),
  )
  const isHere = await landsHere((await settings.snapshot()).config, base)
  // One answer for all of them.
  let ways: ReturnType<typeof forge.mergeWays> | undefined
  const mergeWays = () => (ways ??= forge.mergeWays(base))
  const candidates: Candidate[] = []
  for (const pull of pulls.filter(isFoldable)) {
    const child = ownerOf(agents, pull.head.branch)
    const usual = usualStrategy(child, isHere)
    const strategy =
      asked.get(pull.number)?.strategy ??
      (await chooseStrategy({ mergeWays }, pull, undefined, usual).catch(() => undefined))?.strategy
    // Its base allows no merge at all.
    if (strategy === undefined) continue
    candidates.push({
      number: pull.number,
      head: pull.head.sha,
      strategy,
      title: pull.title,
      branch: pull.head.branch,
      owner: child?.id ?? null,
      pull,
    })
  }
  return { pulls, candidates }
}

/** Work of living agents that is committed, and in no pull request yet. */
export async function unfiled(
  { store, git }: Pick<Deps, 'store' | 'git'>,
  base: BranchName,
  onto: Sha,
  filed: ReadonlySet<string>,
): Promise<Candidate[]> {
  const found: Candidate[] = []
  for (const agent of await store.agents.list()) {
    if (
      !isAlive(agent.state) ||
      agent.baseBranch !== base ||
      sharesBranch(agent) ||
      filed.has(agent.branch)
    )
      continue
    const head = await git.resolve(`refs/heads/${agent.branch}`)
    if (head === null || (await git.isAncestor(head, onto))) continue
    found.push({
      number: -1 - found.length,
      head,
      strategy: 'merge',
      unfiled: agent.branch,
      title: agent.name,
      branch: agent.branch,
      owner: agent.id,
      pull: null,
    })
  }
  return found
}
