import { CopyButton } from '../../../parts/copy-button.tsx'
import type { PullDetails } from '../words.ts'
import type { Draft } from './placed.ts'

/** What was written about a pull request that was merged or closed before it was sent. */
export function Unsent({
  state,
  draft,
  clear,
}: {
  readonly state: PullDetails['state']
  readonly draft: Draft
  readonly clear: () => void
}) {
  const words = wordsOf(draft)
  if (words === '') return null
  return (
    <section className="panel padded stack" aria-label="What you had written">
      <p role="status">
        <strong>It was {state} before you sent your review.</strong> Nothing of it was sent; a
        message to its agent, or an issue, may still say it.
      </p>
      <textarea className="field" aria-label="What you had written" readOnly value={words} />
      <div className="buttons">
        <button type="button" className="button" onClick={clear}>
          Discard
        </button>
        <CopyButton words={words} />
      </div>
    </section>
  )
}

/** All of it as text. */
export const wordsOf = ({ body, comments }: Draft): string =>
  [body, ...comments.map((one) => (one.body.trim() === '' ? '' : placed(one)))]
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n')

const placed = ({ path, line, body }: Draft['comments'][number]): string =>
  `${path}${line == null ? '' : `:${String(line)}`}: ${body.trim()}`
