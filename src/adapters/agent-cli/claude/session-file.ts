import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { exists } from '../../../../packages/subagents/src/processes/signal.ts'
import type { LiveAgent, Observation } from '../agent-cli.ts'
import { ownPath } from '../../../domain/own-path.ts'
import { readJson, type Json } from './home.ts'

const seen = (state: Observation['state'], reason: string | null = null): Observation => ({
  state,
  reason,
  source: 'session',
})

/**
 * What the process says of itself; its pid may be a child’s of what the terminal shows, as with a
 * wrapper.
 */
async function ownWords(folder: string, live: LiveAgent): Promise<Json | undefined> {
  if (live.pid === null || !exists(live.pid)) return undefined
  const id = live.session?.id
  const confined = await confinedWords(join(ownPath(live.folder, folder), 'sessions'), id)
  if (confined !== undefined) return confined
  const sessions = join(folder, 'sessions')
  const direct = await readJson(join(sessions, `${live.pid}.json`))
  if (direct !== undefined) return direct['pid'] === live.pid ? direct : undefined
  if (id === undefined) return undefined
  for (const name of await readdir(sessions).catch(() => [])) {
    if (!/^\d+\.json$/.test(name)) continue
    const words = await readJson(join(sessions, name))
    if (words?.['sessionId'] === id && typeof words['pid'] === 'number' && exists(words['pid']))
      return words
  }
  return undefined
}

/**
 * Of a confined one: its folder is its own, and the pid is one of its namespace. Of former starts
 * files may be left; the newest is of the one that runs.
 */
async function confinedWords(sessions: string, id: string | undefined): Promise<Json | undefined> {
  const names = (await readdir(sessions).catch(() => [])).filter((name) => /^\d+\.json$/.test(name))
  const files = names.map((name) => join(sessions, name))
  const found = await Promise.all(
    files.map(async (file) => ({ at: (await stat(file)).mtimeMs, words: await readJson(file) })),
  ).catch(() => [])
  return found
    .filter(({ words }) => words !== undefined && (id === undefined || words['sessionId'] === id))
    .toSorted((one, other) => other.at - one.at)[0]?.words
}

/**
 * Claude Code keeps the state of each process in `sessions/<pid>.json`, and changes it within
 * milliseconds.
 */
export async function observeSession(folder: string, live: LiveAgent): Promise<Observation> {
  const words = await ownWords(folder, live)
  switch (words?.['status']) {
    case 'idle':
      return seen('idle')
    case 'busy':
    case 'shell':
      return seen('running')
    case 'waiting':
      return seen('waiting', typeof words['waitingFor'] === 'string' ? words['waitingFor'] : null)
    default:
      return seen('unknown')
  }
}
