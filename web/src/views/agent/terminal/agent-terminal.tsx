import { lazy, Suspense, useEffect, useState } from 'react'
import { useReadOnly } from '../../../live/context.tsx'
import type { TreeNode } from '../../../live/tree.ts'
import { printableLine } from '../../../../../src/surfaces/text/printable.ts'
import { isOver } from '../actions.ts'
import { Left } from './left.tsx'
import './terminal.css'

/** With what draws terminals, which is large. */
const LiveTerminal = lazy(() => import('./live-terminal.tsx'))

/**
 * An agent’s terminal, live, or what it writes where it has none. A new pane is a new terminal; of
 * an agent without a pane what it left is shown.
 */
export function AgentTerminal({ node }: { readonly node: TreeNode }) {
  const readOnly = useReadOnly()
  // One that ends keeps what it shows until somebody goes away.
  const [pane, setPane] = useState(node.pane)
  useEffect(() => {
    if (node.pane !== null) setPane(node.pane)
  }, [node.pane])
  if (pane === null) return <Left agent={node.id} state={node.state} />
  return (
    <Suspense
      fallback={<div className="terminal-frame" role="status" aria-label="Loading the terminal" />}
    >
      <LiveTerminal
        key={pane}
        agent={node.id}
        name={printableLine(node.name)}
        isOver={isOver(node)}
        readOnly={readOnly}
      />
    </Suspense>
  )
}
