import { createReadStream } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Usage } from '../../../domain/records.ts'
import type { SessionRef } from '../settled.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'

/**
 * A line of a session’s file: `~/.codex/sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl`. A fork’s file
 * holds what came after the fork only.
 */
interface Line {
  readonly type: string
  readonly payload: Readonly<Record<string, unknown>>
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Undefined for what is no whole line: the last one may be being written. */
function parse(line: string): Line | undefined {
  try {
    const { type, payload } = parseJson(line) as Record<string, unknown>
    return typeof type === 'string' && isRecord(payload) ? { type, payload } : undefined
  } catch {
    return undefined
  }
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  )

/**
 * Path of the session’s file: the one that is known, or found by its id. Null where there is none.
 */
export async function findRollout(session: SessionRef, codexHome: string): Promise<string | null> {
  if (session.transcript !== null && (await isFile(session.transcript))) return session.transcript
  const sessions = join(codexHome, 'sessions')
  const found = await readdir(sessions, { recursive: true }).catch(() => [])
  const name = found.find((path) => path.endsWith(`-${session.id}.jsonl`))
  return name === undefined ? null : join(sessions, name)
}

async function* linesOf(path: string): AsyncGenerator<string> {
  yield* createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Infinity })
}

/**
 * What the model was shown from outside: prompts, what hooks added, results of tools. Not what it
 * said or called itself.
 */
const isShown = ({ type, payload }: Line): boolean =>
  type === 'response_item' &&
  (String(payload['type']).endsWith('_output') ||
    (payload['type'] === 'message' && payload['role'] !== 'assistant'))

export async function mentionedIn(path: string, words: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>()
  for await (const text of linesOf(path)) {
    const here = words.filter((word) => !found.has(word) && text.includes(word))
    if (here.length === 0) continue
    const line = parse(text)
    if (line !== undefined && isShown(line)) for (const word of here) found.add(word)
    if (found.size === words.length) break
  }
  return found
}

const count = (record: Readonly<Record<string, unknown>>, key: string): number => {
  const value = record[key]
  return typeof value === 'number' && value > 0 ? value : 0
}

/**
 * Adds the tokens of every answer of the session’s own. Input is what was neither read from nor
 * written to the cache.
 */
async function addUsage(
  models: Record<string, Usage['models'][string]>,
  path: string,
  sessionId: string,
): Promise<void> {
  let model = 'unknown'
  for await (const text of linesOf(path)) {
    if (!text.includes('"turn_context"') && !text.includes('"token_usage_record"')) continue
    const line = parse(text)
    if (line?.type === 'turn_context' && typeof line.payload['model'] === 'string')
      model = line.payload['model']
    const used = line?.payload['usage']
    if (
      line?.type !== 'token_usage_record' ||
      line.payload['thread_id'] !== sessionId ||
      !isRecord(used)
    )
      continue
    const before = models[model] ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
    const [cacheRead, cacheWrite] = [
      count(used, 'cached_input_tokens'),
      count(used, 'cache_write_input_tokens'),
    ]
    models[model] = {
      input: before.input + Math.max(0, count(used, 'input_tokens') - cacheRead - cacheWrite),
      output: before.output + count(used, 'output_tokens'),
      cacheRead: before.cacheRead + cacheRead,
      cacheWrite: before.cacheWrite + cacheWrite,
    }
  }
}

/** Of the sessions that have a file, by model. */
export async function usageOf(sessions: readonly SessionRef[], codexHome: string): Promise<Usage> {
  const models: Record<string, Usage['models'][string]> = {}
  for (const session of sessions) {
    const path = await findRollout(session, codexHome)
    if (path !== null) await addUsage(models, path, session.id)
  }
  return { models }
}

/** Of the end of a file as much as surely holds the last turn’s beginning or end. Bytes. */
const TAIL = 256 * 1024

export interface Turn {
  readonly state: 'working' | 'complete' | 'interrupted'
  /**
   * Why it ended before its time, such as a refusal of the model’s provider: no hook reports that.
   */
  readonly failure: string | null
}

const LONGEST_FAILURE = 200

/** One line, without what could steer a terminal. */
function failureOf(error: unknown): string | null {
  const message = isRecord(error) ? error['message'] : error
  if (typeof message !== 'string' || message === '') return null
  return message.replace(/[\u0000-\u001F\u007F-\u009F\s]+/g, ' ').slice(0, LONGEST_FAILURE)
}

/** The turn that began last; undefined where the end of the file has none. */
export async function lastTurn(path: string): Promise<Turn | undefined> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(Math.min(TAIL, size)),
      0,
      Math.min(TAIL, size),
      Math.max(0, size - TAIL),
    )
    for (const text of buffer.toString('utf8', 0, bytesRead).split('\n').toReversed()) {
      const payload = text.includes('"event_msg"') ? parse(text)?.payload : undefined
      if (payload?.['type'] === 'task_started') return { state: 'working', failure: null }
      if (payload?.['type'] === 'task_complete')
        return { state: 'complete', failure: failureOf(payload['error']) }
      if (payload?.['type'] === 'turn_aborted') return { state: 'interrupted', failure: null }
    }
    return undefined
  } finally {
    await file.close()
  }
}
