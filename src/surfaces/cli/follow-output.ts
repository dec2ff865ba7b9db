import { open } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import type { OutputStream } from './context.ts'
import { pause } from './pause.ts'
import { printable } from './printable.ts'

const LOOK_EVERY = 50
const CHUNK = 256 * 1024
/** Of a line that doesn’t end so many characters are held back, lest an escape sequence in it is cut. */
const LONGEST_LINE = 1024 * 1024

/**
 * Prints what is written to a file, from its beginning: lines as they come, made printable, and what is written of one when it goes no further.
 * Ends when all is printed that stood in it when
 * `written` was aborted, and at once with `given`. The file may not be there yet.
 */
export async function followOutput(stream: OutputStream, file: string, { written, given }: { written: AbortSignal; given: AbortSignal }): Promise<void> {
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
  const readOn = async (): Promise<void> => {
    const before = at
    const handle = await open(file).catch(() => undefined)
    try {
      while (handle !== undefined && !given.aborted) {
        const { bytesRead } = await handle.read(buffer, 0, CHUNK, at)
        if (bytesRead === 0) break
        at += bytesRead
        await take(decoder.write(buffer.subarray(0, bytesRead)))
      }
    } finally {
      await handle?.close()
    }
    // Nothing more came of the line: it asks something, and waits.
    if (at === before && held !== '') await print(held, true)
  }
  while (!given.aborted) {
    const last = written.aborted
    await readOn()
    if (last) break
    await pause(LOOK_EVERY, written, given)
  }
  if (given.aborted) return
  const rest = held + decoder.end()
  await print(rest === '' && !inLine ? '' : `${rest}\n`)
}
