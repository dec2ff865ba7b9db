import { chmod, open, rename, type FileHandle } from 'node:fs/promises'

/** Of the bound: what is kept of the beginning, and of the end. The rest is room to write before it is cut again. */
const HEAD = 0.1
const TAIL = 0.4
const CHUNK = 1_000_000
const LINE_FEED = 10

export interface Cut {
  /** Bytes of the beginning that stay, up to the end of a line. */
  readonly head: number
  /** Bytes that are gone, of all cuts. */
  readonly gone: number
}

/**
 * Writes a file anew that has grown beyond its bound: its beginning, a line that says how much is gone, and its end, cut at ends of lines.
 * Whole or as it was. `before`: the cut of the last time.
 */
export async function cutMiddle(file: string, bound: number, before: Cut | null): Promise<{ handle: FileHandle; size: number; cut: Cut }> {
  const source = await open(file, 'r')
  const draft = `${file}.part`
  const target = await open(draft, 'w', 0o600)
  try {
    const { size } = await source.stat()
    const head = before?.head ?? (await lineEnd(source, Math.floor(bound * HEAD), 0))
    const from = await lineEnd(source, Math.max(head, size - Math.floor(bound * TAIL)), head)
    const gone = (before?.gone ?? 0) + from - head - (before === null ? 0 : notice(before.gone, bound).length)
    await copy(source, target, 0, head)
    await target.write(notice(gone, bound))
    await copy(source, target, from, size)
    await chmod(draft, 0o600)
    await rename(draft, file)
    return { handle: await open(file, 'a', 0o600), size: head + notice(gone, bound).length + size - from, cut: { head, gone } }
  } finally {
    await Promise.all([source.close(), target.close()])
  }
}

const notice = (gone: number, bound: number): Buffer =>
  Buffer.from(
    `[exomonad] ${String(gone).padStart(15)} bytes are gone here: the output of one task is bounded to ${Math.round(bound / 1_000_000)} MB, its beginning and its end are kept\n`,
  )

/** The end of the line that a position is in: at most a chunk away, else the position itself. */
async function lineEnd(source: FileHandle, position: number, least: number): Promise<number> {
  const { buffer, bytesRead } = await source.read(Buffer.alloc(CHUNK), 0, CHUNK, position)
  const end = buffer.subarray(0, bytesRead).indexOf(LINE_FEED)
  return Math.max(end === -1 ? position : position + end + 1, least)
}

async function copy(source: FileHandle, target: FileHandle, from: number, to: number): Promise<void> {
  const chunk = Buffer.alloc(CHUNK)
  for (let at = from; at < to;) {
    const { bytesRead } = await source.read(chunk, 0, Math.min(CHUNK, to - at), at)
    if (bytesRead === 0) return
    await target.write(chunk, 0, bytesRead)
    at += bytesRead
  }
}
