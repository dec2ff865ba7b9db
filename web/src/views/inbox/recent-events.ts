import { useEffect, useState } from 'react'
import { useConnection } from '../../live/context.tsx'
import type { WireEvent } from '../../live/connection.ts'

const MOST = 300
/** Those that settle something; see settled.ts. */
const SETTLES =
  /^(question\.answered|approval\.decided|pr\.(merged|closed|pushed|scheduled)|landing\.queued|delivery\.acked|agent\.(killed|reaped|started|completed))$/

/** What happened while the view is open, oldest first. */
export function useRecentEvents(): readonly WireEvent[] {
  const connection = useConnection()
  const [events, setEvents] = useState<readonly WireEvent[]>([])
  useEffect(
    () =>
      connection.onEvent((event) => {
        if (SETTLES.test(event.type)) setEvents((before) => [...before, event].slice(-MOST))
      }),
    [connection],
  )
  return events
}
