import { expect, it } from 'vitest'
import { configSchema } from '../../../../src/config/schema.ts'
import type { SetupStep } from '../../../../src/config/sections/worktree-schema.ts'
import { createSetup } from '../../../../src/core/spawn/provision/setup.ts'
import type { Agent } from '../../../../src/domain/records.ts'
import { makeAgent } from '../make-agent.ts'

const step: SetupStep = { run: ['npm', 'ci'], key: ['lock'], outputs: ['made'], method: 'copy' }

/** Agents that are being spawned, until they are killed. */
function spawning(...agents: readonly Agent[]) {
  const alive = new Map(agents.map((agent) => [agent.id, agent]))
  const wakes = new Map<string, () => void>()
  return {
    store: {
      agents: { get: async (id: Agent['id']) => alive.get(id) },
      subscribe: (id: string, wake: () => void) => {
        wakes.set(id, wake)
        return () => wakes.delete(id)
      },
    } as never,
    kill: ({ id }: Agent) => {
      alive.delete(id)
      wakes.get(id)?.()
    },
  }
}

/** Set-up by `npm ci`, which succeeds, where this comes of keeping what it made. */
function setupThatKeeps(keep: () => Promise<string>) {
  const agents = [makeAgent({ name: 'one' }), makeAgent({ name: 'other' })] as const
  const ran: string[] = []
  const setUp = createSetup({
    git: { trackedFiles: async () => [] } as never,
    files: { exists: async () => true, setupLog: () => '/log' } as never,
    paths: { home: '/repo' } as never,
    store: spawning(...agents).store,
    runCommand: async ({ agent }) => {
      ran.push(agent.name)
      return { ok: true }
    },
    setupCache: { keyOf: async () => 'hash', restore: async () => false, keep } as never,
  })
  const warningsOf = (agent: Agent) =>
    setUp({
      config: configSchema.parse({}),
      agent,
      step,
      env: {},
      say: async () => {},
    })
  return { agents, ran, warningsOf }
}

it('says why what a set-up command made is not kept', async () => {
  const warningsOf = (kept: string) => {
    const { agents, warningsOf: of } = setupThatKeeps(async () => kept)
    return of(agents[0])
  }
  expect(await warningsOf('kept')).toEqual([])
  expect(await warningsOf('too large')).toEqual([expect.stringContaining('they are larger')])
  expect(await warningsOf('linked')).toEqual([expect.stringContaining('a symbolic link')])
})

it('ends a set-up command with its agent, and whoever waited for its outputs runs it', async () => {
  const killed = makeAgent({ name: 'killed' })
  const waits = makeAgent({ name: 'waits' })
  const { store, kill } = spawning(killed, waits)
  const ran: string[] = []
  const setUp = createSetup({
    git: { trackedFiles: async () => [] } as never,
    files: { exists: async () => true, setupLog: () => '/log' } as never,
    paths: { home: '/repo' } as never,
    store,
    runCommand: async ({ agent, signal }) => {
      ran.push(agent.name)
      if (agent !== killed) return { ok: true }
      await new Promise((resolve) => signal?.addEventListener('abort', resolve))
      return { ok: false, output: 'ended' }
    },
    setupCache: {
      keyOf: async () => 'hash',
      restore: async () => false,
      keep: async () => 'kept',
    } as never,
  })
  const run = (agent: Agent, say: (words: string) => void = () => {}) =>
    setUp({
      config: configSchema.parse({}),
      agent,
      step,
      env: {},
      say: async (words) => say(words),
    })
  const first = run(killed)
  const end = first.catch((error: unknown) => error)
  await expect.poll(() => ran).toEqual(['killed'])
  const said: string[] = []
  const second = run(waits, (words) => said.push(words))
  await expect.poll(() => said).toEqual(['set-up: waiting for `npm ci` of killed'])
  kill(killed)
  expect(await end).toMatchObject({
    code: 'SPAWN_FAILED',
    message: 'killed was killed while it was being spawned.',
  })
  expect(await second).toEqual([])
  expect(ran).toEqual(['killed', 'waits'])
  // Who was killed before runs nothing.
  await expect(run(killed)).rejects.toMatchObject({ code: 'SPAWN_FAILED' })
  expect(ran).toHaveLength(2)
})

it('goes on where what a set-up command made can’t be kept, also for those who wait for it', async () => {
  const { agents, ran, warningsOf } = setupThatKeeps(() =>
    Promise.reject(new Error('the disk is full')),
  )
  const warnings = ['The outputs of `npm ci` are not kept for other worktrees: the disk is full.']
  expect(await Promise.all(agents.map(warningsOf))).toEqual([warnings, warnings])
  expect(ran).toEqual(['one', 'other'])
})
