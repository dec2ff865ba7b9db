import type { TreeNode, TreeView } from '../../../../src/core/agents/tree-document.ts'
import type { AgentId } from '../../../../src/domain/ids.ts'

/** A node of the tree with whatever a test is about. */
export const node = (branch: string, facts: Partial<TreeNode> = {}): TreeNode => ({
  id: `id-${branch}` as AgentId,
  name: branch.split('.').at(-1) ?? branch,
  short: facts.name ?? branch.split('.').at(-1) ?? branch,
  kind: 'worker',
  runtime: 'pane',
  role: 'dev',
  agent: 'scripted',
  branch,
  base_branch: null,
  worktree: `/w/${branch}`,
  state: 'running',
  state_reason: null,
  state_source: 'hook',
  state_age_seconds: 1,
  depth: 1,
  parent_id: null,
  pane: '%1',
  pid: 1,
  pr: null,
  tokens: 0,
  usage: null,
  cost_usd: null,
  unpriced_models: [],
  tool_calls: 0,
  age_seconds: 200,
  undelivered: 0,
  undecided: 0,
  unread: 0,
  waiting_for: null,
  open_questions: 0,
  waits: [],
  items: 0,
  outcome: null,
  turn: null,
  task: '',
  conflicts: [],
  command: null,
  exit_code: null,
  exit_signal: null,
  matches: true,
  hidden: 0,
  children: [],
  ...facts,
})

export const pull = (
  number: number,
  facts: Partial<NonNullable<TreeNode['pr']>> = {},
): NonNullable<TreeNode['pr']> => ({
  number,
  url: '',
  state: 'open',
  draft: false,
  checks: 'none',
  review: 'none',
  mergeable: 'mergeable',
  landing: null,
  scheduled: null,
  ...facts,
})

export const view = (root: TreeNode, facts: Partial<TreeView> = {}): TreeView => ({
  repository: '/home/ada/shop',
  root,
  counts: { agents: sizeBelow(root), live: 2, done: 1, failed: 0 },
  unfinished: [],
  inbox: { messages: 0, questions: 0, approvals: 0, items: 0, news: 0 },
  forge: { kind: 'local', budget: null, trouble: null },
  ...facts,
})

const sizeBelow = ({ children }: TreeNode): number =>
  children.reduce((sum, child) => sum + 1 + sizeBelow(child), 0)
