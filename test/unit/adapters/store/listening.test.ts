import { expect, it } from 'vitest'
import { createListening } from '../../../../src/adapters/store/postgres/listening.ts'
import type { Session } from '../../../../src/adapters/store/postgres/session.ts'
import { newAgentId, type AgentId } from '../../../../src/domain/ids.ts'
import { silentLog } from '../../../../src/runtime/log.ts'

/** A connection that answers from `answer` on, and writes down what it runs. */
function makeSession() {
  const ran: string[] = []
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const session = {
    ...{ up: true, ran, answer },
    run: (text: string) => {
      ran.push(text)
      return answered
    },
    onNotified: () => {},
    isUp: () => session.up,
  }
  return session
}
const asSession = (session: ReturnType<typeof makeSession>) => session as unknown as Session
const listen = (agentId: AgentId) => `listen "agent_event_${agentId}"`

it('begins also for who subscribes while the connection is being made again', async () => {
  const listening = createListening(silentLog())
  const [first, second] = [makeSession(), makeSession()]
  let current: typeof first | undefined = first
  first.answer()
  await listening.attach(asSession(first))
  listening.begin({ peek: () => current && asSession(current) } as never)
  const [before, lost, meanwhile, late] = Array.from({ length: 4 }, newAgentId) as [
    AgentId,
    AgentId,
    AgentId,
    AgentId,
  ]
  listening.subscribe(before, () => {})
  await listening.pending()
  expect(first.ran).toEqual([listen(before)])

  first.up = false
  current = undefined
  listening.subscribe(lost, () => {})
  expect(listening.pending()).toBeUndefined()
  const attached = listening.attach(asSession(second))
  const woken: string[] = []
  listening.subscribe(meanwhile, () => woken.push('meanwhile'))
  // Whoever reads before it is listened on would miss what comes in between.
  expect(listening.pending()).toBeDefined()
  second.answer()
  await attached
  // The link has it only now.
  listening.subscribe(late, () => {})
  await listening.pending()
  expect(second.ran).toEqual([
    `${listen(before)}; ${listen(lost)}`,
    listen(meanwhile),
    listen(late),
  ])
  expect(woken).toEqual(['meanwhile'])
  expect(first.ran).toEqual([listen(before)])
})
