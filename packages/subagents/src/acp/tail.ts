import { StringDecoder } from 'node:string_decoder'

export interface Tail {
  push(chunk: Uint8Array): void
  text(): string
  /** Whether something of the beginning was let go. */
  truncated(): boolean
}

/**
 * The last `limit` bytes of a stream, cut between characters. Takes at most three times that in
 * memory, whatever the pieces are.
 */
export function createTail(limit: number): Tail {
  let kept: Buffer[] = []
  let size = 0
  let dropped = false
  const settle = (): Buffer => {
    const whole = Buffer.concat(kept)
    let from = Math.max(0, whole.length - limit)
    if (from > 0) {
      dropped = true
      // Bytes 10xxxxxx go on with a character that began before.
      while (from < whole.length && ((whole[from] ?? 0) & 0xc0) === 0x80) from += 1
    }
    const rest = from === 0 ? whole : Buffer.from(whole.subarray(from))
    kept = [rest]
    size = rest.length
    return rest
  }
  return {
    push: (chunk) => {
      if (chunk.length > limit) dropped = true
      // A copy: the piece may be a view of a larger buffer.
      kept.push(
        Buffer.from(chunk.length > limit + 4 ? chunk.subarray(chunk.length - limit - 4) : chunk),
      )
      size += kept.at(-1)?.length ?? 0
      if (size > 2 * limit + 1024) settle()
    },
    // A character whose end is yet to come is left out.
    text: () => new StringDecoder('utf8').write(settle()),
    truncated: () => {
      settle()
      return dropped
    },
  }
}

/** The last lines of a text, shortened for an error message. */
export function lastLines(
  text: string,
  { lines = 5, chars = 1000 }: { lines?: number; chars?: number } = {},
): string {
  const last = text.trimEnd().split(/\r?\n/).slice(-lines).join('\n').trim()
  return last.length > chars ? `…${last.slice(-chars)}` : last
}
