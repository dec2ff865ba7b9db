import { useMemo } from 'react'
import type { ItemType } from '../../../../src/domain/inbox-items.ts'
import type { ApiError } from '../../api/errors.ts'
import { useTool } from '../../live/queries.ts'
import type { Item } from './items.ts'

export interface InboxNow {
  /** Oldest first; undefined until they are read. */
  readonly items: readonly Item[] | undefined
  readonly byType: Readonly<Partial<Record<ItemType, number>>>
  /** Messages that nobody has read, beside the items. */
  readonly news: number
  readonly error: ApiError | null
  readonly retry: () => void
}

/** What needs the person, live. */
export function useInbox(): InboxNow {
  const { data, error, refetch } = useTool('inbox', {})
  return useMemo(() => {
    const byType: Partial<Record<ItemType, number>> = {}
    for (const { type } of data?.items ?? []) byType[type] = (byType[type] ?? 0) + 1
    return {
      items: data?.items,
      byType,
      news: (data?.news ?? []).reduce((sum, { count }) => sum + count, 0),
      error,
      retry: () => void refetch(),
    }
  }, [data, error, refetch])
}
