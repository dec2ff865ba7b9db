import type { TreeNode } from '../../agents/tree-document.ts'
import { isInCall } from '../../../domain/lifecycle.ts'
import type { AgentState } from '../../../domain/records.ts'

/** What has a place of its own in the tree; sessions and processes come and go. */
const SHOWN: ReadonlySet<string> = new Set(['subtree', 'worker', 'fork'])

const code = (text: string): string => `\`${text.replaceAll(/[`\r\n]/g, '')}\``

/** Coarse on purpose: turns begin and end all the time, and each change is an edit of the comment. */
function stateOf({ state, state_reason: reason, outcome, pr }: TreeNode): string {
  if (pr?.state === 'merged') return 'merged'
  if (state === 'failed' || outcome?.success === false) return 'failed'
  if (state === 'completed' || outcome?.success === true) return 'done'
  if (state === 'killed') return 'ended'
  if (state === 'waiting' && !isInCall({ state: state as AgentState, stateReason: reason }))
    return 'waits for a person'
  return 'at work'
}

function pullOf({ pr }: TreeNode): string {
  if (pr === null) return ''
  const link = `[#${pr.number}](${pr.url})`
  if (pr.state !== 'open') return ` · ${link}${pr.state === 'closed' ? ' (closed)' : ''}`
  const facts = [
    ...(pr.draft ? ['draft'] : []),
    // The place changes too often to be shown.
    ...(pr.scheduled === null
      ? []
      : [pr.scheduled.how === 'queue' ? 'in the merge queue' : 'auto-merge']),
    ...(pr.mergeable === 'conflicting' ? ['conflicts'] : []),
    ...(pr.checks === 'none' ? [] : [`checks ${pr.checks}`]),
    ...(pr.review === 'none' ? [] : [pr.review === 'approved' ? 'approved' : 'changes requested']),
  ]
  return ` · ${link}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`
}

/** The tree below a pull request as a nested list. Says nothing of time, so that it changes only where the tree does. */
export function statusWords(root: TreeNode): string {
  const lines = (node: TreeNode, depth: number): string[] =>
    node.children
      .filter(({ kind }) => SHOWN.has(kind))
      .flatMap((child) => [
        `${'  '.repeat(depth)}- ${code(child.name)}: ${stateOf(child)}${pullOf(child)}`,
        ...lines(child, depth + 1),
      ])
  const below = lines(root, 0)
  return [
    '**The tree of agents below this pull request**',
    below.length === 0 ? 'Nobody works below it now.' : below.join('\n'),
    '(kept up to date by exomonad)',
  ].join('\n\n')
}
