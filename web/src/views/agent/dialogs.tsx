import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useAction } from '../../live/queries.ts'
import type { TreeNode } from '../../live/tree.ts'
import { CellText, palette } from '../../parts/cell.tsx'
import { hasEnded } from '../../../../src/domain/tree-filters.ts'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { agentState } from '../../../../src/surfaces/text/tree/tree-cells.ts'
import { nodesOf } from '../../../../src/surfaces/text/tree/rows.ts'

interface Props {
  readonly node: TreeNode
  readonly close: () => void
}

function Dialog({
  title,
  close,
  children,
}: {
  readonly title: string
  readonly close: () => void
  readonly children: ReactNode
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} className="agent-dialog" aria-label={title} onClose={close}>
      <h2>{title}</h2>
      {children}
    </dialog>
  )
}

export function MessageDialog({ node, close }: Props) {
  const send = useAction('send')
  const [message, setMessage] = useState('')
  const submit = () => {
    if (message.trim() === '' || send.isPending) return
    send.mutate({ to: node.id, message }, { onSuccess: close })
  }
  return (
    <Dialog title={`Message to ${printableLine(node.short)}`} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <label className="label">
          What it is to know or do
          <textarea
            className="field"
            autoFocus
            rows={6}
            value={message}
            onChange={({ target }) => setMessage(target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit()
            }}
          />
          <span className="hint">
            It arrives when its turn ends, and begins the next one. Ctrl-Enter sends.
          </span>
        </label>
        {send.error !== null && (
          <p role="alert" className="tone-bad">
            {send.error.message}
          </p>
        )}
        <div className="agent-dialog-foot">
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button
            type="submit"
            className="button primary"
            disabled={message.trim() === '' || send.isPending}
          >
            Send
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Says what ends before it does. */
export function KillDialog({ node, close }: Props) {
  const kill = useAction('kill')
  const ends = nodesOf(node).filter((one) => !hasEnded(one))
  const working = ends.filter(({ state }) => state === 'running' || state === 'spawning').length
  return (
    <Dialog title={`Kill ${printableLine(node.short)}`} close={close}>
      <p>
        {ends.length === 1
          ? `Its program ends now${working > 0 ? ', while it works' : ''}.`
          : `${ends.length} programs end now, ${working} of them at work.`}{' '}
        Branches, worktrees and pull requests stay.
      </p>
      <ul className="agent-ends">
        {ends.map((one) => (
          <li key={one.id}>
            <span style={{ paddingInlineStart: (one.depth - node.depth) * 14 }}>
              {printableLine(one.short)}
            </span>
            <CellText cell={agentState(one, palette, { frame: 0, turn: null })} chip />
          </li>
        ))}
      </ul>
      {kill.error !== null && (
        <p role="alert" className="tone-bad">
          {kill.error.message}
        </p>
      )}
      <div className="agent-dialog-foot">
        <button type="button" className="button" autoFocus onClick={close}>
          Cancel
        </button>
        <button
          type="button"
          className="button danger"
          disabled={kill.isPending}
          onClick={() => kill.mutate({ agent: node.id }, { onSuccess: close })}
        >
          {ends.length === 1 ? 'Kill it' : `Kill all ${ends.length}`}
        </button>
      </div>
    </Dialog>
  )
}
