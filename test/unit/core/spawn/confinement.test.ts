import { describe, expect, it } from 'vitest'
import { configSchema } from '../../../../src/config/schema.ts'
import { confinementOf } from '../../../../src/core/spawn/confinement.ts'
import type { Agent } from '../../../../src/domain/records.ts'

const config = configSchema.parse({
  roles: { tl: {}, held: { sandbox: 'workspace' }, cut: { sandbox: 'offline' } },
  agents: { boxed: { adapter: 'command', command: ['x'], sandbox: 'workspace' } },
})
const paths = { home: '/repo' }

/** A line of agents, the root first, each below the one before; of the last one. */
function levelOf(...line: readonly Partial<Agent>[]): Promise<string> {
  const agents = line.map(
    (agent, index) =>
      ({
        ...{ id: `a${index}`, parentId: index === 0 ? null : `a${index - 1}`, role: 'tl' },
        ...{ kind: 'worker', agentCli: null, worktree: `/repo/.exomonad/worktrees/${index}` },
        ...agent,
      }) as Agent,
  )
  const store = { agents: { get: async (id: string) => agents.find((one) => one.id === id) } }
  return confinementOf({ store: store as never, paths }, config, agents.at(-1) as Agent)
}

const ROOT = { kind: 'root', role: 'held', worktree: '/repo' } as const

describe('how an agent is confined', () => {
  it('is said by its role or by its program, the stricter counts', async () => {
    expect(await levelOf(ROOT, {})).toBe('off')
    expect(await levelOf(ROOT, { role: 'held' })).toBe('workspace')
    expect(await levelOf(ROOT, { agentCli: 'boxed' })).toBe('workspace')
    expect(await levelOf(ROOT, { role: 'cut', agentCli: 'boxed' })).toBe('offline')
    expect(await levelOf(ROOT, { role: 'unknown', agentCli: 'unknown' })).toBe('off')
  })

  it('is at least as all above it are, however far', async () => {
    expect(await levelOf(ROOT, { role: 'held' }, {})).toBe('workspace')
    expect(await levelOf(ROOT, { role: 'held' }, {}, {}, {})).toBe('workspace')
    expect(await levelOf(ROOT, { role: 'cut' }, { role: 'held' }, {})).toBe('offline')
  })

  it('is not at all in the person’s own checkout', async () => {
    expect(await levelOf(ROOT)).toBe('off')
    expect(await levelOf(ROOT, { kind: 'fork', role: 'cut', worktree: '/repo' })).toBe('off')
    expect(await levelOf(ROOT, { kind: 'fork', role: 'cut', worktree: '/repo' }, {})).toBe('off')
  })
})
