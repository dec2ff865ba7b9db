import { useMemo } from 'react'
import { nodesOf } from '../../../../src/surfaces/text/tree/rows.ts'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import type { TreeView } from '../../live/tree.ts'
import type { Offer } from './field.tsx'

/** Roles and programs to choose from. */
export function useOffers(tree: TreeView, kind: string): Readonly<Record<string, Offer>> {
  return useMemo(() => {
    const nodes = nodesOf(tree.root)
    const offer = (otherwise: string, names: readonly (string | null)[]): Offer => ({
      otherwise,
      names: [...new Set(names)].flatMap((name) =>
        name === null ? [] : [{ name, words: printableLine(name) }],
      ),
    })
    return {
      role: offer(
        kind === 'worker' ? 'dev' : 'tl',
        nodes.map(({ role }) => role),
      ),
      agent: offer(
        'that of its role',
        nodes.map(({ agent }) => agent),
      ),
    }
  }, [tree, kind])
}
