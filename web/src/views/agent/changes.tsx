import { lazy, Suspense } from 'react'
import { Link } from 'wouter'
import { useTool } from '../../live/queries.ts'
import type { TreeNode } from '../../live/tree.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { pullPath } from '../../shell/places.ts'

const Diff = lazy(async () => ({ default: (await import('../../parts/diff/diff.tsx')).Diff }))

/** What its pull request changes against its base; comments and verdicts are the review’s. */
export function Changes({ node }: { readonly node: TreeNode }) {
  const number = node.pr?.number ?? 0
  const { data, error, refetch } = useTool(
    'pr_diff',
    { pr_number: number },
    { enabled: number > 0 },
  )
  if (node.pr === null)
    return (
      <Empty title="No pull request yet">
        <p>Its changes show here once it files one.</p>
      </Empty>
    )
  if (data === undefined)
    return error === null ? (
      <Loading what="its changes" />
    ) : (
      <Failed error={error} retry={() => void refetch()} />
    )
  return (
    <div className="agent-changes">
      <Suspense fallback={<Loading what="its changes" />}>
        <Diff
          text={data.diff}
          actions={
            <Link className="button" href={`${pullPath(number)}?tab=files`}>
              Review #{number}
            </Link>
          }
        />
      </Suspense>
    </div>
  )
}
