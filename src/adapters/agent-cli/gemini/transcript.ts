import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Usage } from '../../../domain/records.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'

/**
 * Gemini CLI’s chat files (`<its home>/.gemini/tmp/<project>/chats/session-….jsonl`), as 0.61
 * writes them: a header line, then one line for each message, a later one with the same id in place
 * of the earlier; `$set` lines change the header, or all messages at once.
 */
export interface Chat {
  readonly sessionId: string
  /** Milliseconds since the epoch; of an import when it was imported. */
  readonly startedAt: number
  /** All that ever were, by id, in the order they came first. */
  readonly messages: ReadonlyMap<string, ChatMessage>
  /**
   * Ids of those that the model still has: a prompt that a person broke off before the model said
   * anything is taken back.
   */
  readonly kept: ReadonlySet<string>
}

export interface ChatMessage {
  readonly type: string
  readonly at: number
  readonly model: string | null
  readonly tokens: Readonly<Record<string, unknown>> | null
  /** What came from outside: prompts, what hooks added, results of tools. */
  readonly received: string
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

/** Every text in a value, however deep. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

function messageOf(line: Record<string, unknown>): ChatMessage {
  const type = String(line['type'])
  const results = Array.isArray(line['toolCalls'])
    ? line['toolCalls'].map((call: unknown) => record(call)['result'])
    : []
  return {
    type,
    at: Date.parse(String(line['timestamp'])),
    model: typeof line['model'] === 'string' ? line['model'] : null,
    tokens:
      typeof line['tokens'] === 'object' && line['tokens'] !== null ? record(line['tokens']) : null,
    received: textsIn(type === 'user' ? line['content'] : results).join('\n'),
  }
}

/** Null for a text that is no chat. A last line that is half written is passed over. */
export function parseChat(content: string): Chat | null {
  let sessionId: string | null = null
  let startedAt = 0
  const messages = new Map<string, ChatMessage>()
  let kept = new Set<string>()
  for (const text of content.split('\n')) {
    if (text === '') continue
    let line: Record<string, unknown>
    try {
      line = record(parseJson(text))
    } catch {
      if (sessionId === null) return null
      continue
    }
    const set = record(line['$set'])
    const id: unknown = line['sessionId'] ?? set['sessionId']
    if (typeof id === 'string') sessionId = id
    if (typeof line['startTime'] === 'string') startedAt = Date.parse(line['startTime'])
    if (sessionId === null) return null
    if (Array.isArray(set['messages'])) kept = new Set()
    for (const message of [
      line,
      ...(Array.isArray(set['messages']) ? set['messages'].map(record) : []),
    ]) {
      if (typeof message['id'] !== 'string' || typeof message['type'] !== 'string') continue
      messages.set(message['id'], messageOf(message))
      kept.add(message['id'])
    }
  }
  return sessionId === null ? null : { sessionId, startedAt, messages, kept }
}

export async function readChat(path: string): Promise<Chat | null> {
  try {
    return parseChat(await readFile(path, 'utf8'))
  } catch {
    return null
  }
}

/**
 * The chat file of a session below a home of Gemini CLI’s: of several the one that was written last
 * and holds a conversation.
 */
export async function findChat(home: string, sessionId: string): Promise<string | null> {
  const projects = join(home, '.gemini', 'tmp')
  const found: { path: string; at: number }[] = []
  for (const project of await readdir(projects).catch(() => [])) {
    const chats = join(projects, project, 'chats')
    for (const name of await readdir(chats).catch(() => [])) {
      if (!name.endsWith(`-${sessionId.slice(0, 8)}.jsonl`)) continue
      const path = join(chats, name)
      const chat = await readChat(path)
      if (chat?.sessionId === sessionId && tookPrompt(chat))
        found.push({ path, at: (await stat(path)).mtimeMs })
    }
  }
  return found.sort((a, b) => b.at - a.at)[0]?.path ?? null
}

/** Whether anything was asked of it: before, it may stand at a dialog. */
export const tookPrompt = (chat: Chat): boolean =>
  [...chat.messages.values()].some(
    ({ type, received }) =>
      type === 'user' && received !== '' && !/^<(session|hook)_context>/.test(received),
  )

/** Tokens by model, of this session alone: what an import brought along is older than it. */
export function usageOf({ messages, startedAt }: Chat): Usage {
  const models: Record<
    string,
    { input: number; output: number; cacheRead: number; cacheWrite: number }
  > = {}
  for (const { model, tokens, at } of messages.values()) {
    if (model === null || tokens === null || at < startedAt) continue
    const count = (key: string): number => {
      const value = tokens[key]
      return typeof value === 'number' ? value : 0
    }
    const used = (models[model] ??= { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 })
    // `input` is the whole prompt, with what came from the cache.
    used.input += Math.max(0, count('input') - count('cached')) + count('tool')
    used.output += count('output') + count('thoughts')
    used.cacheRead += count('cached')
  }
  return { models }
}

/**
 * A conversation to be taken over. Results of tools stand in it twice, with the call and as a
 * message of their own, and both would be sent to the model; the second is left out.
 */
export function forInheritance(content: string): string {
  const kept = content.split('\n').filter((text) => {
    if (!text.includes('"functionResponse"')) return text !== ''
    try {
      const line = record(parseJson(text))
      return (
        line['type'] !== 'user' ||
        !Array.isArray(line['content']) ||
        !line['content'].every((part: unknown) => 'functionResponse' in record(part))
      )
    } catch {
      return false
    }
  })
  return `${kept.join('\n')}\n`
}

/** Lines that are written here carry no time of their own: an import is dated anew. */
const UNDATED = new Date(0).toISOString()

export const newChat = (sessionId: string): string =>
  `${JSON.stringify({ sessionId, projectHash: 'none', startTime: UNDATED, lastUpdated: UNDATED, kind: 'main' })}\n`

/** A chat’s lines with a prompt at their end. */
export const chatWith = (lines: string, id: string, prompt: string): string =>
  `${lines}${JSON.stringify({ id, timestamp: UNDATED, type: 'user', content: [{ text: prompt }] })}\n`
