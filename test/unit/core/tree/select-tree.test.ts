import { describe, expect, it } from 'vitest'
import type { TreeNode, TreeQuery } from '../../../../src/core/agents/tree-document.ts'
import { selectTree } from '../../../../src/core/tree/select-tree.ts'
import type { AgentId } from '../../../../src/domain/ids.ts'
import { node, pull } from '../../surfaces/text/sample-tree.ts'

const root = node('main', {
  kind: 'root',
  state: 'idle',
  children: [
    node('main.auth', {
      age_seconds: 30,
      children: [
        node('main.auth.w1', { state: 'waiting', turn: 'human', age_seconds: 10 }),
        node('main.auth.w2', { state: 'idle', pr: pull(2, { state: 'merged' }), age_seconds: 20 }),
      ],
    }),
    node('main.docs', { state: 'failed', task: 'Write THE guide', age_seconds: 40 }),
    node('main.api', { pr: pull(3, { checks: 'failed' }), turn: 'id-main' as AgentId }),
    node('main', {
      id: 'id-tests' as AgentId,
      name: 'tests',
      kind: 'process',
      command: 'npm test',
    }),
    node('main.over', { state: 'completed', age_seconds: 5 }),
  ],
})

/** Names in the order of rows; what only shows where others are in brackets, the hidden counted. */
const names = (tree: TreeNode): string[] => [
  `${tree.matches ? tree.name : `(${tree.name})`}${tree.hidden > 0 ? `+${tree.hidden}` : ''}`,
  ...tree.children.flatMap(names),
]
const selected = (query: TreeQuery): string => names(selectTree(root, query)).join(' ')

describe('a part of the tree', () => {
  it.each<[string, TreeQuery, string]>([
    ['all', {}, 'main auth w1 w2 docs api tests over'],
    ['one state', { states: ['waiting'] }, '(main) (auth) w1'],
    ['several', { states: ['waiting', 'failed'] }, '(main) (auth) w1 docs'],
    ['as it is shown', { states: ['merged'] }, '(main) (auth) w2'],
    ['the word, not what is stored', { states: ['idle'] }, 'main'],
    ['all that is done', { states: ['done'] }, '(main) (auth) w2 over'],
    ['what lives', { states: ['live'] }, 'main auth w1 w2 api tests'],
    ['red checks', { states: ['red'] }, '(main) api'],
    ['whose turn', { turn: 'human' }, '(main) (auth) w1'],
    ['an agent’s turn', { turn: 'id-main' as AgentId }, '(main) api'],
    ['below one', { under: 'id-main.auth' as AgentId }, '(main) auth w1 w2'],
    ['text in a task', { text: ' the GUIDE ' }, '(main) docs'],
    ['text in a command', { text: 'npm' }, '(main) tests'],
    ['text in a name alone', { text: 'auth' }, '(main) auth'],
    ['text in a branch', { text: 'auth.w' }, '(main) (auth) w1 w2'],
    ['nothing', { text: 'nowhere' }, '(main)'],
    ['a depth', { depth: 1 }, 'main auth+2 docs api tests over'],
    ['no depth', { depth: 0 }, 'main+7'],
    ['a depth below one', { depth: 0, under: 'id-main.auth' as AgentId }, '(main) auth+2'],
    ['all together', { states: ['live'], text: 'w', depth: 2 }, '(main) (auth) w1 w2'],
    ['youngest first', { sort: 'age' }, 'main over auth w1 w2 docs api tests'],
    ['by name', { sort: 'name' }, 'main api auth w1 w2 docs over tests'],
    ['by state', { sort: 'state' }, 'main docs auth w1 w2 api tests over'],
  ])('%s', (_, query, shown) => {
    expect(selected(query)).toBe(shown)
  })
})
