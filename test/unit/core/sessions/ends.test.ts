import { describe, expect, it } from 'vitest'
import type { Agent } from '../../../../src/domain/records.ts'
import { createSessionEnds } from '../../../../src/core/sessions/session-ends.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import { makeAgent } from '../make-agent.ts'

/** A session at rest; `come`: how many messages wait for it, each time somebody looks. */
function world(come: number[]) {
  const agent = makeAgent({ kind: 'spawn', runtime: 'acp', paneId: 'r-1' as never, state: 'idle' })
  const changes: string[] = []
  const letGo: string[] = []
  const verbs = {
    agents: { get: async () => agent },
    outbox: { list: async () => Array.from({ length: come.shift() ?? 0 }, () => ({})) },
    runs: { finish: async () => true },
  }
  const ends = createSessionEnds({
    store: {
      ...verbs,
      transaction: async (work: (tx: unknown) => Promise<unknown>) => work(verbs),
      signal: async () => {},
    } as never,
    multiplexer: { endLeftBehind: async () => {} } as never,
    files: { remove: async () => {} } as never,
    clock: Date.now,
    log: silentLog(),
    states: {
      change: async (_id: string, { to }: { to: Agent['state'] }) => {
        changes.push(to)
        return { ...agent, state: to }
      },
    } as never,
    exits: { keepTranscript: async () => '' },
    panes: { close: async () => void letGo.push('pane') } as never,
    mailbox: { sendIn: async () => {} },
    results: { make: async () => ({}) as never },
    finalOutput: async () => ({ text: 'All is done.', turns: 1, reason: 'end_turn' }),
    limits: { ended: async () => {} },
    readUsage: async () => {},
  })
  return { agent, changes, letGo, ends }
}

describe('a session whose turn is over', () => {
  it('ends, and is let go', async () => {
    const { agent, changes, letGo, ends } = world([0, 0])
    await ends.turnOver(agent)
    expect(changes).toEqual(['completed'])
    expect(letGo).toEqual(['pane'])
  })

  it.each([
    ['waits', [1]],
    ['comes while its result is put together', [0, 1]],
  ])('goes on where something %s', async (_when, come) => {
    const { agent, changes, letGo, ends } = world(come)
    await ends.turnOver(agent)
    expect(changes).toEqual([])
    expect(letGo).toEqual([])
  })
})
