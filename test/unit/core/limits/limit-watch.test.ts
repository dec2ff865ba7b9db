import { describe, expect, it } from 'vitest'
import type { Limits, Met } from '../../../../src/adapters/limits/limits.ts'
import { parseConfig } from '../../../../src/config/load.ts'
import { createLimitWatch } from '../../../../src/core/limits/limit-watch.ts'
import type { Agent } from '../../../../src/domain/records.ts'
import type { NewEvent } from '../../../../src/events/event.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import { makeAgent } from '../make-agent.ts'

const GIB = 1024 ** 3
const KILLED = { exitCode: null, exitSignal: 'SIGKILL' }

function world(agent: Agent) {
  const events: NewEvent[] = []
  const released: boolean[] = []
  const state = { now: 1_000_000, dead: false }
  let met: Met = {
    bounds: { memory: { value: 4 * GIB, key: 'roles.dev.limits.memory' } },
    made: '7',
    counts: { memory: 0 },
    noted: {},
  }
  const watch = createLimitWatch({
    store: { agents: { get: async () => agent } } as never,
    publisher: {
      publish: async (event: NewEvent) => {
        events.push(event)
      },
    } as never,
    clock: () => state.now,
    log: silentLog(),
    panes: { find: async () => ({ dead: state.dead }) as never },
    limits: {
      list: async () => [agent.id],
      met: async () => met,
      note: async (_id, _made, noted) => {
        met = { ...met, noted }
      },
      release: async (_id, { kill }) => {
        released.push(kill)
        return true
      },
      watch: async () => () => {},
      join: async () => undefined,
      hold: async () => ({ argv: [], notices: [] }),
    } as Partial<Limits> as Limits,
  })
  const count = (memory: number): void => {
    met = { ...met, counts: { memory } }
  }
  return { watch, events, released, state, count }
}

const live = (more: Partial<Agent> = {}): Agent =>
  makeAgent({ state: 'running', paneId: 'p' as never, ...more })

describe('a process that a limit ended', () => {
  it('is reported once for each incident', async () => {
    const { watch, events, state, count } = world(live())
    await watch.tend()
    expect(events).toEqual([])
    count(1)
    await watch.tend()
    count(3)
    await watch.tend()
    expect(events).toMatchObject([
      { type: 'agent.limited', payload: { bound: 'memory limit of 4 GiB', times: 1 } },
    ])
    state.now += 10 * 60_000
    await watch.tend()
    await watch.tend()
    expect(events.map(({ payload }) => (payload as { times: number }).times)).toEqual([1, 2])
  })

  it('is the reason of an end, and told as nothing else', async () => {
    const agent = live()
    const { watch, events, state, count } = world(agent)
    count(1)
    state.dead = true
    await watch.tend()
    expect(await watch.explain(agent, KILLED, 'its program was ended by SIGKILL')).toBe(
      'ended by its memory limit of 4 GiB (kernel OOM kill); roles.dev.limits.memory in the configuration raises it',
    )
    expect(events).toEqual([])
  })

  it('is no reason of an end long after it, nor of one that went well', async () => {
    const agent = live()
    const { watch, state, count } = world(agent)
    count(1)
    await watch.tend()
    state.now += 60_000
    expect(await watch.explain(agent, KILLED, 'how')).toBe('how')
    count(2)
    expect(await watch.explain(agent, { exitCode: 0, exitSignal: null }, 'how')).toBe('how')
    expect(await watch.explain(agent, { exitCode: 1, exitSignal: null }, 'how')).toContain(
      'how, after its memory limit of 4 GiB ended one of its processes',
    )
  })

  it('is said of the root as well, whose end nobody else is told', async () => {
    const agent = live({ kind: 'root' })
    const { watch, events, count } = world(agent)
    count(1)
    await watch.explain(agent, KILLED, 'how')
    expect(events).toMatchObject([{ type: 'agent.limited', payload: { ended: true } }])
  })
})

describe('what held an agent', () => {
  it.each([
    ['stays while it starts or runs', { state: 'spawning', paneId: null }, []],
    ['goes when it has ended, and leaves what it left', { state: 'failed' }, [false]],
    ['leaves those time to end that are asked to', { state: 'killed', stateAt: 990_000 }, [false]],
    ['ends what a kill left', { state: 'killed', stateAt: 0 }, [true]],
    ['goes where its program was stopped', { state: 'idle', paneId: null }, [false]],
  ] as const)('%s', async (_what, more, expected) => {
    const { watch, released } = world(live(more as Partial<Agent>))
    await watch.tend()
    expect(released).toEqual(expected)
  })

  it('stays for a command of an agent that has ended, until that has ended too', async () => {
    const agent = live({ state: 'failed', role: 'dev' })
    const config = parseConfig('[roles.dev]\nlimits = { processes = 50 }\n', 'config.toml')
    const { watch, released, state } = world(agent)
    await watch.behind(config, agent)
    await watch.tend()
    expect(released).toEqual([])
    await watch.ended(agent)
    expect(released).toEqual([false])
    // What could not go then is looked at again.
    await watch.tend()
    expect(released).toEqual([false, false])
    await watch.behind(config, agent)
    // It never came: the daemon does not know of it any more.
    state.now += 61_000
    await watch.tend()
    expect(released).toEqual([false, false, false])
  })
})
