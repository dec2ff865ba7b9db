import { useEffect, useRef } from 'react'
import { linesWords } from '../../../../../src/domain/formats/line-range.ts'
import { Prose } from '../../../parts/prose.tsx'
import type { useDraft } from './draft.ts'
import type { Placed } from './placed.ts'

/** A comment that is written, or waits to be sent with the review. */
export function CommentDraft({
  placed,
  head,
  change,
  remove,
  done,
}: {
  readonly placed: Placed
  /** Of the diff that is shown. */
  readonly head: string
  readonly done: () => void
} & Pick<ReturnType<typeof useDraft>, 'change' | 'remove'>) {
  const { comment, standing, at } = placed
  const { id, body, isOpen } = comment
  const words = linesWords((at ?? comment).line, (at ?? comment).from, comment.side)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (isOpen) field.current?.focus()
  }, [isOpen])
  const keep = () => {
    if (body.trim() === '') remove([id])
    else change(id, { isOpen: false })
    done()
  }
  return (
    <section className="thread draft" aria-label={`Your comment on ${words}`}>
      <header>
        <strong>You</strong>
        <span className="hint">{words}, not sent yet</span>
        {comment.head !== head && (
          <span className="chip tone-attention">
            {standing === 'gone'
              ? `written about ${comment.head.slice(0, 8)}; its lines are not here any more`
              : standing === 'moved'
                ? `written about ${comment.head.slice(0, 8)}; moved with its lines`
                : `written about ${comment.head.slice(0, 8)}`}
          </span>
        )}
      </header>
      {isOpen ? (
        <form
          className="reply"
          onSubmit={(event) => {
            event.preventDefault()
            keep()
          }}
        >
          <textarea
            ref={field}
            className="field"
            aria-label={`Comment on ${words}`}
            placeholder="What is to be changed here?"
            value={body}
            onChange={({ target }) => change(id, { body: target.value })}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) keep()
              else if (event.key === 'Escape') keep()
              else return
              event.preventDefault()
              event.stopPropagation()
            }}
          />
          <div className="buttons">
            <button type="submit" className="button primary" disabled={body.trim() === ''}>
              Add to the review
            </button>
            <button
              type="button"
              className="button"
              onClick={() => {
                remove([id])
                done()
              }}
            >
              {body.trim() === '' ? 'Cancel' : 'Discard'}
            </button>
            <span className="hint">Ctrl+Enter</span>
          </div>
        </form>
      ) : (
        <>
          <article className="said">
            <Prose text={body} />
          </article>
          <div className="buttons">
            <button type="button" className="button" onClick={() => change(id, { isOpen: true })}>
              Edit
            </button>
            <button type="button" className="button" onClick={() => remove([id])}>
              Discard
            </button>
          </div>
        </>
      )}
    </section>
  )
}
