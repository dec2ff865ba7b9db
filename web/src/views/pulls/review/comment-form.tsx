import { useEffect, useRef } from 'react'
import { linesWords } from '../../../../../src/domain/formats/line-range.ts'
import { Prose } from '../../../parts/prose.tsx'
import type { Comment, useDraft } from './draft.ts'

/** A comment that is written, or waits to be sent with the review. */
export function CommentDraft({
  comment,
  head,
  change,
  remove,
  done,
}: {
  readonly comment: Comment
  /** Of the diff that is shown. */
  readonly head: string
  readonly done: () => void
} & Pick<ReturnType<typeof useDraft>, 'change' | 'remove'>) {
  const { id, body, isOpen, line, from } = comment
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
    <section className="thread draft" aria-label={`Your comment on ${linesWords(line, from)}`}>
      <header>
        <strong>You</strong>
        <span className="hint">{linesWords(line, from)}, not sent yet</span>
        {comment.head !== head && (
          <span className="chip tone-attention">written about an older version</span>
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
            aria-label={`Comment on ${linesWords(line, from)}`}
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
