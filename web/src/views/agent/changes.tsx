import { lazy, Suspense } from 'react'
import { Link } from 'wouter'
import { useTool } from '../../live/queries.ts'
import type { TreeNode } from '../../live/tree.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { pullPath } from '../../shell/places.ts'

const Diff = lazy(async () => ({ default: (await import('../../parts/diff/diff.tsx')).Diff }))

/** Lines that are read at most: of more the review, or a checkout, is the place. */
const LINES = 20_000

/** What it changed against its base so far, committed or not. */
export function Changes({ node }: { readonly node: TreeNode }) {
  const { data, error, refetch, isFetching } = useTool('agent_diff', {
    agent: node.id,
    max_lines: LINES,
  })
  if (data === undefined)
    return error === null ? (
      <Loading what="its changes" />
    ) : (
      <Failed error={error} retry={() => void refetch()} />
    )
  return (
    <div className="agent-changes">
      <p className="hint">
        {data.base === null ? 'Not committed' : `Against ${printableLine(data.base)}`}
        {data.base !== null && data.uncommitted ? ', with what is not committed' : ''}
        {data.next_line == null ? '' : `; the first ${LINES} of ${data.total_lines} lines`}
      </p>
      {data.diff === '' ? (
        <Empty title="It changed nothing so far" />
      ) : (
        <div className="agent-diff">
          <Suspense fallback={<Loading what="its changes" />}>
            <Diff
              text={data.diff}
              actions={
                node.pr !== null && (
                  <Link className="button" href={`${pullPath(node.pr.number)}?tab=files`}>
                    Review #{node.pr.number}
                  </Link>
                )
              }
            />
          </Suspense>
        </div>
      )}
      <div className="agent-changes-actions">
        <button
          type="button"
          className="button"
          disabled={isFetching}
          onClick={() => void refetch()}
        >
          Look again
        </button>
      </div>
    </div>
  )
}
