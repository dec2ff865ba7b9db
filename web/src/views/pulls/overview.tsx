import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { Prose } from '../../parts/prose.tsx'
import { ChipView } from './chips.tsx'
import { MergeBox } from './merge-box.tsx'
import { ThreadView } from './review/thread-view.tsx'
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
  readonly goTo: (place: { readonly path: string; readonly line: number | null }) => void
}) {
  const threads = threadsOf(pull.reviews, { movesLines: /^https?:/.test(pull.url) })
  const spoken = pull.reviews.filter(
    ({ body, state, withheld }) => body.trim() !== '' || state !== 'commented' || withheld,
  )
  return (
    <div className="overview">
      <div className="talk">
        <section className="panel" aria-label="Description">
          <header>
            <h2>Description</h2>
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
            Reviews <span className="hint">{spoken.length === 0 ? 'none yet' : spoken.length}</span>
          </h2>
          {spoken.map((review) => (
            <article key={review.id} className="panel review">
              <header>
                <bdi className="author">{printableLine(review.author)}</bdi>
                <ChipView chip={verdictChip(review)} />
                {review.not_counted === null
                  ? review.stale && <span className="hint">of an older version</span>
                  : review.state !== 'commented' && (
                      <span className="hint">{NOT_COUNTED[review.not_counted]}</span>
                    )}
                {!review.trusted && <span className="hint">without write access</span>}
              </header>
              {review.withheld ? (
                <p className="hint padded">Its words are not shown.</p>
              ) : (
                review.body.trim() !== '' && (
                  <div className="padded">
                    <Prose text={review.body} />
                  </div>
                )
              )}
            </article>
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
                go={() => goTo({ path: thread.path, line: thread.isOutdated ? null : thread.line })}
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
