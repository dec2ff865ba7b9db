import { describe, expect, it } from 'vitest'
import type { TreeNode } from '../../../../../src/core/agents/tree-document.ts'
import { labelOf, rowsOf } from '../../../../../src/surfaces/text/tree/rows.ts'
import { node, pull } from '../sample-tree.ts'

const merged = (branch: string, facts: Partial<TreeNode> = {}): TreeNode =>
  node(branch, { state: 'idle', pr: pull(1, { state: 'merged' }), ...facts })
const shown = (child: TreeNode, fold = true): string[] =>
  rowsOf(node('main', { kind: 'root', children: [child] }), { fold })
    .slice(1)
    .map((row) => row.guides + labelOf(row))
const over = (facts: Partial<TreeNode>): string[] =>
  shown(merged('main.auth', { children: [merged('main.auth.w1', facts)] }))

describe('the rows of the tree', () => {
  const FOLDED = '└─ ✓ auth and 1 below: merged'
  const WHOLE = '└─ auth'

  it('take one line for a branch that is over and merged with all below it', () => {
    const branch = merged('main.auth', {
      children: [
        merged('main.auth.w1', { children: [merged('main.auth.w1.x', { state: 'completed' })] }),
        merged('main.auth.w2', { state: 'killed' }),
      ],
    })
    expect(shown(branch)).toEqual(['└─ ✓ auth and 3 below: merged'])
    expect(shown(branch, false)).toEqual(['└─ auth', '   ├─ w1', '   │  └─ x', '   └─ w2'])
  })

  it.each([
    ['merged, whose program rests', {}, FOLDED],
    ['a fork that reported', { kind: 'fork', pr: null, outcome: { success: true } }, FOLDED],
    ['a process that ended', { kind: 'process', pr: null, state: 'completed' }, FOLDED],
    ['at work again', { state: 'running' }, WHOLE],
    ['with its work open', { pr: pull(1) }, WHOLE],
    ['that filed nothing', { pr: null, state: 'killed' }, WHOLE],
    ['failed', { state: 'failed' }, WHOLE],
    ['that gave up', { outcome: { success: false } }, WHOLE],
    ['that somebody has to act for', { turn: 'human' }, WHOLE],
    ['with a message under way', { undelivered: 1 }, WHOLE],
    ['with a question', { open_questions: 1 }, WHOLE],
  ] as const)('fold over one %s, or not', (_, facts, row) => {
    expect(over(facts)[0]).toBe(row)
  })

  it('never fold the root, nor a branch without anything below', () => {
    const root = merged('main', { kind: 'root', children: [merged('main.a')] })
    expect(rowsOf(root, { fold: true }).map(({ folded }) => folded)).toEqual([0, 0])
  })
})
