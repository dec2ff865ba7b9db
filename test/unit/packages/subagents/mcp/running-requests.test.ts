import { describe, expect, it } from 'vitest'
import { createRunningRequests } from '../../../../../packages/subagents/src/mcp/running-requests.ts'

const cancel = (requestId: unknown): unknown => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
})

describe('running requests', () => {
  it('are ended by their own client’s word, alone or in a batch', () => {
    const running = createRunningRequests()
    const [one, two, text] = [running.begin('a', 1), running.begin('a', 2), running.begin('a', '1')]
    running.cancelNamedIn('a', cancel(1))
    expect([one, two, text].map(({ signal }) => signal.aborted)).toEqual([true, false, false])
    running.cancelNamedIn('a', [{ jsonrpc: '2.0', id: 9, method: 'ping' }, cancel('1')])
    expect([two, text].map(({ signal }) => signal.aborted)).toEqual([false, true])
  })

  it('are safe from other clients, from clients without a name, and from what is no cancellation', () => {
    const running = createRunningRequests()
    const [named, nameless] = [running.begin('a', 1), running.begin('', 1)]
    running.cancelNamedIn('b', cancel(1))
    running.cancelNamedIn('', cancel(1))
    for (const body of [
      undefined,
      null,
      'x',
      7,
      [],
      {},
      [null],
      { method: 'notifications/cancelled' },
      cancel(null),
      cancel({}),
    ])
      running.cancelNamedIn('a', body)
    expect([named.signal.aborted, nameless.signal.aborted]).toEqual([false, false])
  })

  it('are forgotten when they are done, and an id can be used again', () => {
    const running = createRunningRequests()
    const first = running.begin('a', 1)
    const second = running.begin('a', 1)
    first.done()
    running.cancelNamedIn('a', cancel(1))
    expect([first.signal.aborted, second.signal.aborted]).toEqual([false, true])
    second.done()
    running.cancelNamedIn('a', cancel(1))
  })
})
