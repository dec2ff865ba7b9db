import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TreeNode } from '../../../../../src/core/agents/tree-document.ts'
import { shortAddresses } from '../../../../../src/domain/addresses.ts'
import type { AgentId } from '../../../../../src/domain/ids.ts'
import {
  findByName,
  neighbour,
  pathTo,
  rotationOf,
} from '../../../../../src/surfaces/cli/console/rotation.ts'
import { node } from '../../text/sample-tree.ts'

const fork = (name: string, branch: string, id: string, facts: Partial<TreeNode> = {}): TreeNode =>
  node(branch, { id: id as AgentId, name, kind: 'fork', ...facts })

const tree = node('main', {
  kind: 'root',
  children: [
    node('main.feature', {
      children: [
        node('main.feature.auth'),
        fork('reader', 'main.feature', '0192aaaa-0000-7000-8000-000000000001'),
      ],
    }),
    node('main.auth', { state: 'killed' }),
    fork('reader', 'main', '0192aaaa-0000-7000-8000-000000000002'),
  ],
})
const rotation = rotationOf(tree)
const names = (ids: readonly string[]): string[] =>
  ids.map((id) => rotation.find((one) => one.id === id)?.branch ?? '?')

describe('the rotation', () => {
  it('goes through the tree depth first, the dead included', () => {
    expect(rotation.map(({ name }) => name)).toEqual([
      'main',
      'feature',
      'auth',
      'reader',
      'auth',
      'reader',
    ])
  })

  it('moves to neighbours around the ends, to the parent and to the first child', () => {
    expect(
      names([neighbour(rotation, 'id-main', 'next'), neighbour(rotation, 'id-main', 'child')]),
    ).toEqual(['main.feature', 'main.feature'])
    expect(neighbour(rotation, 'id-main', 'previous')).toBe('0192aaaa-0000-7000-8000-000000000002')
    expect(neighbour(rotation, '0192aaaa-0000-7000-8000-000000000002', 'next')).toBe('id-main')
    expect(neighbour(rotation, 'id-main.feature.auth', 'parent')).toBe('id-main.feature')
  })

  it('stays where there is no parent or child, and begins anew where the agent is gone', () => {
    expect(neighbour(rotation, 'id-main', 'parent')).toBe('id-main')
    expect(neighbour(rotation, 'id-main.auth', 'child')).toBe('id-main.auth')
    expect(neighbour(rotation, 'reaped', 'next')).toBe('id-main')
  })

  it('says the way down from the root', () => {
    expect(pathTo(rotation, 'id-main.feature.auth').map(({ name }) => name)).toEqual([
      'main',
      'feature',
      'auth',
    ])
    expect(pathTo(rotation, 'gone')).toEqual([])
  })

  it.each([
    ['main', 'main'],
    ['feature', 'main.feature'],
    ['main.auth', 'main.auth'],
    ['id-main.feature.auth', 'main.feature.auth'],
    ['FEATURE', 'main.feature'],
    ['feat', 'main.feature'],
    ['ature', 'main.feature'],
    // Two have this name: the one that lives is meant.
    ['auth', 'main.feature.auth'],
  ])('%s means the agent on %s', (word, branch) => {
    const found = findByName(rotation, word)
    expect(found.kind === 'found' ? found.node.branch : found).toBe(branch)
  })

  it('says who is meant where a word means several, and who is near where it means none', () => {
    expect(findByName(rotation, 'reader')).toEqual({
      kind: 'ambiguous',
      candidates: [expect.stringMatching(/1$/), expect.stringMatching(/2$/)],
    })
    expect(findByName(rotation, 'faeture')).toEqual({ kind: 'none', candidates: ['feature'] })
    expect(findByName(rotation, 'zzz')).toEqual({ kind: 'none', candidates: [] })
    expect(findByName(rotation, ' ')).toEqual({ kind: 'none', candidates: [] })
  })

  it('has an address for each agent that means this one alone', () => {
    const agent = fc
      .record({
        name: fc.constantFrom('auth', 'main', 'reader', 'a'),
        branch: fc.constantFrom('main', 'main.a', 'main.auth', 'main.a.reader', 'auth'),
        kind: fc.constantFrom('worker', 'fork'),
        id: fc.uuid({ version: 7 }),
        state: fc.constantFrom('running', 'killed'),
      })
      .map(({ branch, id, ...facts }) => node(branch, { ...facts, id: id as AgentId }))
    fc.assert(
      fc.property(fc.array(agent, { maxLength: 12 }), (all) => {
        for (const [id, address] of shortAddresses(all)) {
          const found = findByName(all, address)
          expect(found.kind === 'found' ? found.node.id : found).toBe(id)
        }
      }),
    )
  })
})
