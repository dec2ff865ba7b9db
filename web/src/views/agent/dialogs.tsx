import { useStanding } from '../../live/context.tsx'
import { useAction } from '../../live/queries.ts'
import type { TreeNode } from '../../live/tree.ts'
import { CellText, palette } from '../../parts/cell.tsx'
import { useKept } from '../../parts/kept.ts'
import { hasEnded } from '../../../../src/domain/tree-filters.ts'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { agentState } from '../../../../src/surfaces/text/tree/tree-cells.ts'
import { nodesOf } from '../../../../src/surfaces/text/tree/rows.ts'
import { Dialog } from './dialog.tsx'

interface Props {
  readonly node: TreeNode
  readonly close: () => void
}

export function MessageDialog({ node, close }: Props) {
  const { link } = useStanding()
  const [kept, keep] = useKept<string>(`message:${node.id}`)
  // What was written meanwhile stays.
  const send = useAction('send', ({ message: sent }) =>
    keep((now) => (now === sent ? undefined : now)),
  )
  const message = kept ?? ''
  const isOver = hasEnded(node)
  const cannot = message.trim() === '' || send.isPending || link !== 'live' || isOver
  const submit = () => {
    if (cannot) return
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
            onChange={({ target }) => keep(() => (target.value === '' ? undefined : target.value))}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit()
            }}
          />
          <span className="hint">
            It arrives when its turn ends, and begins the next one. Ctrl-Enter sends.
          </span>
        </label>
        {isOver && (
          <p role="alert" className="tone-attention">
            It has ended meanwhile: nobody would read this. What you wrote stays in this tab.
          </p>
        )}
        {send.error !== null && (
          <p role="alert" className="tone-bad">
            {send.error.message}
          </p>
        )}
        <div className="agent-dialog-foot">
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={cannot}>
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
  const { link } = useStanding()
  const ends = nodesOf(node).filter((one) => !hasEnded(one))
  const working = ends.filter(({ state }) => state === 'running' || state === 'spawning').length
  return (
    <Dialog title={`Kill ${printableLine(node.short)}`} close={close}>
      <p role="status">
        {ends.length === 0
          ? 'It has ended by itself meanwhile.'
          : ends.length === 1
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
        {ends.length > 0 && (
          <button
            type="button"
            className="button danger"
            disabled={kill.isPending || link !== 'live'}
            onClick={() => kill.mutate({ agent: node.id }, { onSuccess: close })}
          >
            {ends.length === 1 ? 'Kill it' : `Kill all ${ends.length}`}
          </button>
        )}
      </div>
    </Dialog>
  )
}
