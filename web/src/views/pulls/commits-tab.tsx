import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { relativeTime } from '../../../../src/surfaces/text/relative-time.ts'
import { useTool } from '../../live/queries.ts'
import { useNow } from '../../parts/now.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'

/** The commits of a pull request, the newest first. */
export function CommitsTab({ number, head }: { readonly number: number; readonly head: string }) {
  const { data, error, refetch } = useTool('pr_commits', { pr_number: number })
  const now = useNow()
  if (data === undefined)
    return error !== null ? (
      <Failed error={error} retry={() => void refetch()} />
    ) : (
      <div className="panel padded">
        <Loading what="the commits" rows={6} />
      </div>
    )
  if (data.commits.length === 0) return <Empty title="It has no commits" />
  return (
    <ol className="panel commits" reversed>
      {data.commits.toReversed().map(({ sha, title, author, at }) => (
        <li key={sha}>
          <bdi className="title ellipsis" title={printableLine(title)}>
            {printableLine(title)}
          </bdi>
          {sha === head && <span className="chip tone-active">head</span>}
          <span className="hint ellipsis">
            <bdi>{printableLine(author.replace(/ <.*>$/, ''))}</bdi>, {relativeTime(at, now)}
          </span>
          <code>{sha.slice(0, 10)}</code>
        </li>
      ))}
    </ol>
  )
}
