import { describe, expect, it } from 'vitest'
import type { AgentCli } from '../../../../src/adapters/agent-cli/agent-cli.ts'
import type { NotUp } from '../../../../src/adapters/agent-cli/settled.ts'
import { createStarted, type Opened } from '../../../../src/core/spawn/launched.ts'
import { asPaneId } from '../../../../src/domain/ids.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import { makeAgent } from '../make-agent.ts'

const session = { id: 'ses_1', transcript: null }
const up = { session, forked: false, warnings: ['a warning'] }
const down = (again: ReturnType<NotUp['again']>): NotUp => ({
  notUp: 'It ended while it was starting',
  again: () => again,
})

/** Starts a program that settles so at each start; with what was opened and closed, in order. */
function start(
  settles: readonly (typeof up | NotUp | Error)[],
  { shown = '', killedAfter = Infinity, known = session as typeof session | null } = {},
) {
  const agent = makeAgent({ state: 'spawning' })
  const done: string[] = []
  let starts = 0
  const started = createStarted({
    store: {
      agents: {
        update: async () => undefined,
        get: async () => ({ ...agent, state: starts >= killedAfter ? 'killed' : agent.state }),
      },
    } as never,
    multiplexer: {
      capture: async () => shown,
      close: async (pane: string) => void done.push(`close ${pane}`),
    } as never,
    log: silentLog(),
  })
  const cli = {
    settle: async () => {
      const result = settles[starts++]
      if (result === undefined || result instanceof Error) throw result
      return result
    },
  } as unknown as AgentCli
  const open = async ({ session: with_ }: { session: typeof session | null }): Promise<Opened> => {
    const paneId = asPaneId(`%${starts + 1}`)
    done.push(`open ${paneId} ${with_?.id ?? 'fresh'}`)
    return {
      pane: { paneId, pid: 100 + starts },
      asked: { folder: '/agent' } as never,
      plan: {
        ...{ session: with_ === null ? 'fresh' : 'resumed', sessionId: with_?.id ?? null },
        ...{ channel: null, warnings: [] },
      } as never,
    }
  }
  return { result: started(agent, cli, open as never, { session: known }), done }
}

describe('a program that is started', () => {
  it('stays in its pane where it came up', async () => {
    const { result, done } = start([up])
    const { pid, session: found, plan } = await result
    expect({ pid, found, warnings: plan.warnings }).toEqual({
      pid: 100,
      found: session,
      warnings: ['a warning'],
    })
    expect(done).toEqual(['open %1 ses_1'])
  })

  it('is started once more, in another pane, where it did not', async () => {
    const { result, done } = start([down('same'), up])
    expect((await result).pid).toBe(101)
    expect((await result).plan.warnings).toEqual(['a warning'])
    expect(done).toEqual(['open %1 ses_1', 'close %1', 'open %2 ses_1'])
  })

  it('fails with what it showed where it did not come up twice', async () => {
    const shown = '\nfirst\n\n   \n  the store is locked\n\n'
    const { result, done } = start([down('same'), down('same'), up], { shown })
    await expect(result).rejects.toMatchObject({
      code: 'SPAWN_FAILED',
      message:
        'It ended while it was starting, twice. It showed last:\nfirst\n  the store is locked',
    })
    expect(done).toEqual(['open %1 ses_1', 'close %1', 'open %2 ses_1', 'close %2'])
  })

  it('fails at once where another start is no use', async () => {
    const { result, done } = start([down('no'), up])
    await expect(result).rejects.toThrow('It ended while it was starting. It showed nothing.')
    expect(done).toEqual(['open %1 ses_1', 'close %1'])
  })

  it('begins a new conversation where the one that it was to go on with is gone, and says so', async () => {
    const { result, done } = start([down('same'), down('fresh'), { ...up, warnings: [] }])
    expect((await result).plan).toMatchObject({
      session: 'fresh',
      warnings: ['Its session ses_1 is gone: it begins a new one.'],
    })
    expect(done.filter((line) => line.startsWith('open'))).toEqual([
      'open %1 ses_1',
      'open %2 ses_1',
      'open %3 fresh',
    ])
  })

  it('is not started for ever where it misses a conversation that it was not given', async () => {
    const { result, done } = start([down('fresh'), down('fresh'), up])
    await expect(result).rejects.toMatchObject({ code: 'SPAWN_FAILED' })
    expect(done).toEqual(['open %1 ses_1', 'close %1', 'open %2 fresh', 'close %2'])
  })

  it('is not started again where it was killed meanwhile', async () => {
    const { result, done } = start([down('same'), up], { killedAfter: 1 })
    await expect(result).rejects.toMatchObject({ code: 'SPAWN_FAILED' })
    expect(done).toEqual(['open %1 ses_1', 'close %1'])
  })

  it('leaves no pane where looking at it fails', async () => {
    const { result, done } = start([new Error('no such server')])
    await expect(result).rejects.toThrow('no such server')
    expect(done).toEqual(['open %1 ses_1', 'close %1'])
  })
})
