import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { request } from '../../api/request.ts'
import type { ApiError } from '../../api/errors.ts'
import { useConnection } from '../../live/context.tsx'
import type { WireEvent } from '../../live/connection.ts'
import { useNow } from '../../parts/now.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { definitionOf } from '../../../../src/events/event.ts'
import { describeEvent } from '../../../../src/surfaces/text/event-words.ts'
import { relativeTime } from '../../../../src/surfaces/text/relative-time.ts'

const READ = 300
const SHOWN = 120

/** What happened to an agent, the newest first; what comes is added as it comes. */
export function Happened({ agent }: { readonly agent: string }) {
  const { data, error, refetch } = useQuery<readonly WireEvent[], ApiError>({
    queryKey: ['events of an agent', agent],
    queryFn: ({ signal }) => {
      const query = new URLSearchParams({ agent, last: String(READ), follow: 'false' })
      return request<readonly WireEvent[]>(`/v1/events?${query.toString()}`, { signal })
    },
    // Read anew when it is shown again; while it is shown, what comes is added.
    staleTime: 0,
    gcTime: 0,
  })
  const connection = useConnection()
  const [added, setAdded] = useState<readonly WireEvent[]>([])
  useEffect(
    () =>
      connection.onEvent((event) => {
        if (event.agentId === agent) setAdded((before) => [...before.slice(-READ), event])
      }),
    [agent, connection],
  )
  const events = useMemo(() => {
    const known = new Map([...(data ?? []), ...added].map((event) => [event.seq, event]))
    return [...known.values()]
      .filter((event) => definitionOf(event.type)?.minor !== true)
      .toSorted((one, other) => other.seq - one.seq)
      .slice(0, SHOWN)
  }, [data, added])
  const now = useNow()
  if (data === undefined)
    return error === null ? (
      <Loading what="what happened" />
    ) : (
      <Failed error={error} retry={() => void refetch()} />
    )
  if (events.length === 0) return <Empty title="Nothing yet" />
  return (
    <ol className="agent-events">
      {events.map((event) => {
        const { sign, colour, text } = describeEvent(event)
        return (
          <li key={event.seq}>
            <span className={`tone-${colour}`} aria-hidden="true">
              {sign}
            </span>
            <span>{text}</span>
            <time className="hint" dateTime={new Date(event.at).toISOString()}>
              {relativeTime(event.at, now)}
            </time>
          </li>
        )
      })}
    </ol>
  )
}
