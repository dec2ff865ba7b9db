import { open, rename, rm, statfs, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { cutNotice, readCutNotice } from '../../domain/formats/output-notices.ts'

/**
 * Of the bound: what is kept of the beginning, and of the end. The rest is room to write before it
 * is cut again.
 */
const HEAD = 0.1
const TAIL = 0.4
/** Of the bound: how far from there the end of a line is looked for. */
const NEAR = 0.05
const CHUNK = 1_000_000
const LINE_FEED = 10
const NOTICE_LENGTH = 500

/** Where a file is written while it is cut; what a crash left of it is written over, or pruned. */
export const draftOf = (file: string): string => `${file}.part`

/**
 * Writes a file anew that has grown beyond its bound: its beginning, a line that says how much is
 * gone, and its end, cut at ends of lines. Whole or as it was. Returns the file, to go on writing
 * at its end.
 */
export async function cutMiddle(
  file: string,
  bound: number,
): Promise<{ readonly handle: FileHandle; readonly size: number }> {
  const source = await open(file, 'r')
  const draft = draftOf(file)
  let target: FileHandle | undefined
  try {
    const { size } = await source.stat()
    const { head, before } = await headOf(source, bound)
    const from = await lineEnd(
      source,
      Math.max(head + before.length, size - Math.floor(bound * TAIL)),
      bound,
    )
    const notice = Buffer.from(cutNotice(before.gone + from - head - before.length, bound))
    await requireRoom(file, bound)
    target = await open(draft, 'w', 0o600)
    await copy(source, target, 0, head)
    await target.appendFile(notice)
    await copy(source, target, from, size)
    await rename(draft, file)
    return { handle: target, size: head + notice.length + size - from }
  } catch (thrown) {
    await target?.close()
    await rm(draft, { force: true })
    throw thrown
  } finally {
    await source.close()
  }
}

/** What stays of the beginning, and the notice of the last cut, which stands behind it. */
async function headOf(
  source: FileHandle,
  bound: number,
): Promise<{ head: number; before: { gone: number; length: number } }> {
  const near = Math.floor(bound * HEAD)
  for (const head of [near, await lineEnd(source, near, bound)]) {
    const { buffer, bytesRead } = await source.read(
      Buffer.alloc(NOTICE_LENGTH),
      0,
      NOTICE_LENGTH,
      head,
    )
    const before = readCutNotice(buffer.toString('latin1', 0, bytesRead))
    if (before !== undefined) return { head, before }
  }
  return { head: await lineEnd(source, near, bound), before: { gone: 0, length: 0 } }
}

/** The end of the line that a position is in; the position itself where that is far. */
async function lineEnd(source: FileHandle, position: number, bound: number): Promise<number> {
  const most = Math.max(1, Math.min(CHUNK, Math.floor(bound * NEAR)))
  const { buffer, bytesRead } = await source.read(Buffer.alloc(most), 0, most, position)
  return position + buffer.subarray(0, bytesRead).indexOf(LINE_FEED) + 1
}

/** A disk that is nearly full is not filled for the sake of its room: others write there, too. */
async function requireRoom(file: string, bound: number): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(file))
  if (bavail * bsize < bound)
    throw new Error('the disk has too little room to write its beginning and end anew')
}

async function copy(
  source: FileHandle,
  target: FileHandle,
  from: number,
  to: number,
): Promise<void> {
  const chunk = Buffer.alloc(CHUNK)
  for (let at = from; at < to;) {
    const { bytesRead } = await source.read(chunk, 0, Math.min(CHUNK, to - at), at)
    if (bytesRead === 0) return
    // Whole, unlike `write`.
    await target.appendFile(chunk.subarray(0, bytesRead))
    at += bytesRead
  }
}
