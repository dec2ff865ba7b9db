import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ItemType } from '../../../../src/domain/inbox-items.ts'
import { call, type ToolResult } from '../../api/call.ts'
import type { ApiError } from '../../api/errors.ts'
import type { Item } from './items.ts'

const PAGE = 500

export interface InboxNow {
  /** Oldest first; undefined until the first are read. */
  readonly items: readonly Item[] | undefined
  /** All there are, read or not. */
  readonly total: number
  readonly byType: Readonly<Partial<Record<ItemType, number>>>
  /** Messages that nobody has read, beside the items. */
  readonly news: number
  readonly error: ApiError | null
  readonly retry: () => void
  /** Reads on, where there are more. */
  readonly more: () => void
  readonly hasMore: boolean
}

/** What needs the person, live, as much of it as is looked at. `type`: of this type alone. */
export function useInbox(type: ItemType | null): InboxNow {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery<
    ToolResult<'inbox'>,
    ApiError,
    { readonly pages: ToolResult<'inbox'>[] },
    readonly unknown[],
    string | null
  >({
    queryKey: ['inbox', 'pages', type],
    queryFn: ({ signal, pageParam }) =>
      call(
        'inbox',
        {
          limit: PAGE,
          ...(type === null ? {} : { type }),
          ...(pageParam === null ? {} : { after: pageParam }),
        },
        { signal },
      ),
    initialPageParam: null,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: (before) => before,
  })
  return useMemo(() => {
    const [first] = data?.pages ?? []
    // Where pages were read at different times, an item may be in two.
    const items = new Map(
      data?.pages.flatMap((page) => page.items.map((item) => [item.id, item] as const)),
    )
    return {
      items: data === undefined ? undefined : [...items.values()],
      total: Object.values(first?.by_type ?? {}).reduce((sum, count) => sum + count, 0),
      byType: first?.by_type ?? {},
      news: (first?.news ?? []).reduce((sum, { count }) => sum + count, 0),
      error,
      retry: () => void refetch(),
      more: () => {
        if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
      },
      hasMore: hasNextPage,
    }
  }, [data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage])
}
