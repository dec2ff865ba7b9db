import { Fragment } from 'react'
import { printable } from '../../../src/surfaces/text/printable.ts'

/**
 * What somebody wrote, as they wrote it: nothing in it becomes markup but code between back-ticks
 * and addresses with http or https, which are shown whole.
 */
export function Prose({ text }: { readonly text: string }) {
  const parts = printable(text)
    .trim()
    .split(/^```.*$/m)
  return (
    <div className="prose" dir="auto">
      {parts.map((part, index) =>
        index % 2 === 1 ? (
          <pre key={index} tabIndex={0}>
            {part.replace(/^\n|\n$/g, '')}
          </pre>
        ) : (
          part.trim() !== '' && (
            <p key={index}>
              <Words text={part.trim()} />
            </p>
          )
        ),
      )}
    </div>
  )
}

const MARKED = /(`[^`\n]+`|https?:\/\/[^\s<>"'`)\]]+)/

function Words({ text }: { readonly text: string }) {
  return text.split(MARKED).map((part, index) =>
    index % 2 === 0 ? (
      <Fragment key={index}>{part}</Fragment>
    ) : part.startsWith('`') ? (
      <code key={index}>{part.slice(1, -1)}</code>
    ) : (
      <a key={index} href={part} target="_blank" rel="noreferrer noopener nofollow">
        {part}
      </a>
    ),
  )
}
