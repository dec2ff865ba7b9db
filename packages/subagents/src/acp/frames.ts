import type { Readable, Writable } from 'node:stream'
import { once } from 'node:events'
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'
import { parseJson } from '../parse-json.ts'

/** A longer line is passed over. Bytes. */
const LONGEST_FRAME = 64 * 1024 * 1024
const NEWLINE = 0x0a

/**
 * Lines of a byte stream without their ends; those that are too long are reported and left out.
 * Waits while one is being used.
 */
export async function* linesOf(
  input: AsyncIterable<Uint8Array>,
  tooLong: (bytes: number) => void,
  limit = LONGEST_FRAME,
): AsyncGenerator<string> {
  let pending: Uint8Array[] = []
  let size = 0
  const take = (last: Uint8Array): string | undefined => {
    const bytes = size + last.length
    const line = bytes > limit ? undefined : Buffer.concat([...pending, last]).toString('utf8')
    if (line === undefined) tooLong(bytes)
    pending = []
    size = 0
    return line
  }
  for await (const chunk of input) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      const line = take(chunk.subarray(from, at))
      from = at + 1
      if (line !== undefined) yield line
    }
    const rest = chunk.subarray(from)
    size += rest.length
    if (size > limit) pending = []
    else if (rest.length > 0) pending.push(rest)
  }
  const last = size === 0 ? undefined : take(new Uint8Array())
  if (last !== undefined) yield last
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The messages of a program on its standard streams, for the SDK, whose own reader answers what is
 * no message at all and keeps what is not yet handled in memory: here updates go to `update` in the
 * order in which they come, and the next is read when that one was taken; lines that make no sense
 * are reported and passed over. Ends with the program’s output: `done`, once all of it was taken.
 */
export function createFrames(options: {
  input: Readable
  output: Writable
  /** Parameters of a `session/update`. */
  update: (params: Record<string, unknown>) => void | Promise<void>
  odd: (kind: string, what: string) => void
}): Stream & { readonly done: Promise<void> } {
  const { input, output, update, odd } = options
  /** Requests of ours that wait for an answer. */
  const asked = new Set<unknown>()

  /** Whatever whoever uses an update makes of it, the next one is read. */
  async function take(params: Record<string, unknown>): Promise<void> {
    try {
      await update(params)
    } catch (error) {
      odd('handler', `an update that could not be used: ${String(error)}`)
    }
  }

  async function read(line: string, pass: (message: AnyMessage) => void): Promise<void> {
    if (line.trim() === '') return
    let message: unknown
    try {
      message = parseJson(line)
    } catch {
      return odd('frame', `a line that is no JSON: ${shorten(line)}`)
    }
    if (!isRecord(message)) return odd('frame', `a line that is no message: ${shorten(line)}`)
    const { method, id, params } = message
    if (typeof method === 'string') {
      if (method === 'session/update' && id === undefined)
        return isRecord(params) ? await take(params) : odd('update', 'an update without parameters')
      // Other notifications are extensions, which whoever doesn’t know them ignores.
      if (id === undefined && !method.startsWith('$/')) return
      return pass({ ...message, jsonrpc: '2.0' } as AnyMessage)
    }
    if (id === undefined || !('result' in message || 'error' in message))
      return odd('frame', `a line that is no message: ${shorten(line)}`)
    if (!asked.delete(id))
      return odd('answer', `an answer to a question that was not asked: ${shorten(line)}`)
    pass({ ...message, jsonrpc: '2.0' } as AnyMessage)
  }

  let done = (): void => {}
  const taken = new Promise<void>((resolve) => {
    done = resolve
  })
  const readable = new ReadableStream<AnyMessage>({
    start: (controller) => {
      const run = async (): Promise<void> => {
        try {
          const lines = linesOf(input as AsyncIterable<Uint8Array>, (bytes) =>
            odd('long', `a line of ${bytes} bytes, which is too long`),
          )
          for await (const line of lines) await read(line, (message) => controller.enqueue(message))
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE')
            odd('read', `its output could not be read: ${String(error)}`)
        }
        try {
          controller.close()
        } catch {
          // Cancelled before.
        }
      }
      void run().finally(done)
    },
  })
  const writable = new WritableStream<AnyMessage>({
    write: async (message) => {
      if ('method' in message && 'id' in message) asked.add(message.id)
      if (output.destroyed || !output.writable) throw new Error('its input is closed')
      if (!output.write(`${JSON.stringify(message)}\n`))
        await Promise.race([once(output, 'drain'), once(output, 'close')])
    },
  })
  return { readable, writable, done: taken }
}

const shorten = (line: string): string => (line.length > 200 ? `${line.slice(0, 200)}…` : line)
