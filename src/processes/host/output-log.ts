import { createOutputFile } from './output-file.ts'
import { createDeadline } from '../../../packages/subagents/src/processes/deadline.ts'
import { plainLine } from './plain-line.ts'
import { createTail, LINE_LIMIT, TAIL_LINES } from './tail.ts'

/** Everything that a hosted program says: whole in its file, the last lines in memory. */
export interface OutputLog {
  /**
   * `out` as it is, `err` with `[stderr] ` in front of each line. Lines of the two are never mixed
   * within a line, as long as they are not longer than what is kept back. False: the disk is
   * behind, and the source should wait for `drained`.
   */
  write(stream: 'out' | 'err', text: Buffer | string): boolean
  /** A line about the output itself, on a line of its own. */
  note(text: string): void
  drained(): Promise<void>
  /** The last lines, 1000 at most, without control characters; `styled` keeps colours. */
  tail(lines: number, options?: { styled?: boolean }): string
  /** What comes from here on, ready for a terminal. */
  follow(listener: (text: string) => void): () => void
  /**
   * Resolves when all that was written is in the file, as far as the disk takes it, and lets go of
   * the file.
   */
  close(): Promise<void>
}

type Stream = 'out' | 'err'

const LINE_FEED = 10
/** Bytes of a line without its end that are kept back, so that no other line comes between. */
const PART_LIMIT = 64_000
/** Milliseconds after which they are written all the same: a prompt, or a bar of progress. */
const PART_DELAY = 50
/**
 * What a program hands over at once where it gathers its output first: a line that is cut there
 * goes on as soon as the program gets a turn …
 */
const FULL_BUFFER = 4096
/** … which takes as many milliseconds at most, on a machine that has too much to do. */
const CUT_DELAY = 2000
const PREFIX: Record<Stream, string> = { out: '', err: '[stderr] ' }
const STREAMS = ['out', 'err'] as const
const NEW_LINE = Buffer.from('\n')

/**
 * Puts the lines of both streams in order of arrival into the file (null for none; at most `bound`
 * bytes), the tail, and what followers see.
 */
