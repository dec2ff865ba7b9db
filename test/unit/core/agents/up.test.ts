import { expect, it } from 'vitest'
import type { Agent } from '../../../../src/domain/records.ts'
import { createAgentControl } from '../../../../src/core/agents/agent-control.ts'
import { STOPPED } from '../../../../src/domain/lifecycle.ts'
import { asPaneId } from '../../../../src/domain/ids.ts'
import { settingsOf } from '../../../helpers/settings.ts'
import { makeAgent } from '../make-agent.ts'
import { controlWorld } from './control-world.ts'

const UP = { paneId: asPaneId('%1'), pid: 77, session: null, plan: { warnings: [] } }
const BEFORE = {
  ...{ agentCli: 'x', task: 'before', outcome: { success: true, summary: 'done' } },
  ...{ sessionId: 's-1', transcript: '/t' },
}

/** A root that was stopped, and how its program is started. */
async function stoppedRoot(launch: (agent: Agent) => Promise<unknown>) {
  const world = await controlWorld()
  const root = makeAgent({
    ...{ name: 'main', kind: 'root', state: 'idle', stateReason: STOPPED },
    ...BEFORE,
  })
  await world.store.agents.insert(root)
  const { up } = createAgentControl({
    ...world,
    ...{ launching: new Set(), opened: () => {}, remindOfMail: async () => {} },
    ...{ say: async () => {}, settings: settingsOf(), prompts: async () => 'Go on' },
    launcher: {
      cliOfRole: (_config: unknown, _role: string, override = 'x') => override,
      requireProgram: async () => {},
      launch: async (_configured: unknown, agent: Agent) => launch(agent),
    } as never,
    panes: { find: async () => undefined, close: async () => {} } as never,
    files: { writeChannel: async () => {}, remove: async () => {} } as never,
    ...{
      multiplexer: undefined as never,
      endPrograms: undefined as never,
      gate: undefined as never,
    },
  })
  return { up, now: async () => (await world.store.agents.get(root.id))! }
}

it('an `up` that is refused because another is under way changes nothing of the root', async () => {
  const [begun, launched] = [Promise.withResolvers<Agent>(), Promise.withResolvers<unknown>()]
  const { up, now } = await stoppedRoot((agent) => {
    begun.resolve(agent)
    return launched.promise
  })
  const first = up('x', 'A')
  expect(await begun.promise).toMatchObject({ agentCli: 'A', task: 'x', sessionId: null })
  await expect(up('y', 'B')).rejects.toThrow('is being started already')
  const given = { agentCli: 'A', task: 'x', outcome: null, sessionId: null, transcript: null }
  expect(await now()).toMatchObject({ state: 'spawning', ...given })
  launched.resolve(UP)
  await first
  expect(await now()).toMatchObject({ state: 'running', ...given })
})

it.each([
  { title: 'of another program with a task', task: 'y', agent: 'B' },
  { title: 'of the same with a task', task: 'y', agent: undefined },
  { title: 'of another program without a task', task: undefined, agent: 'B' },
])('an `up` $title that fails leaves program, task and conversation', async ({ task, agent }) => {
  const { up, now } = await stoppedRoot(async () => {
    throw new Error('it does not come up')
  })
  await expect(up(task, agent)).rejects.toThrow('it does not come up')
  expect(await now()).toMatchObject({ state: 'idle', stateReason: STOPPED, ...BEFORE })
})
