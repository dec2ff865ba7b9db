import { useEffect, useId, useRef, useState } from 'react'
import { plural } from '../../../../../src/surfaces/text/quantity.ts'
import type { Verdict } from '../../../../../src/surfaces/text/diff/draft-comment.ts'
import { ApiError, wordsOf } from '../../../api/errors.ts'
import { useAction } from '../../../live/queries.ts'
import type { useDraft } from './draft.ts'
import { toSend, type Draft, type Placed } from './placed.ts'

const VERDICTS: readonly (readonly [Verdict, string, string])[] = [
  ['comment', 'Comment', 'Say something; decide nothing.'],
  ['approve', 'Approve', 'It can be merged as it is.'],
  [
    'request_changes',
    'Request changes',
    'Its agent gets every comment, and has to fix them first.',
  ],
]

/** The whole review, sent at once: words, verdict and the comments on lines. */
export function ReviewForm({
  number,
  head,
  draft,
  placed,
  setBody,
  sent,
  showNew,
  close,
  done,
}: {
  readonly number: number
  /** What was looked at. */
  readonly head: string
  readonly draft: Draft
  readonly placed: readonly Placed[]
  readonly showNew: () => void
  readonly close: () => void
  readonly done: (words: string) => void
} & Pick<ReturnType<typeof useDraft>, 'setBody' | 'sent'>) {
  const { body } = draft
  const [verdict, setVerdict] = useState<Verdict>('comment')
  const sending = useRef(draft)
  const review = useAction('pr_review', () => sent(sending.current))
  const name = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  const comments = toSend(placed)
  const earlier = placed.filter(({ comment }) => comment.head !== head).length
  const isEmpty = verdict !== 'approve' && body.trim() === '' && comments.length === 0
  const isOld = review.error instanceof ApiError && review.error.code === 'HEAD_CHANGED'
  return (
    <form
      className="review-form panel"
      aria-label="Your review"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        close()
      }}
      onSubmit={(event) => {
        event.preventDefault()
        if (isEmpty || review.isPending) return
        sending.current = draft
        review.mutate(
          { pr_number: number, head_sha: head, verdict, body: body.trim(), comments },
          { onSuccess: () => done(DONE[verdict]) },
        )
      }}
    >
      <label className="label">
        Your review
        <textarea
          ref={field}
          className="field"
          placeholder="What you think of it as a whole"
          value={body}
          onChange={({ target }) => setBody(target.value)}
        />
      </label>
      <p className="hint">
        {comments.length === 0
          ? 'No comments on lines.'
          : `With ${plural(comments.length, 'comment')} on lines.`}{' '}
        {earlier > 0 && `Of an older version: ${earlier}; look where they stand now.`}
      </p>
      <fieldset>
        <legend className="sr-only">Verdict</legend>
        {VERDICTS.map(([value, word, what]) => (
          <label key={value} className="choice">
            <input
              type="radio"
              name={name}
              checked={verdict === value}
              onChange={() => setVerdict(value)}
            />
            <span>
              <strong>{word}</strong>
              <span className="hint">{what}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {review.error !== null && (
        <div role="alert" className="tone-bad">
          <p>{wordsOf(review.error)}</p>
          {isOld && (
            <button
              type="button"
              className="button"
              onClick={() => {
                review.reset()
                showNew()
              }}
            >
              Show the new version
            </button>
          )}
        </div>
      )}
      <div className="buttons">
        <button type="submit" className="button primary" disabled={isEmpty || review.isPending}>
          {review.isPending ? 'Sending …' : 'Send the review'}
        </button>
        <button type="button" className="button" onClick={close}>
          Later
        </button>
      </div>
    </form>
  )
}

const DONE: Readonly<Record<Verdict, string>> = {
  approve: 'You approved it.',
  request_changes: 'You asked for changes: its agent gets every comment.',
  comment: 'Your comments were sent.',
}