export function createOutputLog({
  file,
  bound = Infinity,
}: {
  file: string | null
  bound?: number | undefined
}): OutputLog {
  const tail = createTail()
  const followers = new Set<(text: string) => void>()
  const disk =
    file === null
      ? undefined
      : createOutputFile(file, (text) => note(text, { onDisk: false }), bound)
  const parts: Record<Stream, Buffer | undefined> = { out: undefined, err: undefined }
  /** How long these are kept back. */
  const notExpired: Record<Stream, () => boolean> = { out: () => false, err: () => false }
  /** The line that stands without its end in file and tail is this one’s. */
  let open: Stream | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const notify = (text: () => string) => {
    if (followers.size === 0) return
    const shownText = text()
    for (const listener of followers) listener(shownText)
  }
  const breakLine = () => {
    if (open === undefined) return
    open = undefined
    tail.endPart()
    disk?.write(NEW_LINE)
    notify(() => '\n')
  }
  const put = (stream: Stream, bytes: Buffer): boolean => {
    const goesOn = open === stream
    return disk?.write(stream === 'out' ? bytes : prefixed(bytes, goesOn)) ?? true
  }
  const putLines = (stream: Stream, bytes: Buffer): boolean => {
    if (open !== stream) breakLine()
    const fits = put(stream, bytes)
    const goesOn = open === stream
    notify(() => shown(bytes, goesOn ? '' : PREFIX[stream], PREFIX[stream]))
    tail.lines(bytes, PREFIX[stream])
    open = undefined
    return fits
  }
  const putPart = (stream: Stream, bytes: Buffer): boolean => {
    if (open !== stream) breakLine()
    const fits = put(stream, bytes)
    const begins = open === undefined
    notify(() => shown(bytes, begins ? PREFIX[stream] : '', PREFIX[stream]))
    tail.part(bytes, PREFIX[stream], begins)
    open = stream
    return fits
  }
  const putParts = ({ early = true } = {}) => {
    clearTimeout(timer)
    timer = undefined
    for (const stream of STREAMS) {
      const part = parts[stream]
      if (part === undefined || (!early && notExpired[stream]())) continue
      parts[stream] = undefined
      putPart(stream, part)
    }
  }
  const watchParts = () => {
    // Not before the pipes have been looked at: the rest of the line may be there already.
    timer ??= setTimeout(
      () =>
        setImmediate(() => {
          putParts({ early: false })
          if (STREAMS.some((stream) => parts[stream] !== undefined)) watchParts()
        }),
      PART_DELAY,
    )
  }
  const note = (text: string, { onDisk = true } = {}) => {
    const line = Buffer.from(`[exomonad] ${text}\n`)
    if (onDisk) {
      putParts()
      breakLine()
      disk?.write(line)
    }
    tail.lines(line, '')
    notify(() => line.toString())
  }

  return {
    write: (stream, text) => {
      if (closed) return true
      const bytes = typeof text === 'string' ? Buffer.from(text) : text
      if (bytes.length === 0) return true
      const before = parts[stream]
      const end = bytes.lastIndexOf(LINE_FEED)
      const rest =
        end < 0
          ? before === undefined
            ? bytes
            : Buffer.concat([before, bytes])
          : bytes.subarray(end + 1)
      let fits = true
      parts[stream] = undefined
      if (end >= 0) {
        const whole = bytes.subarray(0, end + 1)
        fits = putLines(stream, before === undefined ? whole : Buffer.concat([before, whole]))
      }
      if (rest.length > PART_LIMIT) fits = putPart(stream, rest) && fits
      else if (rest.length > 0) {
        // A copy: the chunk that it is cut from may be large.
        parts[stream] = Buffer.from(rest)
        if (end >= 0 || before === undefined)
          notExpired[stream] = createDeadline(bytes.length < FULL_BUFFER ? PART_DELAY : CUT_DELAY)
        watchParts()
      }
      return fits
    },
    note: (text) => note(text),
    drained: async () => disk?.drained(),
    tail: (lines, { styled = false } = {}) => {
      // What is kept back still belongs to no line.
      const said = tail.list(TAIL_LINES)
      for (const stream of open === 'err' ? (['err', 'out'] as const) : STREAMS) {
        const part = parts[stream]?.toString('utf8', 0, LINE_LIMIT)
        if (part !== undefined) said.push((open === stream ? said.pop() : PREFIX[stream]) + part)
      }
      return said
        .slice(Math.max(0, said.length - Math.min(lines, TAIL_LINES)))
        .map((line) => plainLine(line, styled))
        .join('\n')
    },
    follow: (listener) => {
      putParts()
      followers.add(listener)
      return () => followers.delete(listener)
    },
    close: async () => {
      putParts()
      closed = true
      await disk?.close()
    },
  }
}

/** With `[stderr] ` in front of each line, except of the one that goes on. */
function prefixed(bytes: Buffer, goesOn: boolean): Buffer {
  // Latin-1 keeps every byte as it is.
  const text = bytes.toString('latin1')
  const ends = text.endsWith('\n')
  const lines = (ends ? text.slice(0, -1) : text).replaceAll('\n', `\n${PREFIX.err}`)
  return Buffer.from(`${goesOn ? '' : PREFIX.err}${lines}${ends ? '\n' : ''}`, 'latin1')
}

function shown(bytes: Buffer, first: string, next: string): string {
  const text = bytes.toString('utf8')
  const ends = text.endsWith('\n')
  const lines = (ends ? text.slice(0, -1) : text)
    .split('\n')
    .map((line, index) => (index === 0 ? first : next) + plainLine(line, true))
  return lines.join('\n') + (ends ? '\n' : '')
}
