import { expect, it } from 'vitest'
import { createSpawnUndo } from '../../../../src/core/spawn/undo.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import { makeAgent } from '../make-agent.ts'

it('what a cut off set-up command still runs ends before the worktree is torn down and removed', async () => {
  const agent = makeAgent()
  const entry = {
    ...{ id: 'journal', state: 'open', step: 'furnish' },
    data: {
      ...{ agentId: agent.id, branch: agent.branch, worktree: agent.worktree, forkPoint: '' },
      ...{ makesBranch: false, makesWorktree: true, told: true },
    },
  }
  const done: string[] = []
  const remove = async (): Promise<void> => {}
  const undo = createSpawnUndo({
    store: {
      agents: { list: async () => [agent], get: async () => agent },
      journal: { get: async () => entry },
      transaction: async (work: (tx: unknown) => Promise<void>) =>
        work({
          ...{ agents: { remove }, runs: { remove }, snapshots: { remove } },
          journal: { finish: async (_: string, state: string) => void done.push(state) },
        }),
    } as never,
    git: { removeWorktree: async () => void done.push('removed') } as never,
    multiplexer: {
      list: async () => [],
      endLeftBehind: async (id: string) => void done.push(`ended ${id}`),
    } as never,
    files: { remove, removeFolder: remove, removeOutput: remove } as never,
    trash: { folder: '/trash', empty: () => {} } as never,
    ...{ publisher: {} as never, clock: () => 0, log: silentLog(), states: {} as never },
    teardown: async () => {
      done.push('torn down')
      return []
    },
  })
  expect(await undo.settle(entry as never)).toBe('undone')
  expect(done).toEqual([`ended ${agent.id}`, 'torn down', 'removed', 'undone'])
})
