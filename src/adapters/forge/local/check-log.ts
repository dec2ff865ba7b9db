import { open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { plainText } from '../plain-text.ts'

const TAIL_LINES = 60
const TAIL_BYTES = 6_000
/** A check’s log is read back at most this far. */
const WHOLE_BYTES = 4_000_000

/** The end of a file, at most `bytes` of it; empty where there is none. */
async function readEnd(path: string, bytes: number): Promise<{ text: string; cut: boolean }> {
  const file = await open(path, 'r').catch(() => null)
  if (file === null) return { text: '', cut: false }
  try {
    const { size } = await file.stat()
    const length = Math.min(size, bytes)
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length)
    return { text: buffer.toString('utf8'), cut: size > bytes }
  } finally {
    await file.close()
  }
}

/** The last lines of a log, for events and prompts. */
export async function logTail(path: string): Promise<string> {
  const { text } = await readEnd(path, 4 * TAIL_BYTES)
  const tail = plainText(text).trimEnd().split('\n').slice(-TAIL_LINES).join('\n')
  return tail.length <= TAIL_BYTES ? tail : `…${tail.slice(-TAIL_BYTES)}`
}

export async function wholeLog(path: string): Promise<string> {
  const { text, cut } = await readEnd(path, WHOLE_BYTES)
  return cut ? `[the beginning is in ${path}]\n${plainText(text)}` : plainText(text)
}

/** Removes the oldest logs until all together are within `bytes`; `keep` stay. */
export async function trimLogs(
  folder: string,
  bytes: number,
  keep: ReadonlySet<string>,
): Promise<void> {
  const files = await Promise.all(
    (await readdir(folder).catch(() => [])).map(async (name) => {
      const path = join(folder, name)
      const facts = await stat(path).catch(() => null)
      return { path, size: facts?.size ?? 0, at: facts?.mtimeMs ?? 0 }
    }),
  )
  let total = files.reduce((sum, file) => sum + file.size, 0)
  for (const file of files.sort((a, b) => a.at - b.at)) {
    if (total <= bytes) return
    if (keep.has(file.path)) continue
    await rm(file.path, { force: true })
    total -= file.size
  }
}
