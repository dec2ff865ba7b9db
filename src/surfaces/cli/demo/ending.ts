import type { WireEvent } from '../../client.ts'

/** How it ended: the root said so and went idle, or something that will not fix itself. */
export type Ending =
  | { readonly kind: 'finished' }
  | { readonly kind: 'stuck'; readonly reason: string }

/** Fed with every event in order; returns the ending once it is there. */
export function createEnding(rootId: string): (event: WireEvent) => Ending | null {
  let finished = false
  const stuck = (reason: string): Ending => ({ kind: 'stuck', reason })
  return ({ type, agentId, payload }) => {
    const message = String(payload['message'] ?? '')
    if (type === 'note' && message.startsWith('Stuck:'))
      return stuck(`${String(payload['name'])} says: ${message}`)
    if (type === 'note' && agentId === rootId && message.startsWith('Finished:')) finished = true
    if (type === 'agent.failed')
      return stuck(`${String(payload['name'])} failed: ${String(payload['reason'])}`)
    if (type === 'spawn.failed')
      return stuck(`${String(payload['name'])} could not be spawned: ${String(payload['error'])}`)
    return finished && type === 'agent.idle' && agentId === rootId ? { kind: 'finished' } : null
  }
}
