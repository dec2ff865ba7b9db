import type { Usage } from '../../../domain/records.ts'
import {
  read,
  readSession,
  request,
  type Answer,
  type OpenCodeServer,
  type SessionInfo,
} from './api.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'

interface Tokens {
  readonly input: number
  readonly output: number
  readonly reasoning: number
  readonly cache: { readonly read: number; readonly write: number }
}
interface Message {
  readonly info: {
    readonly role: string
    readonly modelID?: string
    readonly tokens?: Tokens
    readonly time: { readonly created: number }
  }
}

/** Messages of one page. A long conversation is megabytes: tools’ results are in it. */
const PAGE = 50

/** Pages of a session, newest first, as text; null in place of one that can’t be read. */
async function* pages(server: OpenCodeServer, id: string): AsyncGenerator<string | null> {
  let before: string | null = null
  do {
    const answer: Answer | null = await request(
      server,
      'GET',
      `/session/${encodeURIComponent(id)}/message`,
      {
        query: { limit: String(PAGE), ...(before !== null && { before }) },
        timeout: 5000,
      },
    ).catch(() => null)
    if (answer === null || answer.kind === 'refused' || answer.status !== 200) {
      yield null
      return
    }
    yield answer.text
    before = answer.next
  } while (before !== null)
}

/**
 * Which of the words stand in the session; null where some are missing and it can’t be read whole:
 * they may stand on a page that can’t be.
 */
export async function mentionsIn(
  server: OpenCodeServer,
  id: string,
  words: readonly string[],
): Promise<ReadonlySet<string> | null> {
  const found = new Set<string>()
  for await (const page of pages(server, id)) {
    if (page === null) return null
    for (const word of words) if (page.includes(word)) found.add(word)
    if (found.size === words.length) break
  }
  return found
}

/**
 * Of the session and of those its subagents had. A fork’s copies keep the time they were first
 * made.
 */
export async function usageOf(server: OpenCodeServer, id: string): Promise<Usage | null> {
  const session = await readSession(server, id)
  if (session === null) return null
  const children =
    (await read<readonly SessionInfo[]>(server, `/session/${encodeURIComponent(id)}/children`)) ??
    []
  const models: Record<
    string,
    { input: number; output: number; cacheRead: number; cacheWrite: number }
  > = {}
  for (const { id: each, time } of [session, ...children]) {
    for await (const page of pages(server, each)) {
      if (page === null) return null
      const messages = parseJson(page) as readonly Message[]
      for (const { info } of messages) if (info.time.created >= time.created) add(models, info)
      if (messages.some(({ info }) => info.time.created < time.created)) break
    }
  }
  return { models }
}

function add(
  models: Record<string, { input: number; output: number; cacheRead: number; cacheWrite: number }>,
  info: Message['info'],
): void {
  const { modelID, tokens } = info
  if (info.role !== 'assistant' || modelID === undefined || tokens === undefined) return
  const sum = (models[modelID] ??= { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 })
  sum.input += tokens.input
  sum.output += tokens.output + tokens.reasoning
  sum.cacheRead += tokens.cache.read
  sum.cacheWrite += tokens.cache.write
}
