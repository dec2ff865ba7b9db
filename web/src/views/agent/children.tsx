import { Link } from 'wouter'
import { useReadOnly } from '../../live/context.tsx'
import { useTree, type TreeNode } from '../../live/tree.ts'
import { CellText, palette } from '../../parts/cell.tsx'
import { Empty } from '../../parts/states.tsx'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { agentState, turnName } from '../../../../src/surfaces/text/tree/tree-cells.ts'
import { agentPath } from '../../shell/places.ts'

export function Children({ node }: { readonly node: TreeNode }) {
  const { shorts } = useTree()
  const readOnly = useReadOnly()
  if (node.children.length === 0)
    return (
      <Empty title="It has no children">
        {!readOnly && <Link href="/spawn">Spawn agents</Link>}
      </Empty>
    )
  return (
    <ul className="agent-children">
      {node.children.map((child) => (
        <li key={child.id}>
          <Link href={agentPath(child.id)} className="ellipsis">
            {printableLine(child.short)}
          </Link>
          <CellText
            cell={agentState(child, palette, { frame: 0, turn: turnName(child, shorts) })}
            chip
          />
          <span className="ellipsis hint">{printableLine(child.task)}</span>
        </li>
      ))}
    </ul>
  )
}
