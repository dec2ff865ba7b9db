import type { BranchRule } from '../reading/branch-rules.ts'
import type { PermissionFinding } from './permission-finding.ts'

/** What is known of a ruleset beside its rules. */
export interface Ruleset {
  readonly name: string
  readonly url: string | null
  /** The token’s account is not bound by it when it pushes. */
  readonly bypassed: boolean
}

export interface TreeRules {
  /** The branch the tree grows from: its agents have branches such as `main.search`. */
  readonly root: string
  /** Name of an agent’s branch, which need not be there; and its rules. */
  readonly branch: string
  readonly rules: readonly BranchRule[]
  /** By number, as far as they could be read. */
  readonly rulesets: ReadonlyMap<number, Ruleset>
  /** exomonad deletes branches that were merged. */
  readonly deletes: boolean
}

interface Trouble {
  /** Nothing can be pushed, or not again; else only some pushes are refused. */
  readonly needed: boolean
  /** Completes “the ruleset …”, and says what will fail. */
  readonly what: string
  /** Another way out than to leave the tree’s branches out of the ruleset; without a full stop. */
  readonly or?: string
}

/**
 * What of the rules for an agent’s branch will stand in the tree’s way, each with what to do. Rules
 * that bind nobody here are left out.
 */
export function treeRuleFindings(tree: TreeRules): PermissionFinding[] {
  return tree.rules.flatMap((rule): PermissionFinding[] => {
    const ruleset = rule.ruleset_id === undefined ? undefined : tree.rulesets.get(rule.ruleset_id)
    if (ruleset?.bypassed === true) return []
    const trouble = troubleOf(rule, tree)
    if (trouble === null) return []
    const name =
      ruleset === undefined
        ? `ruleset ${rule.ruleset_id ?? ''}`.trim()
        : `ruleset “${ruleset.name}”`
    const owner = rule.ruleset_source === undefined ? '' : ` of ${rule.ruleset_source}`
    const out = `Leave refs/heads/${tree.root}.* out of it${ruleset?.url == null ? '' : ` (${ruleset.url})`}, or let the token’s account bypass it`
    return [
      {
        permission: `Rules of ${tree.root}.*`,
        state: 'missing',
        needed: trouble.needed,
        why: `the ${name}${owner} ${trouble.what}`,
        fix:
          trouble.or === undefined
            ? out
            : `${trouble.or}. Or: ${out.charAt(0).toLowerCase()}${out.slice(1)}`,
      },
    ]
  })
}

const always = (what: string, or?: string): Trouble => ({
  needed: true,
  what,
  ...(or === undefined ? {} : { or }),
})
const sometimes = (what: string, or?: string): Trouble => ({
  needed: false,
  what,
  ...(or === undefined ? {} : { or }),
})

function troubleOf(
  { type, parameters = {} }: BranchRule,
  { branch, deletes }: TreeRules,
): Trouble | null {
  switch (type) {
    case 'creation':
      return always(
        'lets no branches be created: no agent’s branch can be pushed, so no pull request be filed',
      )
    case 'update':
      return always(
        'lets branches not be updated: what an agent pushes after its first push is refused, and so is every merge into a subtree’s branch',
      )
    case 'pull_request':
      return always(
        'lets branches be changed by pull requests only: what agents push to their own branches is refused',
      )
    case 'merge_queue':
      return always(
        'lets branches be changed by a merge queue only: what agents push to their own branches is refused',
      )
    case 'required_status_checks':
    case 'workflows':
    case 'code_scanning':
    case 'required_deployments': {
      const first = parameters['do_not_enforce_on_create'] === true ? ' after their first push' : ''
      return always(
        `lets only commits in that have passed checks: what agents push${first} has passed none yet and is refused`,
      )
    }
    case 'required_signatures':
      return always(
        'wants every commit signed: pushes of what agents commit without a signature are refused',
        'Let git sign without asking for a passphrase (`git config commit.gpgsign true`, with a key that the account has on GitHub)',
      )
    case 'branch_name_pattern':
      return nameTrouble(parameters, branch)
    case 'non_fast_forward':
      return sometimes(
        'lets nobody force a push: a branch that is rebased after its first push can’t be pushed again, and its agent is notified',
        '`[stop] rebase_filed = "auto"` (the default) rebases what is filed only where it conflicts or GitHub wants it up to date',
      )
    case 'deletion':
      return deletes
        ? sometimes(
            'lets no branch be deleted: those of merged pull requests stay',
            'Take `delete_branch` out of [forge.github]',
          )
        : null
    case 'required_linear_history':
      return sometimes(
        'wants a linear history: pushes with merge commits are refused; pull requests into subtrees’ branches are squashed',
      )
    case 'commit_message_pattern':
    case 'commit_author_email_pattern':
    case 'committer_email_pattern': {
      const what =
        type === 'commit_message_pattern'
          ? 'messages'
          : type === 'committer_email_pattern'
            ? 'committers’ addresses'
            : 'authors’ addresses'
      return sometimes(
        `lets only commits in whose ${what} ${patternWords(parameters)}: pushes of others are refused`,
        `Tell agents so (CLAUDE.md or the like), or set git’s user.email`,
      )
    }
    case 'file_path_restriction':
    case 'file_extension_restriction':
    case 'max_file_size':
    case 'max_file_path_length':
      return sometimes(
        `restricts what files may be pushed (${type.replaceAll('_', ' ')}): pushes with others are refused`,
      )
    // Reviews and scans that only say something, and names of tags.
    case 'copilot_code_review':
    case 'license_compliance_scanning':
    case 'tag_name_pattern':
      return null
    default:
      return sometimes(`has a rule (${type}) that exomonad doesn’t know: it may refuse pushes`)
  }
}

interface Pattern {
  readonly operator?: unknown
  readonly pattern?: unknown
  readonly negate?: unknown
}

const OPERATORS: Readonly<Record<string, string>> = {
  starts_with: 'start with',
  ends_with: 'end with',
  contains: 'contain',
  regex: 'match',
}

const patternWords = ({ operator, pattern, negate }: Pattern): string =>
  `${negate === true ? 'don’t ' : ''}${OPERATORS[String(operator)] ?? String(operator)} “${String(pattern)}”`

function nameTrouble(parameters: Pattern, branch: string): Trouble | null {
  const words = `lets only branches be created whose names ${patternWords(parameters)}`
  switch (passes(parameters, branch)) {
    case true:
      return null
    case false:
      return always(`${words}: agents’ branches, such as ${branch}, can’t be pushed`)
    case null:
      return sometimes(
        `${words}, which can’t be determined here: where agents’ branches, such as ${branch}, don’t, they can’t be pushed`,
      )
  }
}

/** Null for an expression that only GitHub’s engine (RE2) understands. */
function passes({ operator, pattern, negate }: Pattern, name: string): boolean | null {
  const text = String(pattern)
  const found = ((): boolean | null => {
    switch (operator) {
      case 'starts_with':
        return name.startsWith(text)
      case 'ends_with':
        return name.endsWith(text)
      case 'contains':
        return name.includes(text)
      default:
        try {
          return new RegExp(text).test(name)
        } catch {
          return null
        }
    }
  })()
  return found === null ? null : found !== (negate === true)
}
