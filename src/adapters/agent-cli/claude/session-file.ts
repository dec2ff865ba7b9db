import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { exists } from '../../../../packages/subagents/src/processes/signal.ts'
import type { LiveAgent, Observation } from '../agent-cli.ts'
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
  const sessions = join(folder, 'sessions')
  const direct = await readJson(join(sessions, `${live.pid}.json`))
  if (direct !== undefined) return direct['pid'] === live.pid ? direct : undefined
  const id = live.session?.id
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
