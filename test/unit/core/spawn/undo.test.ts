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

const FORK_POINT = 'a'.repeat(40)
const COMMIT = 'b'.repeat(40)

it.each([
  { left: 'nothing', status: {}, is: 'taken back' },
  { left: 'a file that it wrote', status: { dirty: ['a.txt'] }, is: 'kept' },
  { left: 'commits on a detached HEAD', status: { branch: null, head: COMMIT }, is: 'kept' },
  { left: 'a detached HEAD', status: { branch: null }, is: 'kept' },
  { left: 'a rebase', status: { operation: 'rebase', branch: null, head: COMMIT }, is: 'kept' },
  { left: 'another branch', status: { branch: 'other' }, is: 'kept' },
  { left: 'a commit since its branch was looked at', status: { head: COMMIT }, is: 'kept' },
])(
  'a spawn that a crash cut off and whose program left $left in its worktree is $is',
  async ({ status, is }) => {
    const agent = makeAgent()
    const entry = {
      ...{ id: 'journal', state: 'open', step: 'pane' },
      data: {
        ...{ agentId: agent.id, branch: agent.branch, worktree: agent.worktree },
        ...{ forkPoint: FORK_POINT, makesBranch: true, makesWorktree: true, told: true },
      },
    }
    const done: string[] = []
    const nothing = async (): Promise<void> => {}
    const undo = createSpawnUndo({
      store: {
        agents: { list: async () => [agent], get: async () => agent },
        journal: { get: async () => entry },
        transaction: async (work: (tx: unknown) => Promise<void>) =>
          work({
            ...{ agents: { remove: nothing }, runs: { remove: nothing } },
            ...{ snapshots: { remove: nothing }, journal: { finish: nothing } },
          }),
      } as never,
      git: {
        resolve: async () => FORK_POINT,
        status: async () => ({
          ...{ operation: null, dirty: [], conflicted: [] },
          ...{ branch: agent.branch, head: FORK_POINT },
          ...status,
        }),
        removeWorktree: async () => void done.push('removed'),
        deleteBranch: async () => void done.push('branch deleted'),
      } as never,
      multiplexer: { list: async () => [], endLeftBehind: nothing } as never,
      files: {
        ...{ exists: async () => true, remove: nothing },
        ...{ removeFolder: nothing, removeOutput: nothing },
      } as never,
      trash: { folder: '/trash', empty: () => {} } as never,
      ...{ publisher: {} as never, clock: () => 0, log: silentLog() },
      states: {
        change: async (_id: string, { to }: { to: string }) => (done.push(to), undefined),
      } as never,
      teardown: async () => [],
    })
    const isKept = is === 'kept'
    expect(await undo.settle(entry as never)).toBe(isKept ? 'done' : 'undone')
    expect(done).toEqual(isKept ? ['failed'] : ['removed', 'branch deleted'])
  },
)
