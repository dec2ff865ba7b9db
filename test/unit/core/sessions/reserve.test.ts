import { expect, it } from 'vitest'
import type { Run } from '../../../../src/domain/records.ts'
import { createSessionReserve } from '../../../../src/core/sessions/session-reserve.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import { makeAgent } from '../make-agent.ts'
import { configuredOf } from '../../../helpers/settings.ts'

it('gives a session its whole time, however long git looks at the worktree before', async () => {
  let now = 1000
  const runs: Run[] = []
  const reserve = createSessionReserve({
    store: {
      transaction: async (work: (tx: unknown) => Promise<unknown>) =>
        work({ runs: { insert: async (run: Run) => void runs.push(run) } }),
    } as never,
    git: {
      snapshotTree: async () => {
        now += 20_000
        return 'a'.repeat(40)
      },
    } as never,
    files: {} as never,
    settings: {} as never,
    clock: () => now,
    log: silentLog(),
    admission: { require: async () => [], enter: async () => 'journal' },
    approvals: {} as never,
    undo: {} as never,
  })
  const parent = makeAgent()
  const given = {
    name: 'session',
    kind: 'llm',
    runtime: 'acp',
    agentCli: 'scripted',
    tools: null,
    task: 'Do it',
  } as const
  const prepared = { configured: configuredOf(), parent }
  const { agent } = await reserve.reserve({ kind: 'agent', agent: parent }, prepared, given, {
    command: null,
    model: null,
    timeout: 5000,
  })
  expect(runs).toMatchObject([{ agentId: agent.id, deadline: agent.spawnedAt + 5000 }])
  expect(agent.spawnedAt).toBe(now)
  await reserve.reserve({ kind: 'agent', agent: parent }, prepared, given, {
    command: null,
    model: null,
    timeout: null,
  })
  expect(runs[1]).toMatchObject({ deadline: null })
})
