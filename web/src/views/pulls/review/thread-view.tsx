import { useState } from 'react'
import { linesWords, placeText } from '../../../../../src/domain/formats/line-range.ts'
import { printableLine } from '../../../../../src/surfaces/text/printable.ts'
import { wordsOf } from '../../../api/errors.ts'
import { useReadOnly } from '../../../live/context.tsx'
import { useAction } from '../../../live/queries.ts'
import { useKept } from '../../../parts/kept.ts'
import { Prose } from '../../../parts/prose.tsx'
import type { Thread } from './threads.ts'

/** What was said of some lines, and a reply to it. `go`: to the lines in the diff. */
export function ThreadView({
  number,
  thread,
  withPlace = false,
  go,
}: {
  readonly number: number
  readonly thread: Thread
  readonly withPlace?: boolean
  readonly go?: (() => void) | undefined
}) {
  const { comments, isResolved, isOutdated, path, line, from, side } = thread
  const [isOpen, setOpen] = useState(!isResolved)
  const [first] = comments
  const place = printableLine(placeText({ path, line, startLine: from, side }))
  return (
    <section className="thread" aria-label={`Conversation on ${place}`}>
      <header>
        {go !== undefined && withPlace ? (
          <button type="button" className="link mono ellipsis" onClick={go}>
            <bdi>{place}</bdi>
          </button>
        ) : (
          (withPlace || isOutdated) && <bdi className="mono ellipsis">{place}</bdi>
        )}
        {!withPlace && !isOutdated && from !== null && line !== null && (
          <span className="hint">{linesWords(line, from, side)}</span>
        )}
        {isOutdated && <span className="chip">of an older version</span>}
        {isResolved && <span className="chip tone-good">✓ resolved</span>}
        {isResolved && (
          <button type="button" className="link" onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide' : 'Show'}
          </button>
        )}
      </header>
      {isOpen && (
        <>
          {comments.map(({ id, author, body, withheld }) => (
            <article key={id} className="said">
              <bdi className="author">{printableLine(author)}</bdi>
              {withheld ? <p className="hint">Its words are not shown.</p> : <Prose text={body} />}
            </article>
          ))}
          {first.conversation !== null && (
            <Reply
              number={number}
              thread={first.id}
              comment={comments.at(-1)?.id ?? first.id}
              isResolved={isResolved}
            />
          )}
        </>
      )}
    </section>
  )
}

function Reply({
  number,
  thread,
  comment,
  isResolved,
}: {
  readonly number: number
  /** Its first comment, which stays so: what is written is kept by it. */
  readonly thread: string
  /** What is replied to. */
  readonly comment: string
  readonly isResolved: boolean
}) {
  const readOnly = useReadOnly()
  const [kept, set] = useKept<string>(`reply:${number}:${thread}`)
  const body = kept ?? ''
  const review = useAction('pr_review', ({ replies }) => {
    const [sent] = replies ?? []
    // What was written meanwhile stays.
    set((now) => (now?.trim() === sent?.body ? undefined : now))
  })
  if (readOnly) return null
  const send = (resolve: boolean) => {
    if (review.isPending) return
    review.mutate({
      pr_number: number,
      replies: [{ comment_id: comment, body: body.trim(), resolve }],
    })
  }
  return (
    <form
      className="reply"
      onSubmit={(event) => {
        event.preventDefault()
        if (body.trim() !== '') send(false)
      }}
    >
      <textarea
        className="field"
        rows={1}
        aria-label="Reply"
        placeholder="Reply"
        value={body}
        onChange={({ target }) => set(() => (target.value === '' ? undefined : target.value))}
      />
      {review.error !== null && (
        <p role="alert" className="tone-bad">
          {wordsOf(review.error)}
        </p>
      )}
      <div className="buttons">
        {body.trim() !== '' && (
          <button type="submit" className="button primary" disabled={review.isPending}>
            Reply
          </button>
        )}
        {!isResolved && (
          <button
            type="button"
            className="button"
            disabled={review.isPending}
            onClick={() => send(true)}
          >
            {body.trim() === '' ? 'Resolve' : 'Reply and resolve'}
          </button>
        )}
      </div>
    </form>
  )
}
