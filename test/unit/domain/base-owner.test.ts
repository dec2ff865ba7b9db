import { describe, expect, it } from 'vitest'
import { baseOwners } from '../../../src/domain/base-owner.ts'
import type { AgentId } from '../../../src/domain/ids.ts'

const tree = (
  ...rows: [id: string, parent: string | null, branch: string | null, base: string | null][]
) =>
  new Map(
    rows.map(([id, parent, branch, base]) => [
      id as AgentId,
      {
        id: id as AgentId,
        parentId: parent as AgentId | null,
        branch,
        baseBranch: base,
        state: 'idle' as const,
      },
    ]),
  )
const owners = (agents: ReturnType<typeof tree>, author: string, base: string): string[] =>
  baseOwners(agents, author as AgentId, base).map(({ id }) => id)

describe('who merges into a base', () => {
  const rows = [
    ['lead', 'root', 'main.lead', 'main'],
    ['fork', 'lead', null, 'main'],
    ['leaf', 'lead', 'main.lead.leaf', 'main.lead'],
    ['twig', 'fork', 'main.lead.twig', 'main.lead'],
    ['other', 'root', 'main.other', 'main'],
    ['pointed', 'root', 'main.pointed', 'release'],
  ] as const
  const grown = tree(
    ['root', null, 'main', null],
    ...rows.map((row) => [...row] as [string, string, string | null, string]),
  )
  const moved = tree(
    ['root', null, 'feature/x', null],
    ...rows.map((row) => [...row] as [string, string, string | null, string]),
  )

  it.each([
    ['leaf', 'main.lead', ['lead']],
    ['twig', 'main.lead', ['fork', 'lead']],
    ['leaf', 'main', ['root']],
    ['lead', 'main', ['root']],
    ['lead', 'main.lead.leaf', ['leaf']],
    ['leaf', 'main.other', ['other']],
    ['leaf', 'release', []],
    // Pointed there itself, which is recorded of it.
    ['pointed', 'release', []],
    ['root', 'main.lead', []],
  ])('of %s into %s: %j, also after the root has left that branch', (author, base, expected) => {
    expect(owners(grown, author, base)).toEqual(expected)
    expect(owners(moved, author, base)).toEqual(expected)
  })

  it('ends in a circle, and for agents that are not known', () => {
    expect(owners(tree(['a', 'b', 'a', 'x'], ['b', 'a', 'b', 'x']), 'a', 'x')).toEqual([])
    expect(owners(grown, 'nobody', 'main')).toEqual([])
  })
})
