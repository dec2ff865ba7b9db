import { expect, it } from 'vitest'
import type { Agent, RunResult } from '../../../../src/domain/records.ts'
import { createLaunchAgain } from '../../../../src/core/agents/launch-again.ts'
import { asPaneId } from '../../../../src/domain/ids.ts'
import { configuredOf } from '../../../helpers/settings.ts'
import { makeAgent } from '../make-agent.ts'
import { controlWorld } from './control-world.ts'

type Deps = Parameters<typeof createLaunchAgain>[0]

const RESULT = { status: 'killed', summary: 'half of it', output: 'what it said' } as RunResult

/** An agent on record with a result, whose program is started again; what was closed, in order. */
async function again(facts: Partial<Agent>, more: Partial<Deps> = {}, others: Agent[] = []) {
  const world = await controlWorld()
  const agent = makeAgent({ paneId: asPaneId('%1'), ...facts })
  for (const one of [agent, ...others]) await world.store.agents.insert(one)
  await world.store.runs.finish(agent.id, RESULT)
  const closed: string[] = []
  const launchAgain = createLaunchAgain({
    ...world,
    launching: new Set(),
    launcher: {
      launch: async () =>
        ({ paneId: asPaneId('%2'), pid: 77, session: null, plan: { warnings: [] } }) as never,
    },
    panes: { close: async ({ paneId }: Agent) => void closed.push(paneId!) } as never,
    multiplexer: { close: async (paneId: string) => void closed.push(paneId) } as never,
    files: { writeChannel: async () => {}, remove: async () => {} } as never,
    opened: () => {},
    remindOfMail: async () => {},
    ...more,
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
