import { expect, it } from 'vitest'
import { createHeldPanes } from '../../../../../src/adapters/terminals/detached/held.ts'
import type { OpenTakes } from '../../../../../src/adapters/terminals/detached/protocol.ts'
import { newAgentId } from '../../../../../src/domain/ids.ts'

const takes = (openId: string): OpenTakes => ({
  kind: 'terminal',
  agentId: newAgentId(),
  name: 'one',
  cwd: '/',
  ...{ env: {}, argv: ['sh'], columns: 80, rows: 24, openId },
})

it('what is asked for again while it is still being loaded is started once', async () => {
  const started: string[] = []
  const loaded = Promise.withResolvers<void>()
  const createHostedPane = ({ name }: { name: () => string }) => {
    started.push(name())
    return { pid: 40 + started.length, end: new Promise(() => {}), close: () => {} } as never
  }
  const panes = createHeldPanes({
    start: () => expect.unreachable(),
    load: {
      terminals: () => loaded.promise.then(() => ({ createHostedPane })),
      sessions: () => expect.unreachable(),
    },
    ...{ now: Date.now, onChange: () => {}, complain: () => {} },
  })
  const openings = [panes.open(takes('a')), panes.open(takes('a')), panes.open(takes('b'))]
  expect(panes.size).toBe(0)
  loaded.resolve()
  const [first, again, other] = await Promise.all(openings)
  expect(again).toEqual(first)
  expect(other).not.toEqual(first)
  expect([started, panes.size]).toEqual([['one', 'one'], 2])
})
