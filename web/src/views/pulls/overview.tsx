import { relativeTime } from '../../../../src/surfaces/text/relative-time.ts'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { useNow } from '../../parts/now.ts'
import { Prose } from '../../parts/prose.tsx'
import { Link } from 'wouter'
import { agentPath } from '../../shell/places.ts'
import { ChipView } from './chips.tsx'
import { MergeBox } from './merge-box.tsx'
import { ThreadView } from './review/thread-view.tsx'
import type { Revealed } from './review/files-tab.tsx'
import { threadsOf } from './review/threads.ts'
import { NOT_COUNTED, verdictChip, type PullDetails } from './words.ts'

/** What it is, what was said of it, and whether it can be merged. */
export function Overview({
  pull,
  head,
  showNew,
  goTo,
}: {
  readonly pull: PullDetails
  readonly head: string
  readonly showNew: () => void
  readonly goTo: (place: Revealed) => void
}) {
  const now = useNow()
  const threads = threadsOf(pull.reviews, { movesLines: /^https?:/.test(pull.url) })
  const said = saidOf(pull)
  return (
    <div className="overview">
      <div className="talk">
        <section className="panel" aria-label="Description">
          <header>
            <h2>Description</h2>
            <span className="hint">filed {relativeTime(pull.created_at, now)}</span>
          </header>
          <div className="padded">
            {pull.body.trim() === '' ? (
              <p className="hint">It has none.</p>
            ) : (
              <Prose text={pull.body} />
            )}
          </div>
        </section>
        <section aria-label="Reviews" className="stack">
          <h2>
            Reviews <span className="hint">{said.length === 0 ? 'none yet' : said.length}</span>
          </h2>
          {said.map((one) => (
            <SaidView key={`${one.kind}:${one.id}`} said={one} />
          ))}
        </section>
        {threads.length > 0 && (
          <section aria-label="Conversations on lines" className="stack">
            <h2>
              On lines{' '}
              <span className="hint">
                {threads.filter(({ isResolved }) => !isResolved).length} open of {threads.length}
              </span>
            </h2>
            {threads.map((thread) => (
              <ThreadView
                key={thread.key}
                number={pull.number}
                thread={thread}
                withPlace
                go={() =>
                  goTo({
                    path: thread.path,
                    line: thread.isOutdated ? null : thread.line,
                    side: thread.side,
                  })
                }
              />
            ))}
          </section>
        )}
      </div>
      <aside className="beside">
        <MergeBox pull={pull} head={head} showNew={showNew} />
      </aside>
    </div>
  )
}

type Said =
  | ({ readonly kind: 'review'; readonly at: number } & PullDetails['reviews'][number])
  | ({ readonly kind: 'comment' } & PullDetails['comments'][number])

/** Reviews and comments on the whole, oldest first; what is said on lines alone stands there. */
const saidOf = ({ reviews, comments }: PullDetails): Said[] =>
  [
    ...reviews
      .filter(
        ({ body, state, withheld }) => body.trim() !== '' || state !== 'commented' || withheld,
      )
      .map((review) => ({ kind: 'review' as const, at: review.submitted_at, ...review })),
    ...comments.map((comment) => ({ kind: 'comment' as const, ...comment })),
  ].toSorted((a, b) => a.at - b.at)

function SaidView({ said }: { readonly said: Said }) {
  const now = useNow()
  return (
    <article className="panel review">
      <header>
        {said.kind === 'review' && said.agent_id !== null ? (
          <Link href={agentPath(said.agent_id)} className="author">
            <bdi>{printableLine(said.author)}</bdi>
          </Link>
        ) : (
          <bdi className="author">{printableLine(said.author)}</bdi>
        )}
        {said.kind === 'review' && (
          <>
            <ChipView chip={verdictChip(said)} />
            {said.not_counted === null
              ? said.stale && <span className="hint">of an older version</span>
              : said.state !== 'commented' && (
                  <span className="hint">{NOT_COUNTED[said.not_counted]}</span>
                )}
          </>
        )}
        {!said.trusted && <span className="hint">without write access</span>}
        <span className="hint end">
          {said.kind === 'review' && <code>{said.commit.slice(0, 8)}</code>}{' '}
          {relativeTime(said.at, now)}
        </span>
      </header>
      {said.withheld ? (
        <p className="hint padded">Its words are not shown.</p>
      ) : (
        said.body.trim() !== '' && (
          <div className="padded">
            <Prose text={said.body} />
          </div>
        )
      )}
    </article>
  )
}
