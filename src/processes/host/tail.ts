/** The last lines of something long, in bounded memory. */
export interface Tail {
  /** Whole lines, each with its line feed. */
  lines(bytes: Buffer, prefix: string): void
  /** Part of a line that goes on; `begins`: it is the first part. */
  part(bytes: Buffer, prefix: string, begins: boolean): void
  /** The line that was going on is whole. */
  endPart(): void
  list(count: number): string[]
}

export const TAIL_LINES = 1000
/** Bytes kept of one line. */
export const LINE_LIMIT = 4000
const LINE_FEED = 10

export function createTail(): Tail {
  // A ring: what is oldest is overwritten.
  const ring: string[] = []
  let next = 0
  let open: { text: string; size: number } | undefined

  const push = (line: string) => {
    ring[next] = line
    next = (next + 1) % TAIL_LINES
  }
  const cut = (bytes: Buffer, prefix: string): string =>
    bytes.length > LINE_LIMIT
      ? `${prefix}${bytes.toString('utf8', 0, LINE_LIMIT)} …`
      : prefix + bytes.toString('utf8')
  const endPart = () => {
    if (open !== undefined) push(open.size > LINE_LIMIT ? `${open.text} …` : open.text)
    open = undefined
  }

  return {
    lines: (bytes, prefix) => {
      let start = 0
      if (open !== undefined) {
        const end = bytes.indexOf(LINE_FEED)
        add(bytes.subarray(0, end))
        endPart()
        start = end + 1
      }
      // Of many only the last can stay: they are looked for from the end.
      const found: string[] = []
      let end = bytes.length - 1
      while (end >= start && found.length < TAIL_LINES) {
        const before = end === 0 ? -1 : bytes.lastIndexOf(LINE_FEED, end - 1)
        const from = Math.max(before + 1, start)
        found.push(cut(bytes.subarray(from, end), prefix))
        end = from - 1
      }
      for (const line of found.reverse()) push(line)
    },
    part: (bytes, prefix, begins) => {
      if (begins) open = { text: prefix, size: 0 }
      add(bytes)
    },
    endPart,
    list: (count) => {
      const kept = ring.length < TAIL_LINES ? ring : [...ring.slice(next), ...ring.slice(0, next)]
      const all = open === undefined ? kept : [...kept, open.text]
      return all.slice(Math.max(0, all.length - Math.min(count, TAIL_LINES)))
    },
  }

  function add(bytes: Buffer): void {
    if (open === undefined) return
    const room = LINE_LIMIT - open.size
    if (room > 0) open.text += bytes.toString('utf8', 0, room)
    open.size += bytes.length
  }
}
