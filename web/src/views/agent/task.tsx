import { useTool } from '../../live/queries.ts'
import type { LiveNode } from '../../live/tree.ts'
import { useNow } from '../../parts/now.ts'
import { Failed, Loading } from '../../parts/states.tsx'
import { printable, printableLine } from '../../../../src/surfaces/text/printable.ts'
import { shortDuration } from '../../../../src/surfaces/text/duration.ts'

/** What it was given to do, what came of it, and where it works. */
export function Task({ node }: { readonly node: LiveNode }) {
  const now = useNow()
  const { data, error, refetch } = useTool('scrollback', { agent: node.id })
  const facts: readonly (readonly [name: string, value: string | null])[] = [
    ['Role', node.role],
    ['Agent CLI', node.agent],
    ['Kind', node.kind],
    ['Branch', node.branch],
    ['Base', node.base_branch],
    ['Worktree', node.worktree],
    ['Command', node.command],
    ['Age', shortDuration(node.age_seconds + Math.max(0, now - node.at) / 1000)],
    ['Conflicts with', node.conflicts.length === 0 ? null : node.conflicts.join(', ')],
    ['Waits for', node.waits.length === 0 ? null : node.waits.map(({ what }) => what).join('; ')],
  ]
  return (
    <div className="agent-task">
      {data === undefined ? (
        error === null ? (
          <Loading what="its task" rows={4} />
        ) : (
          <Failed error={error} retry={() => void refetch()} />
        )
      ) : data.task === '' ? (
        <p className="hint">It was given no task: a person leads it.</p>
      ) : (
        <pre className="agent-text">{printable(data.task)}</pre>
      )}
      {node.outcome !== null && (
        <section>
          <h2>What came of it</h2>
          <p className={node.outcome.success ? 'tone-good' : 'tone-bad'}>
            {printable(
              node.outcome.summary ??
                node.outcome.error ??
                node.outcome.partial ??
                (node.outcome.success ? 'Done' : 'Failed'),
            )}
          </p>
        </section>
      )}
      <dl className="agent-facts">
        {facts.map(
          ([name, value]) =>
            value !== null &&
            value !== '' && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{printableLine(value)}</dd>
              </div>
            ),
        )}
      </dl>
    </div>
  )
}
