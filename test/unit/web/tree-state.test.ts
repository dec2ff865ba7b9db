import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChangedNode, TreeChanges } from '../../../src/core/agents/tree-document.ts'
import { withChanges, type LiveNode, type TreeState } from '../../../web/src/live/tree-state.ts'

const node = (id: string, under: string | null, order = 0, word = ''): ChangedNode =>
  ({ id, under, order, task: word, short: id, at: 0 }) as unknown as ChangedNode

const changes = (
  nodes: readonly ChangedNode[],
  { removed = [], complete = false }: { removed?: readonly string[]; complete?: boolean } = {},
): TreeChanges =>
  ({ revision: '1', complete, nodes, removed, counts: {}, inbox: {} }) as unknown as TreeChanges

const shape = ({ id, task, children }: LiveNode): unknown => [id, task, children.map(shape)]
const shapeOf = (state: TreeState | null): unknown => state && shape(state.tree.root)

describe('the tree that the page keeps', () => {
  const start = withChanges(
    null,
    changes([node('root', null), node('a', 'root', 1), node('b', 'root', 2), node('c', 'a', 1)], {
      complete: true,
    }),
  )

  it('has those below one node in their order', () => {
    expect(shapeOf(start)).toEqual([
      'root',
      '',
      [
        ['a', '', [['c', '', []]]],
        ['b', '', []],
      ],
    ])
    expect(shapeOf(withChanges(start, changes([node('b', 'root', 0)])))).toEqual([
      'root',
      '',
      [
        ['b', '', []],
        ['a', '', [['c', '', []]]],
      ],
    ])
  })

  it('keeps what did not change as it is, so that nothing else is drawn', () => {
    const next = withChanges(start, changes([node('b', 'root', 2, 'new')]))
    expect(next?.byId.get('a')).toBe(start?.byId.get('a'))
    expect(next?.byId.get('c')).toBe(start?.byId.get('c'))
    expect(next?.byId.get('b')?.task).toBe('new')
    expect(next?.tree.root).not.toBe(start?.tree.root)
    expect(next?.shorts).toBe(start?.shorts)
  })

  it('has what changed in place, however deep, and what somebody is called now', () => {
    const called = { ...node('a', 'root', 1), short: 'first' }
    const next = withChanges(start, changes([node('c', 'a', 1, 'deep'), called]))
    expect(shapeOf(next)).toEqual([
      'root',
      '',
      [
        ['a', '', [['c', 'deep', []]]],
        ['b', '', []],
      ],
    ])
    expect(next?.tree.root.children[0]).toBe(next?.byId.get('a'))
    expect(next?.shorts.get('a')).toBe('first')
  })

  it('is read whole where something hangs on a node that is not there', () => {
    expect(withChanges(start, changes([node('d', 'nobody')]))).toBeNull()
    expect(withChanges(start, changes([], { removed: ['a'] }))).toBeNull()
  })

  it('comes to the same by changes as by one read', () => {
    const step = fc.record({
      id: fc.integer({ min: 1, max: 12 }),
      under: fc.integer({ min: 0, max: 12 }),
      order: fc.integer({ min: 0, max: 5 }),
      word: fc.string({ maxLength: 3 }),
      goes: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
        const known = new Map([['0', node('0', null)]])
        let state = withChanges(null, changes([...known.values()], { complete: true }))
        for (const { id, under, order, word, goes } of steps) {
          const key = String(id)
          // Parenthood never changes, and only a leaf goes.
          const isLeaf = [...known.values()].every((other) => String(other.under) !== key)
          if (goes && isLeaf && known.delete(key)) {
            state = withChanges(state, changes([], { removed: [key] }))
          } else if (!goes && (known.has(key) || (known.has(String(under)) && under !== id))) {
            const above = known.get(key)?.under ?? String(under)
            // No two below one node stand at the same place; most stay where they are.
            const changed = node(key, above, (order === 0 ? 100 : 0) + id, word)
            known.set(key, changed)
            state = withChanges(state, changes([changed]))
          }
          expect(shapeOf(state)).toEqual(
            shapeOf(withChanges(null, changes([...known.values()], { complete: true }))),
          )
        }
      }),
    )
  })
})
