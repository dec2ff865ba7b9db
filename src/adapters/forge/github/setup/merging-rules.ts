import type { MergeStrategy } from '../../merge-results.ts'
import type { GithubClient } from '../client/client.ts'
import { mergeWays } from '../merge-ways.ts'
import type { GithubRepository } from '../repository.ts'
import { readBranchRules, type BranchRule } from '../reading/branch-rules.ts'
import type { PermissionFinding } from './permission-finding.ts'
import { treeRuleFindings, type Ruleset } from './tree-rules.ts'

export interface RuledRepository {
  readonly repository: GithubRepository
  /** The branch the tree grows from. */
  readonly root: string
  /** As `GET /repos/{owner}/{repo}` has it; undefined where it is absent. */
  readonly settings: Readonly<Record<MergeStrategy, boolean | undefined>>
  /** exomonad deletes branches that were merged. */
  readonly deletes: boolean
}

/**
 * A branch as agents have it, below the root. GitHub has rules also for names of branches that are
 * not there.
 */
const probeOf = (root: string): string => `${root}.doctor-probe`

/** How may be merged, and what rulesets will refuse of the tree’s own branches. */
export async function checkRules(
  client: GithubClient,
  { repository, root, settings, deletes }: RuledRepository,
): Promise<PermissionFinding[]> {
  const branch = probeOf(root)
  const [ofRoot, rules] = await Promise.all([
    readBranchRules(client, root),
    readBranchRules(client, branch),
  ])
  const rulesets = await readRulesets(client, [...ofRoot, ...rules])
  return [
    ...waysFindings({ repository, root, settings }, ofRoot),
    ...rootFindings(root, ofRoot, rulesets),
    ...treeRuleFindings({ root, branch, rules, rulesets, deletes }),
  ]
}

/** Names, and whom they bind; what can’t be read is left out. */
async function readRulesets(
  client: GithubClient,
  rules: readonly BranchRule[],
): Promise<ReadonlyMap<number, Ruleset>> {
  const ids = [
    ...new Set(rules.flatMap((rule) => (rule.ruleset_id === undefined ? [] : [rule.ruleset_id]))),
  ]
  const found = await Promise.all(
    ids.map(async (id): Promise<readonly [number, Ruleset][]> => {
      try {
        const { data } = await client.rest<{
          name: string
          current_user_can_bypass?: string
          _links?: { html?: { href?: string } | null }
        }>('GET /repos/{owner}/{repo}/rulesets/{ruleset_id}', { ruleset_id: id })
        const bypassed =
          data.current_user_can_bypass === 'always' || data.current_user_can_bypass === 'exempt'
        return [[id, { name: data.name, url: data._links?.html?.href ?? null, bypassed }]]
      } catch {
        return []
      }
    }),
  )
  return new Map(found.flat())
}

/** By the settings, and the rules as far as they are known. */
export function waysFindings(
  { repository, root, settings }: Omit<RuledRepository, 'deletes'>,
  rules: readonly BranchRule[],
): PermissionFinding[] {
  const { merge, squash, rebase } = settings
  if (merge === undefined || squash === undefined || rebase === undefined) {
    const why = 'which ways of merging are allowed is only shown to those who may write'
    return [{ permission: 'Squash merges', state: 'unknown', needed: false, why, fix: null }]
  }
  const ways = mergeWays({
    repository: `${repository.owner}/${repository.name}`,
    base: root,
    settings: { merge, squash, rebase },
    linear: false,
    signed: false,
    rules,
  })
  const finding = (permission: string, way: MergeStrategy, whose: string): PermissionFinding => {
    if (ways.allowed.includes(way))
      return {
        permission,
        state: 'ok',
        needed: false,
        why: `${permission.toLowerCase()} are allowed`,
        fix: null,
      }
    const [instead] = (['squash', 'merge', 'rebase'] as const).filter((other) =>
      ways.allowed.includes(other),
    )
    return {
      permission,
      state: 'missing',
      needed: instead === undefined,
      why: `${ways.why}: ${whose} pull requests ${instead === undefined ? 'can’t be merged in any way' : `are merged by ${instead} instead, unless another way is asked for`}`,
      fix:
        instead === undefined
          ? 'Allow one in the repository’s settings or rules'
          : 'Allow them in the repository’s settings or rules where you want them',
    }
  }
  return [
    finding('Squash merges', 'squash', 'workers’'),
    finding('Merge commits', 'merge', 'subtrees’'),
  ]
}

/** What keeps all merges out of the root, or makes them otherwise. */
const rootFindings = (
  root: string,
  rules: readonly BranchRule[],
  rulesets: ReadonlyMap<number, Ruleset>,
): PermissionFinding[] =>
  rules.flatMap(({ type, ruleset_id: id }): PermissionFinding[] => {
    const ruleset = id === undefined ? undefined : rulesets.get(id)
    if (type === 'merge_queue') {
      const why = `a merge queue merges into ${root}: merge_pr puts pull requests into it; workflows whose checks ${root} requires have to run on merge_group as well`
      return [{ permission: 'Merge queue', state: 'ok' as const, needed: false, why, fix: null }]
    }
    if (type !== 'update' || ruleset?.bypassed === true) return []
    const name = ruleset === undefined ? `ruleset ${id ?? ''}`.trim() : `ruleset “${ruleset.name}”`
    return [
      {
        permission: `Rules of ${root}`,
        state: 'missing' as const,
        needed: true,
        why: `the ${name} lets ${root} not be updated: merges into it are refused`,
        fix: `Let the token’s account bypass it${ruleset?.url == null ? '' : ` (${ruleset.url})`}`,
      },
    ]
  })
