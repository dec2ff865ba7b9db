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
 * Prints what is written to a file, from its beginning: whole lines as they come, made printable. Ends when all is printed that stood in it when
 * `written` was aborted, and at once with `given`. The file may not be there yet.
 */
export async function followOutput(stream: OutputStream, file: string, { written, given }: { written: AbortSignal; given: AbortSignal }): Promise<void> {
  const decoder = new StringDecoder('utf8')
  const buffer = Buffer.alloc(CHUNK)
  let at = 0
  let held = ''
  const print = async (text: string): Promise<void> => {
    if (text !== '') await new Promise<void>((resolve) => void stream.write(printable(text), () => resolve()))
  }
  const take = async (text: string): Promise<void> => {
    const whole = held + text
    const end = whole.length > LONGEST_LINE ? whole.length : whole.lastIndexOf('\n') + 1
    held = whole.slice(end)
    await print(whole.slice(0, end))
  }
  const readOn = async (): Promise<void> => {
    const handle = await open(file).catch(() => undefined)
    try {
      while (handle !== undefined && !given.aborted) {
        const { bytesRead } = await handle.read(buffer, 0, CHUNK, at)
        if (bytesRead === 0) return
        at += bytesRead
        await take(decoder.write(buffer.subarray(0, bytesRead)))
      }
    } finally {
      await handle?.close()
    }
  }
  while (!given.aborted) {
    const last = written.aborted
    await readOn()
    if (last) break
    await pause(LOOK_EVERY, written, given)
  }
  if (given.aborted) return
  const rest = held + decoder.end()
  await print(rest === '' ? '' : `${rest}\n`)
}
