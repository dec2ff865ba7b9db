import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LaunchPlan, LaunchRequest, PlannedFile } from '../agent-cli.ts'
import { homeIn } from './home.ts'
import { chatWith, findChat, forInheritance, newChat, parseChat, tookPrompt } from './transcript.ts'

type Session = Pick<LaunchPlan, 'session' | 'sessionId'> & {
  argv: readonly string[]
  files: readonly PlannedFile[]
  warnings: readonly string[]
}

/** A UUID (version 8) that is the same for the same words. */
function uuidOf(words: string): string {
  const hex = createHash('sha256').update(words).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Of an agent’s starts each has a session of its own. */
async function freshId(request: LaunchRequest): Promise<string> {
  for (let start = 1; ; start++) {
    const id = uuidOf(`${request.agentId} gemini ${start}`)
    if ((await findChat(homeIn(request.folder), id)) === null) return id
  }
}

interface Inherited {
  readonly content: string | null
  /** Why there is none, where one was asked for. */
  readonly warnings: readonly string[]
}

async function inherit(
  name: string,
  { mode, session }: LaunchRequest,
  own: string | null,
): Promise<Inherited> {
  if (mode === 'start') return { content: null, warnings: [] }
  const path = own ?? session?.transcript ?? null
  const without = (why: string): Inherited => ({
    content: null,
    warnings: [
      `${name} starts without ${mode === 'fork' ? 'its parent’s' : 'its own'} conversation: ${why}.`,
    ],
  })
  if (session === null || path === null) return without('no file of it is known')
  const content = await readFile(path, 'utf8').catch(() => null)
  if (content === null) return without(`its file ${path} can’t be read`)
  const chat = parseChat(content)
  return chat === null || !tookPrompt(chat)
    ? without('what is kept of it is none of Gemini CLI’s')
    : { content: forInheritance(content), warnings: [] }
}

/**
 * Which conversation the program begins with. A prompt that is too long for an argument (`long`) is
 * put at the end of that conversation: there it is read whole, while its tool for files stops at
 * 2,000 lines and asks about folders outside the worktree.
 */
export async function sessionFor(
  name: string,
  request: LaunchRequest,
  long: string | null,
): Promise<Session> {
  const { mode, session, folder } = request
  const own = session === null ? null : await findChat(homeIn(folder), session.id)
  if (mode === 'resume' && session !== null && own !== null && long === null) {
    return {
      session: 'resumed',
      sessionId: session.id,
      argv: [`--resume=${session.id}`],
      files: [],
      warnings: [],
    }
  }
  const { content, warnings } = await inherit(name, request, own)
  const sessionId = await freshId(request)
  if (content === null && long === null)
    return { session: 'fresh', sessionId, argv: [`--session-id=${sessionId}`], files: [], warnings }
  const chat = content ?? newChat(sessionId)
  const path = join(folder, 'inherited.jsonl')
  return {
    session: content === null ? 'fresh' : mode === 'fork' ? 'forked' : 'resumed',
    // An imported conversation gets an id that can’t be chosen; its SessionStart hook reports it.
    sessionId: null,
    argv: [`--session-file=${path}`],
    files: [{ path, content: long === null ? chat : chatWith(chat, uuidOf(sessionId), long) }],
    warnings,
  }
}
