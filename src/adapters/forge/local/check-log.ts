import { open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const TAIL_LINES = 60
const TAIL_BYTES = 6_000
/** A check’s log is read back at most this far. */
const WHOLE_BYTES = 4_000_000

/**
 * Control sequences, strings (titles, links: introducer to terminator, within a line) and other escapes. Every part stops at the next
 * introducer, so that hostile text costs no more than its length; node:util’s stripVTControlCharacters takes its square.
 */
// oxlint-disable-next-line no-control-regex -- control characters are what this removes
const ESCAPE_SEQUENCE =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])(?:[^\u0007\u001b\u0080-\u009f\n]*(?:\u0007|\u001b\\|\u009c))?|\u001b[ -/]*[0-~]?/g

/** Text of programs as data: without escape sequences and control characters, what a carriage return overwrote left out. */
export function plainText(text: string): string {
  return text
    .replace(ESCAPE_SEQUENCE, '')
    .split('\n')
    .map((line) => {
      let end = line.length
      while (end > 0 && line[end - 1] === '\r') end -= 1
      const shown = line.slice(0, end)
      return shown.slice(shown.lastIndexOf('\r') + 1).replace(/[^\P{Cc}\t]/gu, '')
    })
    .join('\n')
}

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
export async function trimLogs(folder: string, bytes: number, keep: ReadonlySet<string>): Promise<void> {
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
