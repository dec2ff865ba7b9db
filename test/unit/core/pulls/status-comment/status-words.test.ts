import { expect, it } from 'vitest'
import { statusWords } from '../../../../../src/core/pulls/status-comment/words.ts'
import type { TreeNode } from '../../../../../src/core/agents/tree-document.ts'

const node = (name: string, change: Partial<TreeNode> = {}): TreeNode =>
  ({
    name,
    kind: 'worker',
    state: 'running',
    state_reason: null,
    outcome: null,
    pr: null,
    children: [],
    ...change,
  }) as TreeNode
const pr = (number: number, change: Partial<NonNullable<TreeNode['pr']>> = {}): TreeNode['pr'] => ({
  ...{ number, url: `https://github.com/octo/widgets/pull/${number}`, state: 'open', draft: false },
  ...{ checks: 'none', review: 'none', mergeable: 'mergeable', landing: null, scheduled: null },
  ...change,
})

it('the tree is a nested list with states and links to pull requests (20.20c)', () => {
  const root = node('root', {
    kind: 'root',
    children: [
      node('search', {
        kind: 'subtree',
        pr: pr(7, {
          checks: 'failed',
          review: 'changes_requested',
          mergeable: 'conflicting',
          draft: true,
        }),
        children: [
          node('index', { pr: pr(3, { state: 'merged' }) }),
          node('rank', { state: 'failed' }),
          node('ls', { kind: 'process' }),
        ],
      }),
      node('docs', { state: 'idle', pr: pr(5, { checks: 'passed', review: 'approved' }) }),
      node('asks', { state: 'waiting', state_reason: 'permission' }),
      node('calls', { state: 'waiting', state_reason: 'wait' }),
      node('queued', {
        pr: pr(8, { scheduled: { how: 'queue', position: 2, checks: 'pending', by: 'robot' } }),
      }),
      node('armed', {
        pr: pr(9, { scheduled: { how: 'auto', position: null, checks: null, by: 'robot' } }),
      }),
      node('gone', { state: 'killed', pr: pr(6, { state: 'closed' }) }),
      node('reported', { state: 'idle', outcome: { success: true } }),
    ],
  })
  expect(statusWords(root).split('\n\n')[1]?.split('\n')).toEqual([
    '- `search`: at work · [#7](https://github.com/octo/widgets/pull/7) (draft, conflicts, checks failed, changes requested)',
    '  - `index`: merged · [#3](https://github.com/octo/widgets/pull/3)',
    '  - `rank`: failed',
    '- `docs`: at work · [#5](https://github.com/octo/widgets/pull/5) (checks passed, approved)',
    '- `asks`: waits for a person',
    '- `calls`: at work',
    '- `queued`: at work · [#8](https://github.com/octo/widgets/pull/8) (in the merge queue)',
    '- `armed`: at work · [#9](https://github.com/octo/widgets/pull/9) (auto-merge)',
    '- `gone`: ended · [#6](https://github.com/octo/widgets/pull/6) (closed)',
    '- `reported`: done',
  ])
  // The beginning and end of a turn change nothing that people read.
  const resting = node('root', { kind: 'root', children: [node('docs', { state: 'idle' })] })
  expect(statusWords(resting)).toBe(
    statusWords(node('root', { kind: 'root', children: [node('docs')] })),
  )
  expect(statusWords(node('root', { kind: 'root' }))).toContain('Nobody works below it now.')
})
