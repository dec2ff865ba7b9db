import { useCallback, useMemo, useRef, useState } from 'react'
import { fileDiffs, type FileDiff } from '../../../../../src/surfaces/text/diff/file-diffs.ts'
import { useReadOnly } from '../../../live/context.tsx'
import { Diff, type Attached, type Place } from '../../../parts/diff/diff.tsx'
import { Failed, Loading } from '../../../parts/states.tsx'
import type { PullDetails } from '../words.ts'
import { CommentDraft } from './comment-form.tsx'
import { useDraft } from './draft.ts'
import type { PinnedDiff } from './pinned-diff.ts'
import { placedIn } from './placed.ts'
import { ReviewForm } from './review-form.tsx'
import { ThreadView } from './thread-view.tsx'
import { threadsOf } from './threads.ts'
import { Unsent } from './unsent.tsx'

/** Lines that somebody is taken to. */
export type Revealed = Pick<Attached, 'path' | 'line' | 'side'>

/** What changes, with what is said of it and what the person is about to say. */
export function FilesTab({
  pull,
  pinned,
  reveal,
}: {
  readonly pull: PullDetails
  readonly pinned: PinnedDiff
  readonly reveal: Revealed | null
}) {
  const { number } = pull
  const readOnly = useReadOnly()
  const { shown, newer, showNew } = pinned
  const [isReviewing, setReviewing] = useState(false)
  const [said, setSaid] = useState('')
  const { draft, add, change, remove, setBody, clear, sent } = useDraft(number)
  const frame = useRef<HTMLDivElement>(null)
  const backToDiff = useCallback(
    () => frame.current?.querySelector<HTMLElement>('.diff-lines')?.focus({ preventScroll: true }),
    [],
  )
  const head = shown?.head_sha ?? ''
  const comment = useCallback(
    (place: Place) => {
      setSaid('')
      add({ ...place, head })
    },
    [add, head],
  )
  const placed = useMemo(() => {
    let files: readonly FileDiff[] | undefined
    return placedIn(draft.comments, head, () => (files ??= fileDiffs(shown?.diff ?? '')))
  }, [draft.comments, head, shown])
  const attached = useMemo<readonly Attached[]>(
    () => [
      ...threadsOf(pull.reviews, { movesLines: /^https?:/.test(pull.url) }).map((thread) => ({
        key: `thread:${thread.key}`,
        path: thread.path,
        line: thread.isOutdated ? null : thread.line,
        side: thread.side,
        render: () => <ThreadView number={number} thread={thread} />,
      })),
      ...placed.map((one) => ({
        key: `draft:${one.comment.id}`,
        path: one.comment.path,
        line: one.at?.line ?? null,
        side: one.comment.side,
        render: () => (
          <CommentDraft
            placed={one}
            head={head}
            change={change}
            remove={remove}
            done={backToDiff}
          />
        ),
      })),
    ],
    [pull.reviews, pull.url, placed, number, head, change, remove, backToDiff],
  )
  if (shown === undefined)
    return pinned.error !== null ? (
      <Failed error={pinned.error} retry={pinned.retry} />
    ) : (
      <div className="panel padded">
        <Loading what="the diff" rows={16} />
      </div>
    )
  const canReview = !readOnly && pull.state === 'open'
  const count = draft.comments.filter(({ body }) => body.trim() !== '').length
  return (
    <div className="files" ref={frame}>
      <div role="status" className={newer !== null || said !== '' ? 'notice' : 'sr-only'}>
        {newer !== null && (
          <>
            <span>
              <strong>New commits came</strong> while you look at{' '}
              <code>{shown.head_sha.slice(0, 8)}</code>. What you wrote stays.
            </span>
            <button type="button" className="button" onClick={showNew}>
              Show {newer.slice(0, 8)}
            </button>
          </>
        )}
        {newer === null && said}
      </div>
      {!readOnly && pull.state !== 'open' && (
        <Unsent state={pull.state} draft={draft} clear={clear} />
      )}
      <Diff
        text={shown.diff}
        attached={attached}
        comment={canReview ? comment : undefined}
        reveal={reveal}
        actions={
          canReview && (
            <button
              type="button"
              className="button primary"
              aria-expanded={isReviewing}
              onClick={() => setReviewing(!isReviewing)}
            >
              Review{count > 0 && <span className="badge">{count}</span>}
            </button>
          )
        }
      />
      {isReviewing && canReview && (
        <ReviewForm
          number={number}
          head={head}
          draft={draft}
          placed={placed}
          setBody={setBody}
          sent={sent}
          showNew={showNew}
          close={() => {
            setReviewing(false)
            backToDiff()
          }}
          done={(words) => {
            setReviewing(false)
            setSaid(words)
            backToDiff()
          }}
        />
      )}
    </div>
  )
}
