import { useTool } from '../../../live/queries.ts'
import { Empty, Failed, Loading } from '../../../parts/states.tsx'
import { hasEnded } from '../../../../../src/domain/tree-filters.ts'
import { printable } from '../../../../../src/surfaces/text/printable.ts'

/** Of an agent without a pane: the last of what stood there, or what it said. */
export function Left({ agent, state }: { readonly agent: string; readonly state: string }) {
  const { data, error, refetch } = useTool('screen', { agent, lines: 2000 })
  return (
    <div className="terminal-frame" role="region" aria-label="What it left">
      <div className="terminal-bar">
        <span className="chip">
          {state === 'spawning' ? 'It is being started' : 'No terminal here'}
        </span>
        <span className="hint">
          {state === 'spawning'
            ? 'Its terminal appears here as soon as it has one.'
            : hasEnded({ state })
              ? 'Its program is gone. This is what it left.'
              : 'No program of it runs now.'}
        </span>
      </div>
      {data !== undefined && data.text.trim() !== '' ? (
        <pre className="terminal-left" tabIndex={0}>
          {printable(data.text)}
        </pre>
      ) : data !== undefined ? (
        <Empty title="It wrote nothing" />
      ) : error === null ? (
        <div className="terminal-left">
          <Loading what="what it left" />
        </div>
      ) : error.code === 'PANE_GONE' ? (
        <Empty title="It left nothing to read" />
      ) : (
        <Failed error={error} retry={() => void refetch()} />
      )}
    </div>
  )
}
