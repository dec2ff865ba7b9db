import type { Store } from '../../src/adapters/store/store.ts'
import type { Member } from './enroll.ts'
import type { PostOffice } from './rounds.ts'

/**
 * Mailboxes of the daemon: these agents wait, one more sends. Whether they wait is read from the
 * store, past the daemon.
 */
export function officeOf(members: readonly Member[], sender: Member, store: Store): PostOffice {
  const closing = new AbortController()
  const asked = new Map<number, number>()
  const at = (box: number): Member => {
    const member = members[box]
    if (member === undefined) throw new Error(`there is no box ${box}`)
    return member
  }
  return {
    boxes: members.length,
    wait: (box) => {
      asked.set(box, Date.now())
      return at(box).client.callTool(
        'wait',
        { timeout: 3600 },
        { signal: closing.signal },
      ) as Promise<{ message: string }>
    },
    send: (box, message) => sender.client.callTool('send', { to: at(box).id, message }),
    isWaiting: async (box) => {
      const agent = await store.agents.get(at(box).id)
      return agent?.state === 'waiting' && agent.stateAt >= (asked.get(box) ?? 0)
    },
    close: () => closing.abort(),
  }
}
