import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { useReadOnly, useStanding } from '../../live/context.tsx'
import { useAction } from '../../live/queries.ts'
import { useTree, type LiveNode } from '../../live/tree.ts'
import { CellText, palette } from '../../parts/cell.tsx'
import { useNow } from '../../parts/now.ts'
import { shortDuration } from '../../../../src/surfaces/text/duration.ts'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import {
  agentState,
  checksCell,
  pullCell,
  turnName,
} from '../../../../src/surfaces/text/tree/tree-cells.ts'
import { agentPath, pullPath } from '../../shell/places.ts'
import { actionsOf } from './actions.ts'
import { KillDialog, MessageDialog } from './dialogs.tsx'

/** Who it is, how it stands, and what can be done about it. */
export function AgentHead({ node }: { readonly node: LiveNode }) {
  const { byId, shorts } = useTree()
  const { link } = useStanding()
  const readOnly = useReadOnly()
  const [dialog, setDialog] = useState<'message' | 'kill' | null>(null)
  const resume = useAction('resume')
  const interrupt = useAction('interrupt')
  const now = useNow()
  const above: LiveNode[] = []
  for (let id = node.parent_id; id !== null;) {
    const parent = byId.get(id)
    if (parent === undefined) break
    above.unshift(parent)
    id = parent.parent_id
  }
  const can = actionsOf(node)
  const away = link !== 'live'
  const mayAct = !readOnly
  // What was said of a state that is over is over with it.
  const { reset: forgetInterrupt } = interrupt
  const { reset: forgetResume } = resume
  useEffect(() => {
    if (!can.interrupt) forgetInterrupt()
    if (!can.resume && node.state !== 'spawning') forgetResume()
  }, [can.interrupt, can.resume, node.state, forgetInterrupt, forgetResume])
  // The button that was pressed may be gone with the state it was for: keys go on from the view.
  const offered = JSON.stringify(can)
  const before = useRef(offered)
  useEffect(() => {
    if (before.current === offered) return
    before.current = offered
    if (document.activeElement === document.body)
      document.getElementById('main')?.focus({ preventScroll: true })
  }, [offered])
  const failed = resume.error ?? interrupt.error
  const said = resume.data?.errors[0]?.error ?? failed?.message
  return (
    <header className="view-head agent-head">
      <nav aria-label="Above it" className="agent-path">
        {above.map(({ id, name, branch }, index) => (
          <span key={id}>
            <Link href={agentPath(id)}>{printableLine(index === 0 ? branch : name)}</Link>
            <span aria-hidden="true"> › </span>
          </span>
        ))}
        <h1>{printableLine(above.length === 0 ? node.branch : node.short)}</h1>
      </nav>
      <span role="status">
        <CellText
          cell={agentState(node, palette, { frame: 0, turn: turnName(node, shorts) })}
          chip
        />
      </span>
      <span className="hint">
        for {shortDuration(node.state_age_seconds + Math.max(0, now - node.at) / 1000)}
      </span>
      {node.pr !== null && (
        <Link href={pullPath(node.pr.number)}>
          <CellText cell={pullCell(node, palette)} chip />
          <CellText cell={checksCell(node, palette)} chip />
        </Link>
      )}
      <span className="agent-actions">
        {mayAct && can.message && (
          <button
            type="button"
            className="button"
            disabled={away}
            onClick={() => setDialog('message')}
          >
            Message
          </button>
        )}
        {mayAct && can.interrupt && (
          <button
            type="button"
            className="button"
            disabled={away || interrupt.isPending}
            title="As Escape in its terminal: it stops and waits for what it is told next"
            onClick={() => interrupt.mutate({ agent: node.id })}
          >
            Interrupt
          </button>
        )}
        {mayAct && can.resume && (
          <button
            type="button"
            className="button"
            disabled={away || resume.isPending}
            title="Launches its program again, in its worktree and conversation"
            onClick={() => resume.mutate({ agent: node.id })}
          >
            Resume
          </button>
        )}
        {mayAct && can.kill && (
          <button
            type="button"
            className="button danger"
            disabled={away}
            onClick={() => setDialog('kill')}
          >
            Kill…
          </button>
        )}
      </span>
      {said !== undefined && (
        <p role="alert" className="agent-said tone-bad">
          {printableLine(said)}
        </p>
      )}
      <p role="status" className="agent-said hint">
        {resume.isPending && 'It is being started …'}
        {interrupt.isSuccess &&
          (interrupt.data.interrupted
            ? 'It was interrupted, and waits for what it is told next once its program noticed.'
            : 'It was at rest by then: nothing was interrupted.')}
      </p>
      {dialog === 'message' && <MessageDialog node={node} close={() => setDialog(null)} />}
      {dialog === 'kill' && <KillDialog node={node} close={() => setDialog(null)} />}
    </header>
  )
}
