import { useReadOnly, useStanding } from '../../live/context.tsx'
import { useAction, useTool } from '../../live/queries.ts'
import { wordsOf } from '../../api/errors.ts'
import type { ToolResult } from '../../api/call.ts'
import { daemonTime, useNow } from '../../parts/now.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { shortDuration } from '../../../../src/surfaces/text/duration.ts'
import { forgeNotes } from '../../../../src/surfaces/text/fold-words.ts'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { ChainPanel } from './chain.tsx'
import { RadarPanel } from './radar.tsx'
import './fold.css'

type FoldDocument = ToolResult<'fold'>

/** What the open pull requests come to together, and whose work would conflict. */
export default function FoldView() {
  const fold = useTool('fold', {}, { keep: true })
  const { data } = fold
  const later = useLater(fold.dataUpdatedAt)
  return (
    <>
      <div className="view-head">
        <h1>Fold</h1>
        {data !== undefined && <Pausing fold={data} later={later} />}
      </div>
      <div className="view-body fold">
        <RadarPanel />
        <section className="fold-chains" aria-label="Chains">
          {fold.isError && data === undefined ? (
            <Failed error={fold.error} retry={() => void fold.refetch()} />
          ) : data === undefined ? (
            <div className="panel fold-waiting">
              <Loading what="the chains" rows={5} />
            </div>
          ) : (
            <Chains fold={data} later={later} />
          )}
        </section>
      </div>
    </>
  )
}

/** Seconds since something was read: what it says of ages is of then. */
function useLater(readAt: number): number {
  const now = useNow()
  return readAt === 0 ? 0 : Math.max(0, (now - daemonTime(readAt)) / 1000)
}

function Chains({ fold, later }: { readonly fold: FoldDocument; readonly later: number }) {
  if (!fold.enabled) return <Off reason={fold.reason} />
  if (fold.bases.length === 0)
    return (
      <div className="panel">
        <Empty title="Nothing is open">
          <p>
            Where a base has two open pull requests or more, they are merged in objects and checked
            together, before anybody merges them.
          </p>
        </Empty>
      </div>
    )
  const notes = [
    ...(fold.land === 'auto' ? ['What is approved and green lands by itself.'] : []),
    ...(fold.forge_lands ? forgeNotes(fold.bases) : []),
  ]
  return (
    <>
      {fold.bases.map((base) => (
        <ChainPanel key={base.base} base={base} later={later} />
      ))}
      {notes.map((note) => (
        <p key={note} className="hint">
          {note}
        </p>
      ))}
    </>
  )
}

/** It has to be asked for: how. */
function Off({ reason }: { readonly reason: string | null }) {
  return (
    <div className="panel fold-off">
      <h2>Nothing is folded: {printableLine(reason ?? '')}</h2>
      <p>
        The fold merges the open pull requests of a base in objects, and checks what they come to
        together, before anybody merges them: so you know that their sum is green, and who is red
        with whom. It takes some CPU, so it is off until you write
      </p>
      <pre>
        <code>{'# .exomonad/config.toml\n[fold]\nenabled = true\n'}</code>
      </pre>
      <p className="hint">
        It runs the command of <code>[forge.local] ci</code>, or its own <code>check</code>. The
        daemon reads the file by itself, and where git tracks it after <code>exomonad trust</code>.
      </p>
    </div>
  )
}

function Pausing({ fold, later }: { readonly fold: FoldDocument; readonly later: number }) {
  const readOnly = useReadOnly()
  const { link } = useStanding()
  const pause = useAction('fold_pause')
  const resume = useAction('fold_resume')
  const action = fold.paused === null ? pause : resume
  if (!fold.enabled && fold.paused === null) return <span className="chip">off</span>
  return (
    <>
      {fold.paused === null ? (
        <span className="chip tone-good">on</span>
      ) : (
        <span className="chip tone-attention">
          paused for {shortDuration(fold.paused.since_seconds + later)}: nothing is checked ahead
        </span>
      )}
      {!readOnly && (
        <button
          type="button"
          className="button"
          disabled={action.isPending || link === 'lost'}
          onClick={() => action.mutate({})}
        >
          {fold.paused === null ? 'Pause' : 'Go on'}
        </button>
      )}
      <span role="status" className="tone-bad">
        {action.isError && wordsOf(action.error)}
      </span>
    </>
  )
}
