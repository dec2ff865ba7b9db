import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Usage } from '../../../domain/records.ts'
import { isObject, type Json } from './home.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'

type Tokens = { input: number; output: number; cacheRead: number; cacheWrite: number }

/** What was read of one file so far. */
interface Reading {
  offset: number
  /** Bytes of a line whose end is not written yet. */
  rest: Buffer
  /** Ids of messages in what reached the conversation. */
  readonly mentioned: Set<string>
  /** By id of the answer: one answer is written in several lines, each with the usage so far. */
  readonly answers: Map<string, { readonly model: string; readonly tokens: Tokens }>
}

export interface Transcripts {
  /** Null where the file can’t be read. */
  mentions(file: string, ids: readonly string[]): Promise<ReadonlySet<string> | null>
  /** Of this session only, its subagents’ included; null where the file can’t be read. */
  usage(file: string, sessionId: string): Promise<Usage | null>
}

const CHUNK = 1024 * 1024
/** Files that are remembered; an agent has one, and one for each subagent of its program’s. */
const MAX_FILES = 500
const MESSAGE_ID = /\bm-[0-9a-f]{12}\b/g

/**
 * Reads Claude Code’s transcripts, lines of JSON that only grow, each part once. Prompts are `user`
 * lines, and so are tools’ results; what hooks add and what was queued while a turn ran are
 * `attachment`s. A fork’s file begins with its parent’s lines, which keep their `session_id`.
 */
export function createTranscripts(): Transcripts {
  const readings = new Map<string, Reading>()
  const turns = new Map<string, Promise<unknown>>()

  const take = (reading: Reading, line: string): void => {
    // Requests as sent are kept too; they say everything a second time, at length.
    if (
      !line.includes('"type":"user"') &&
      !line.includes('"type":"attachment"') &&
      !line.includes('"type":"assistant"')
    )
      return
    let entry: unknown
    try {
      entry = parseJson(line)
    } catch {
      return
    }
    if (!isObject(entry)) return
    if (entry['type'] === 'assistant') countAnswer(reading, entry)
    else if ((entry['type'] === 'user' || entry['type'] === 'attachment') && !isPointer(entry))
      for (const [id] of line.matchAll(MESSAGE_ID)) reading.mentioned.add(id)
  }

  const readOn = async (file: string): Promise<Reading | null> => {
    const handle = await open(file, 'r').catch(() => null)
    if (handle === null) return null
    try {
      const { size } = await handle.stat()
      const known = readings.get(file)
      const reading: Reading =
        known !== undefined && known.offset <= size
          ? known
          : { offset: 0, rest: Buffer.alloc(0), mentioned: new Set(), answers: new Map() }
      readings.delete(file)
      readings.set(file, reading)
      for (const oldest of readings.keys()) {
        if (readings.size <= MAX_FILES) break
        readings.delete(oldest)
      }
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(size - reading.offset, 1)))
      for (;;) {
        const { bytesRead } = await handle.read(chunk, 0, chunk.length, reading.offset)
        if (bytesRead === 0) return reading
        reading.offset += bytesRead
        const text = Buffer.concat([reading.rest, chunk.subarray(0, bytesRead)])
        const end = text.lastIndexOf(10)
        reading.rest = text.subarray(end + 1)
        if (end >= 0)
          for (const line of text.toString('utf8', 0, end).split('\n')) take(reading, line)
      }
    } catch {
      return null
    } finally {
      await handle.close()
    }
  }

  /** One reader at a time for each file. */
  const follow = (file: string): Promise<Reading | null> => {
    const turn = (turns.get(file) ?? Promise.resolve()).then(() => readOn(file))
    turns.set(file, turn)
    void turn.then(() => {
      if (turns.get(file) === turn) turns.delete(file)
    })
    return turn
  }

  return {
    mentions: async (file, ids) => {
      const reading = await follow(file)
      return reading === null ? null : new Set(ids.filter((id) => reading.mentioned.has(id)))
    },
    usage: async (file, sessionId) => {
      const reading = await follow(file)
      if (reading === null) return null
      const folder = join(file.replace(/\.jsonl$/, ''), 'subagents')
      const names = (await readdir(folder).catch(() => [])).filter((name) =>
        name.endsWith('.jsonl'),
      )
      const all = [reading, ...(await Promise.all(names.map((name) => follow(join(folder, name)))))]
      const models: Record<string, Tokens> = {}
      const counted = new Set<string>()
      for (const { answers } of all.filter((one) => one !== null)) {
        for (const [key, { model, tokens }] of answers) {
          if (!key.startsWith(`${sessionId} `) || counted.has(key)) continue
          counted.add(key)
          const sum = (models[model] ??= { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 })
          sum.input += tokens.input
          sum.output += tokens.output
          sum.cacheRead += tokens.cacheRead
          sum.cacheWrite += tokens.cacheWrite
        }
      }
      return { models }
    },
  }
}

/**
 * A line that was typed in the place of a message proves nothing of the message itself, also where
 * the program took it for a paste.
 */
const POINTER =
  /^\s*(?:<pasted_content\b[^>]*>\s*)?\[exomonad\] [^]*the whole message comes with this prompt/

function isPointer({ message, attachment }: Json): boolean {
  const said = isObject(message)
    ? message['content']
    : isObject(attachment)
      ? attachment['prompt']
      : undefined
  return typeof said === 'string' && POINTER.test(said)
}

const count = (usage: Json, key: string): number =>
  typeof usage[key] === 'number' ? usage[key] : 0

function countAnswer(reading: Reading, entry: Json): void {
  const message = entry['message']
  if (
    !isObject(message) ||
    typeof message['id'] !== 'string' ||
    typeof message['model'] !== 'string' ||
    !isObject(message['usage'])
  )
    return
  // What the program itself puts in the model’s mouth, such as the wording of an API error.
  if (message['model'].startsWith('<')) return
  const session = entry['session_id'] ?? entry['sessionId']
  if (typeof session !== 'string') return
  const usage = message['usage']
  reading.answers.set(`${session} ${message['id']}`, {
    model: message['model'],
    tokens: {
      input: count(usage, 'input_tokens'),
      output: count(usage, 'output_tokens'),
      cacheRead: count(usage, 'cache_read_input_tokens'),
      cacheWrite: count(usage, 'cache_creation_input_tokens'),
    },
  })
}
