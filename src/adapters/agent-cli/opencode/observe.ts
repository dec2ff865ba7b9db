import type { Observation } from '../agent-cli.ts'
import { read, type OpenCodeServer } from './api.ts'

interface Status {
  readonly type: 'idle' | 'busy' | 'retry'
  readonly message?: string
}
interface Permission {
  readonly permission: string
  readonly patterns: readonly string[]
}

/**
 * What its server says. Sessions that do nothing are not in the list; those of its subagents are.
 */
export async function observeServer(
  server: OpenCodeServer,
  directory: string,
  hasBegun: boolean,
): Promise<Observation> {
  const query = { directory }
  const [statuses, permissions, questions] = await Promise.all([
    read<Readonly<Record<string, Status>>>(server, '/session/status', { query }),
    read<readonly Permission[]>(server, '/permission', { query }),
    read<readonly unknown[]>(server, '/question', { query }),
  ])
  const seen = (state: Observation['state'], reason: string | null = null): Observation => ({
    state,
    reason,
    source: 'session',
  })
  if (statuses === null || permissions === null || questions === null)
    return seen('unknown', 'its server does not answer')
  const [asked] = permissions
  if (asked !== undefined)
    return seen(
      'waiting',
      `permission to use ${asked.permission}: ${asked.patterns.join(', ')}`.slice(0, 200),
    )
  if (questions.length > 0) return seen('waiting', 'it asks in its terminal')
  const busy = Object.values(statuses).filter(({ type }) => type !== 'idle')
  // Its first prompt is on its way.
  if (busy.length === 0) return hasBegun ? seen('idle') : seen('running', 'it begins')
  const retry = busy.find(({ type }) => type === 'retry')
  return seen(
    'running',
    retry === undefined ? null : `its model is tried again: ${retry.message ?? ''}`.slice(0, 200),
  )
}
