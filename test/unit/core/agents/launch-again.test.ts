import { expect, it } from 'vitest'
import type { Agent, RunResult } from '../../../../src/domain/records.ts'
import { createLaunchAgain } from '../../../../src/core/agents/launch-again.ts'
import { asPaneId } from '../../../../src/domain/ids.ts'
import { configuredOf } from '../../../helpers/settings.ts'
import { makeAgent } from '../make-agent.ts'
import { controlWorld } from './control-world.ts'

type Deps = Parameters<typeof createLaunchAgain>[0]

const RESULT = { status: 'killed', summary: 'half of it', output: 'what it said' } as RunResult

const UP = { paneId: asPaneId('%2'), pid: 77, session: null, plan: { warnings: [] } }

/** An agent on record with a result, whose program is started again; what was closed, in order. */
async function again(
  facts: Partial<Agent>,
  more: Partial<Deps> | ((world: Pick<Deps, 'states'>) => Partial<Deps>) = {},
  others: Agent[] = [],
) {
  const world = await controlWorld()
  const agent = makeAgent({ paneId: asPaneId('%1'), ...facts })
  for (const one of [agent, ...others]) await world.store.agents.insert(one)
  await world.store.runs.finish(agent.id, RESULT)
  const closed: string[] = []
  const launchAgain = createLaunchAgain({
    ...world,
    launching: new Set(),
    launcher: { launch: async () => UP as never },
    panes: { close: async ({ paneId }: Agent) => void closed.push(paneId!) } as never,
    multiplexer: { close: async (paneId: string) => void closed.push(paneId) } as never,
    files: { writeChannel: async () => {}, remove: async () => {} } as never,
    opened: () => {},
    remindOfMail: async () => {},
    ...(typeof more === 'function' ? more(world) : more),
  })
  return {
    ...{ ...world, agent, closed },
    start: () => launchAgain(configuredOf(), agent, 'resume', 'Go on'),
    now: async () => (await world.store.agents.get(agent.id))!,
    result: async () => (await world.store.runs.get(agent.id))!.result,
  }
}

it('a refused start leaves the recorded result and the pane of an agent that was killed', async () => {
  const { start, result, closed } = await again({ state: 'killed' })
  await expect(start()).rejects.toMatchObject({ code: 'ALREADY_DEAD' })
  expect(await result()).toMatchObject(RESULT)
  expect(closed).toEqual([])
})

it('a refused start leaves the recorded result and the pane of an agent whose branch another goes on with', async () => {
  const heir = makeAgent({ name: 'heir' })
  const { start, result, closed } = await again(
    { state: 'failed', branch: heir.branch, worktree: heir.worktree, cleanedAt: 5 },
    {},
    [heir],
  )
  await expect(start()).rejects.toMatchObject({ code: 'BRANCH_EXISTS' })
  expect(await result()).toMatchObject(RESULT)
  expect(closed).toEqual([])
})

it('an agent that failed is started again without its old pane, and has no result until it ends', async () => {
  const { start, now, result, closed } = await again({ state: 'failed' })
  await start()
  expect(await now()).toMatchObject({ state: 'running', paneId: '%2' })
  expect(await result()).toBeNull()
  expect(closed).toEqual(['%1'])
})

it('a program that is up runs on where its agent could not be reminded of its mail', async () => {
  const { start, now, closed } = await again(
    { state: 'failed' },
    { remindOfMail: () => Promise.reject(new Error('the store is busy')) },
  )
  expect(await start()).toMatchObject({ paneId: '%2' })
  expect(await now()).toMatchObject({ state: 'running', paneId: '%2' })
  expect(closed).toEqual(['%1'])
})

it('a program that is up ends where it could not be written down that it runs', async () => {
  let isUp = false
  const { start, now, closed } = await again({ state: 'failed' }, (world) => ({
    launcher: { launch: async () => ((isUp = true), UP as never) },
    states: {
      ...world.states,
      change: (id, change, tx) =>
        isUp && tx !== undefined
          ? Promise.reject(new Error('the store is busy'))
          : world.states.change(id, change, tx),
    },
  }))
  await expect(start()).rejects.toThrow('the store is busy')
  expect(closed).toEqual(['%1', '%2'])
  expect(await now()).toMatchObject({ state: 'failed', paneId: null, pid: null })
})
