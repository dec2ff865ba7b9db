import type { ACPStreamChunk } from './acp-types.ts'

/**
 * Between an agent that sends when it likes and one reader. Text that waits is put together, so
 * that a slow reader costs no more than the text.
 */
export interface ChunkQueue {
  push(chunk: ACPStreamChunk): void
  /** After what is queued. */
  end(): void
  fail(error: Error): void
  /** Undefined at the end. One reader at a time. */
  next(): Promise<ACPStreamChunk | undefined>
}

export function createChunkQueue(): ChunkQueue {
  const queued: ACPStreamChunk[] = []
  let over: { readonly error: Error | undefined } | undefined
  let wake: () => void = () => {}
  return {
    push: (chunk) => {
      if (over !== undefined) return
      const last = queued.at(-1)
      if (chunk.type === 'delta' && last?.type === 'delta')
        queued[queued.length - 1] = { type: 'delta', text: last.text + chunk.text }
      else queued.push(chunk)
      wake()
    },
    end: () => {
      over ??= { error: undefined }
      wake()
    },
    fail: (error) => {
      over ??= { error }
      wake()
    },
    next: async () => {
      while (queued.length === 0 && over === undefined)
        await new Promise<void>((resolve) => (wake = resolve))
      const chunk = queued.shift()
      if (chunk !== undefined) return chunk
      if (over?.error !== undefined) throw over.error
      return undefined
    },
  }
}
