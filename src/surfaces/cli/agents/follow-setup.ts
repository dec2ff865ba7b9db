import type { Client } from '../../client.ts'
import { printableLine } from '../../text/printable.ts'

/**
 * What is done for agents that are being spawned, as far as the daemon says it, for beside a
 * spinner. A daemon that says nothing is not waited for.
 */
export function followSetup(client: Client): { words: () => string; stop: () => void } {
  const leaving = new AbortController()
  let said = ''
  const follow = async (): Promise<void> => {
    const events = client.events({
      follow: true,
      last: 0,
      types: ['agent.state'],
      signal: leaving.signal,
    })
    for await (const { payload } of events) {
      const { to, reason } = payload as { to?: unknown; reason?: unknown }
      if (to === 'spawning' && typeof reason === 'string') said = `: ${printableLine(reason)}`
    }
  }
  follow().catch(() => undefined)
  return { words: () => said, stop: () => leaving.abort(new Error('left')) }
}
