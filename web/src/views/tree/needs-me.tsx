import { Link } from 'wouter'
import { plural } from '../../../../src/surfaces/text/quantity.ts'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { relativeTime } from '../../../../src/surfaces/text/relative-time.ts'
import { useTool } from '../../live/queries.ts'
import type { TreeView } from '../../live/tree.ts'
import { useNow } from '../../parts/now.ts'

const SHOWN = 3

/** What needs the person, on top of the tree. Nothing where nothing does. */
export function NeedsMe({ tree }: { readonly tree: TreeView }) {
  const { data } = useTool('inbox', { limit: SHOWN }, { enabled: tree.inbox.items > 0 })
  const now = useNow()
  if (tree.inbox.items === 0) return null
  return (
    <section className="needs-me panel" aria-label="Needs you">
      <header>
        <h2>
          {tree.inbox.items === 1 ? '1 item needs you' : `${tree.inbox.items} items need you`}
        </h2>
        <Link href="/inbox" className="button">
          Answer
        </Link>
      </header>
      <ul>
        {data?.items.slice(0, SHOWN).map(({ id, type, title, since }) => (
          <li key={id}>
            <Link href={`/inbox?item=${encodeURIComponent(id)}`}>
              <span className={`chip tone-${type === 'failed' ? 'bad' : 'attention'}`}>{type}</span>
              <span className="ellipsis">{printableLine(title)}</span>
              <span className="hint">{relativeTime(since, now)}</span>
            </Link>
          </li>
        ))}
        {tree.inbox.items > SHOWN && (
          <li className="hint">{plural(tree.inbox.items - SHOWN, 'more item')} in the inbox</li>
        )}
      </ul>
    </section>
  )
}
