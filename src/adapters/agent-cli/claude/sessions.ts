import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { access, readdir, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { SessionRef } from '../settled.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const isReadable = (file: string): Promise<boolean> =>
  access(file, constants.R_OK).then(
    () => true,
    () => false,
  )

/**
 * The transcript of a session in the person’s `projects/<folder’s path>/<id>.jsonl`, whatever
 * folder it was begun in.
 */
async function keptTranscript(folder: string, id: string): Promise<string | null> {
  const projects = join(folder, 'projects')
  for (const project of await readdir(projects).catch(() => [])) {
    const file = join(projects, project, `${id}.jsonl`)
    if (await isReadable(file)) return file
  }
  return null
}

/**
 * The transcript that the program will find by the session’s id; null where there is none that can
 * be read.
 */
export async function findTranscript(folder: string, session: SessionRef): Promise<string | null> {
  // The id comes from a hook, and becomes an argument.
  if (!UUID.test(session.id)) return null
  // So does its file’s path: one of the session’s name in a project’s folder, and no link elsewhere.
  const { transcript } = session
  if (transcript !== null && (await isReadable(transcript))) {
    const [real, projects] = await Promise.all(
      [transcript, join(folder, 'projects')].map((path) => realpath(path).catch(() => path)),
    )
    const way = relative(projects ?? '', real ?? '').split(sep)
    if (way.length === 2 && way[0] !== '..' && way[1] === `${session.id}.jsonl`)
      return join(folder, 'projects', ...way)
  }
  return keptTranscript(folder, session.id)
}

/** So long after a step Claude Code may take to write it. Milliseconds. */
const WRITTEN_WITHIN = 3_000
const POLL = 50

/**
 * As `findTranscript`, of a session that goes on: an agent that spawns in its very first step is
 * there before its transcript is, which its program writes a moment after what stands in it.
 */
export async function awaitTranscript(folder: string, session: SessionRef): Promise<string | null> {
  // No file will ever be called so.
  if (!UUID.test(session.id)) return null
  for (const end = performance.now() + WRITTEN_WITHIN; ; await delay(POLL)) {
    const found = await findTranscript(folder, session)
    if (found !== null) return found
    if (performance.now() >= end) return null
  }
}

/**
 * An id that no session of the person’s has: the agent’s own, or one made from it where that was
 * used before. The program refuses one in use.
 */
export async function freeSessionId(folder: string, agentId: string): Promise<string> {
  for (let turn = 0; ; turn++) {
    const id = turn === 0 ? agentId : derived(`${agentId} ${turn}`)
    if ((await keptTranscript(folder, id)) === null) return id
  }
}

function derived(seed: string): string {
  const hex = createHash('sha256').update(seed).digest('hex')
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(18, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
