import { open, stat, type FileHandle } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import { readCutNotice } from '../../../domain/formats/output-notices.ts'
import type { OutputStream } from '../../text/terminal.ts'
import { pause } from '../pause.ts'
import { printable } from '../../text/printable.ts'

const LOOK_EVERY = 50
const CHUNK = 256 * 1024
/**
 * Of a line that doesn’t end so many characters are held back, lest an escape sequence in it is
 * cut.
 */
const LONGEST_LINE = 1024 * 1024
const MARK = '[exomonad] '
const LONGEST_NOTICE = 500

/**
 * Prints what is written to a file, from its beginning: lines as they come, made printable, and
 * what is written of one when it goes no further. Ends when all is printed that stood in it when
 * `written` was aborted, and at once with `given`. The file may not be there yet, and lose its
 * middle meanwhile (processes/host/bounded-file.ts): for what of that was not read by then, its
 * notice is printed.
 */
export async function followOutput(
  stream: OutputStream,
  path: string,
  { written, given }: { written: AbortSignal; given: AbortSignal },
): Promise<void> {
  const decoder = new StringDecoder('utf8')
  const buffer = Buffer.alloc(CHUNK)
  let at = 0
  let held = ''
  let inLine = false
  const print = async (text: string, part = false): Promise<void> => {
    if (part) held = ''
    if (text === '') return
    inLine = part
    await new Promise<void>((resolve) => void stream.write(printable(text), () => resolve()))
  }
  const take = async (text: string): Promise<void> => {
    const whole = held + text
    const end = whole.length > LONGEST_LINE ? whole.length : whole.lastIndexOf('\n') + 1
    held = whole.slice(end)
    await print(whole.slice(0, end))
  }
  let file: FileHandle | undefined
  const readToEnd = async (): Promise<void> => {
    while (file !== undefined && !given.aborted) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK, at)
      if (bytesRead === 0) break
      at += bytesRead
      await take(decoder.write(buffer.subarray(0, bytesRead)))
    }
  }
  const readOn = async (): Promise<void> => {
    const before = at
    const now = await stat(path).catch(() => undefined)
    await readToEnd()
    if (now !== undefined && now.ino !== (await file?.stat())?.ino) {
      // It was written anew without its middle. The one before is whole now, and the same text
      // stands elsewhere in this one.
      await readToEnd()
      const next = await open(path).catch(() => undefined)
      if (next !== undefined) {
        at = file === undefined ? 0 : await samePlace(file, at, next)
        await file?.close()
        file = next
        await readToEnd()
      }
    }
    // Nothing more came of the line: it asks something, and waits.
    if (at === before && held !== '') await print(held, true)
  }
  try {
    while (!given.aborted) {
      const last = written.aborted
      await readOn()
      if (last) break
      await pause(LOOK_EVERY, written, given)
    }
  } finally {
    await file?.close()
  }
  if (given.aborted) return
  const rest = held + decoder.end()
  await print(rest === '' && !inLine ? '' : `${rest}\n`)
}

interface Gap {
  readonly bytes: number
  /** Where the notice stands that is there in their place. */
  readonly at: number
  readonly notice: number
}

/**
 * A place in one file as that in another, which has lost more of what was ever written. What is
 * gone by then is read as its notice.
 */
async function samePlace(from: FileHandle, at: number, to: FileHandle): Promise<number> {
  const before = await gapOf(from)
  const gap = await gapOf(to)
  const written = before === null || at <= before.at ? at : at + before.bytes - before.notice
  if (gap === null || written <= gap.at) return written
  const there = written - gap.bytes + gap.notice
  return there < gap.at + gap.notice ? gap.at : there
}

async function gapOf(file: FileHandle): Promise<Gap | null> {
  const buffer = Buffer.alloc(CHUNK)
  for (let from = 0; ; from += CHUNK - LONGEST_NOTICE) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK, from)
    const text = buffer.toString('latin1', 0, bytesRead)
    for (let begin = text.indexOf(MARK); begin !== -1; begin = text.indexOf(MARK, begin + 1)) {
      const notice = readCutNotice(text.slice(begin, begin + LONGEST_NOTICE))
      if (notice !== undefined)
        return { bytes: notice.gone, at: from + begin, notice: notice.length }
    }
    // Of one that lies across the end of what was read, the next piece has all.
    if (bytesRead < CHUNK) return null
  }
}
