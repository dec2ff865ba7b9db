import { useState } from 'react'
import { Link } from 'wouter'
import { newsWords } from '../../../../src/surfaces/text/inbox/inbox-words.ts'
import { printable, printableLine } from '../../../../src/surfaces/text/printable.ts'
import { relativeTime } from '../../../../src/surfaces/text/relative-time.ts'
import { useReadOnly } from '../../live/context.tsx'
import { useTool } from '../../live/queries.ts'
import { useNow } from '../../parts/now.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { agentPath } from '../../shell/places.ts'
import type { Settling } from './use-settle.ts'

/** What else came and nobody has read, by agent. */
export function News({ settling }: { readonly settling: Settling }) {
  const { data, error, refetch } = useTool('inbox', { type: 'news' })
  const readOnly = useReadOnly()
  const now = useNow()
  const [open, setOpen] = useState<string | null>(null)
  if (data === undefined)
    return error !== null ? (
      <Failed error={error} retry={() => void refetch()} />
    ) : (
      <div className="panel padded">
        <Loading what="the news" rows={8} />
      </div>
    )
  if (data.news.length === 0)
    return <Empty title="No news">Nothing came that you have not read.</Empty>
  const texts = new Map(data.messages.map((message) => [message.id, message]))
  return (
    <section className="panel news" aria-label="News">
      <header>
        <h2>News</h2>
        {!readOnly && (
          <button
            type="button"
            className="button"
            disabled={settling.going.has('news')}
            onClick={() =>
              settling.settle(
                'news',
                'inbox',
                { clear: true, seen: data.messages.map(({ id }) => id) },
                { words: 'All news is read.' },
              )
            }
          >
            Mark all as read
          </button>
        )}
        {settling.errors.has('news') && (
          <span role="alert" className="tone-bad">
            {settling.errors.get('news')}
          </span>
        )}
      </header>
      <ul>
        {data.news.map((line) => {
          const key = line.agent_id ?? ''
          const isOpen = open === key
          const name = printableLine(line.agent ?? 'exomonad')
          return (
            <li key={key}>
              <button
                type="button"
                className="news-line"
                aria-expanded={isOpen}
                onClick={() => setOpen(isOpen ? null : key)}
              >
                <bdi className="who">{name}</bdi>
                <span className="ellipsis">{newsWords(line)}</span>
                <span className="hint">{relativeTime(line.newest.at, now)}</span>
              </button>
              {isOpen && (
                <ol>
                  {line.messages.toReversed().map((id) => {
                    const message = texts.get(id)
                    return message === undefined ? null : (
                      <li key={id}>
                        <span className="hint">
                          {printableLine(message.kind)} · {relativeTime(message.at, now)}
                        </span>
                        <p className="quoted" dir="auto">
                          {printable(message.text).trim()}
                        </p>
                      </li>
                    )
                  })}
                  {line.agent_id !== null && (
                    <li>
                      <Link href={agentPath(line.agent_id)}>To {name}</Link>
                    </li>
                  )}
                </ol>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
