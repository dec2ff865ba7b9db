import type { Headers } from './limits.ts'

export interface Cached {
  readonly etag: string
  readonly status: number
  readonly data: unknown
  readonly headers: Headers
}

/**
 * What was read, by URL and media type, so that what hasn’t changed is answered with a 304, which
 * costs nothing of the limit. The least used go first.
 */
export interface Etags {
  get(key: string): Cached | undefined
  set(key: string, cached: Cached, bytes: number): void
  clear(): void
}

export function createEtags({
  maxEntries = 500,
  maxBytes = 16 * 1024 * 1024,
}: { maxEntries?: number; maxBytes?: number } = {}): Etags {
  const entries = new Map<string, { readonly cached: Cached; readonly bytes: number }>()
  let total = 0
  const remove = (key: string): void => {
    total -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }
  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.cached
    },
    set(key, cached, bytes) {
      remove(key)
      if (bytes > maxBytes / 8) return
      entries.set(key, { cached, bytes })
      total += bytes
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && total <= maxBytes) break
        remove(oldest)
      }
    },
    clear() {
      entries.clear()
      total = 0
    },
  }
}
