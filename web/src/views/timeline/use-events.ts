import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { request } from '../../api/request.ts'
import type { ApiError } from '../../api/errors.ts'
import type { WireEvent } from '../../live/connection.ts'
import { useConnection } from '../../live/context.tsx'
import type { EventWish } from './fits.ts'

const PAGE = 200
/** Of what the lanes and the summary are made of; the newest. */
export const MOST = 5000
/** Events that came in while one looks: with more it is read anew. */
const LIVE = 3000

function read(
  { since, until, types, under }: EventWish,
  { last, before, signal }: { last: number; before?: number | undefined; signal: AbortSignal },
): Promise<WireEvent[]> {
  const query = new URLSearchParams({ follow: 'false', since: String(Math.floor(since)) })
  query.set('last', String(last))
  if (until !== null) query.set('until', String(Math.ceil(until)))
  if (before !== undefined) query.set('before', String(before))
  if (types !== null) query.set('types', types.join(','))
  if (under !== null) query.set('under', under)
  return request<WireEvent[]>(`/v1/events?${query}`, { signal })
}

/** They are current as long as the live ones are added; whoever comes back reads anew. */
const ONCE = { gcTime: 0 }

/** Events page by page, the newest first, with those that come in. */
export function useEventPages(wish: EventWish, live: readonly WireEvent[]) {
  const query = useInfiniteQuery<
    WireEvent[],
    ApiError,
    { pages: WireEvent[][] },
    readonly unknown[],
    number | undefined
  >({
    ...ONCE,
    queryKey: ['timeline', wish],
    queryFn: ({ pageParam: before, signal }) => read(wish, { last: PAGE, before, signal }),
    initialPageParam: undefined,
    getNextPageParam: (page) => (page.length < PAGE ? undefined : page[0]?.seq),
  })
  const { data } = query
  const events = useMemo(() => {
    if (data === undefined) return null
    const newest = data.pages[0]?.at(-1)?.seq ?? 0
    return [
      ...live.filter(({ seq }) => seq > newest).toReversed(),
      ...data.pages.flatMap((page) => page.toReversed()),
    ]
  }, [data, live])
  return { ...query, events }
}

/** The newest of them at once, oldest first. */
export function useEventList(wish: EventWish, live: readonly WireEvent[]) {
  const query = useQuery<WireEvent[], ApiError>({
    ...ONCE,
    queryKey: ['timeline lanes', wish],
    queryFn: ({ signal }) => read(wish, { last: MOST, signal }),
  })
  const { data } = query
  const events = useMemo(() => {
    if (data === undefined) return null
    const newest = data.at(-1)?.seq ?? 0
    return [...data, ...live.filter(({ seq }) => seq > newest)]
  }, [data, live])
  return { ...query, events }
}

/** What came in since the view was opened, oldest first. */
export function useLiveEvents(): readonly WireEvent[] {
  const connection = useConnection()
  const queries = useQueryClient()
  const [events, setEvents] = useState<readonly WireEvent[]>([])
  useEffect(() => {
    let waiting: WireEvent[] = []
    let timer: number | undefined
    const flush = () => {
      timer = undefined
      const came = waiting
      waiting = []
      setEvents((events) => {
        if (events.length + came.length <= LIVE) return [...events, ...came]
        for (const key of ['timeline', 'timeline lanes'])
          void queries.invalidateQueries({ queryKey: [key] })
        return came.slice(-LIVE)
      })
    }
    const stop = connection.onEvent((event) => {
      waiting.push(event)
      timer ??= window.setTimeout(flush, 100)
    })
    // Another store than before: its events begin elsewhere.
    const stopStart = connection.onStart(() => setEvents([]))
    return () => {
      clearTimeout(timer)
      stop()
      stopStart()
    }
  }, [connection, queries])
  return events
}
