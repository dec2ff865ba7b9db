import { call, type ToolResult } from '../../api/call.ts'
import { useTool } from '../../live/queries.ts'
import { useNow } from '../../parts/now.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { useEffect, useState } from 'react'
import { wordsOf } from '../../api/errors.ts'
import { printable, printableLine } from '../../../../src/surfaces/text/printable.ts'
import { relativeTime } from '../../../../src/surfaces/text/relative-time.ts'

type Mail = ToolResult<'agent_mail'>
type Message = Mail['messages'][number]

const PAGE = 50

const TONES: Readonly<Record<Message['state'], string>> = {
  queued: 'attention',
  sent: 'active',
  acked: 'good',
  failed: 'bad',
  undecided: 'attention',
  withdrawn: 'dim',
}

/** What was sent to it, the newest first, and what became of each message. */
export function MailTab({ agent }: { readonly agent: string }) {
  const { data, error, refetch } = useTool('agent_mail', { agent, limit: PAGE })
  const [older, setOlder] = useState<Pick<Mail, 'messages' | 'older'> | null>(null)
  const [refused, setRefused] = useState<string | null>(null)
  const now = useNow()
  // What is older than another first page is another page.
  useEffect(() => setOlder(null), [data?.older])
  if (data === undefined)
    return error === null ? (
      <Loading what="its mail" />
    ) : (
      <Failed error={error} retry={() => void refetch()} />
    )
  const messages = [...(older?.messages ?? []), ...data.messages].toReversed()
  const before = older === null ? data.older : older.older
  if (messages.length === 0 && data.waiting.length === 0)
    return <Empty title="Nothing was sent to it" />
  const more = async (): Promise<void> => {
    if (before === null) return
    setRefused(null)
    try {
      const page = await call('agent_mail', { agent, limit: PAGE, before })
      setOlder((known) => ({
        messages: [...page.messages, ...(known?.messages ?? [])],
        older: page.older,
      }))
    } catch (thrown) {
      setRefused(wordsOf(thrown))
    }
  }
  return (
    <div className="agent-mail">
      {data.waiting.length > 0 && (
        <section aria-label="Not taken yet">
          <h2>Not taken yet</h2>
          <ul>
            {data.waiting.map(({ id, name, message, sent_at: at }) => (
              <li key={id}>
                <p className="agent-mail-head">
                  <bdi>{printableLine(name)}</bdi>
                  <span className="hint">{relativeTime(at, now)}</span>
                </p>
                <p className="agent-mail-text">{printable(message)}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
      <ul>
        {messages.map(({ id, kind, subject, text, at, state, why }) => (
          <li key={id}>
            <p className="agent-mail-head">
              <span>{printableLine(subject ?? kind)}</span>
              <span className={`chip tone-${TONES[state]}`} title={why ?? undefined}>
                {state}
              </span>
              <span className="hint">{relativeTime(at, now)}</span>
            </p>
            <p className="agent-mail-text">{printable(text)}</p>
          </li>
        ))}
      </ul>
      {refused !== null && <p role="alert">{refused}</p>}
      {before !== null && (
        <button type="button" className="button" onClick={() => void more()}>
          Older
        </button>
      )}
    </div>
  )
}
