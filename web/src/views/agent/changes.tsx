import { Link } from 'wouter'
import { useTool } from '../../live/queries.ts'
import type { TreeNode } from '../../live/tree.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { plural } from '../../../../src/surfaces/text/quantity.ts'
import { pullPath } from '../../shell/places.ts'

/** Which files its pull request changes; the review has the lines. */
export function Changes({ node }: { readonly node: TreeNode }) {
  const number = node.pr?.number ?? 0
  const { data, error, refetch } = useTool(
    'pr_diff',
    { pr_number: number, stat: true },
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
  const files = data.files ?? []
  return (
    <div className="agent-changes">
      <Link className="button" href={pullPath(number)}>
        Review #{number}
      </Link>
      <p className="hint">{plural(files.length, 'file')} against its base</p>
      <ul>
        {files.map(({ path, status, additions, deletions, binary }) => (
          <li key={path}>
            <span className="ellipsis mono" title={printableLine(path)}>
              {printableLine(path)}
            </span>
            {status !== 'modified' && <span className="chip">{status}</span>}
            {binary ? (
              <span className="hint">binary</span>
            ) : (
              <span className="mono">
                <span className="tone-good">+{additions}</span>{' '}
                <span className="tone-bad">−{deletions}</span>
              </span>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
