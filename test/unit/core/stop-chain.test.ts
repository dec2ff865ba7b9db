import { describe, expect, it } from 'vitest'
import { createStopChain } from '../../../src/core/stop-chain.ts'
import type { Objection } from '../../../src/core/stop-check.ts'
import { ExomonadError } from '../../../src/errors.ts'
import { configSchema } from '../../../src/config/schema.ts'
import { silentLog } from '../../../src/log.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { createTextGate } from '../../../src/text-gate/text-gate.ts'
import { makeAgent } from './make-agent.ts'

type StopChainDeps = Parameters<typeof createStopChain>[0]

/** A stop check whose branch is clean, and whose sync with the base answers these, one after the other. */
function stopCheck(answers: readonly (ExomonadError | Objection | undefined)[], { timeout, hold }: { timeout?: number; hold?: Promise<void> } = {}) {
  let taken = 0
  const agent = makeAgent({ ownsWorktree: true })
  let asked = 0
  const deps = {
    store: {
      agents: { list: async () => [agent], get: async () => agent, update: async () => {} },
      questions: { open: async () => [] },
      snapshots: { list: async () => new Map() },
    },
    git: {
      status: async () => ({ operation: null, dirty: [], conflicted: [], branch: agent.branch, head: agent.forkPoint }),
      resolve: async () => agent.forkPoint,
      countCommits: async () => 0,
    },
    forge: { remote: 'origin' },
    outbox: {
      takeForHook: async () => {
        taken += 1
        return 'A message.'
      },
    },
    publisher: { publish: async () => {} },
    settings: { config: async () => configSchema.parse(timeout === undefined ? {} : { stop: { timeout } }) },
    followBase: async () => agent,
    sync: {
      run: async () => {
        await hold
        const answer = answers[Math.min(asked++, answers.length - 1)]
        if (answer instanceof ExomonadError) throw answer
        return answer
      },
    },
    gate: createTextGate(),
    log: silentLog(),
  }
  const check = createStopChain(deps as unknown as StopChainDeps)
  return { stop: () => check({ kind: 'agent', agent }), asked: () => asked, taken: () => taken }
}

const away = (facts: Record<string, unknown> = {}) => new ExomonadError('FORGE_UNAVAILABLE', 'The remote answers 502.', facts)

describe('the stop check, while the forge fails', () => {
  it('asks again, so that nobody is let go with work that a single failure hid', async () => {
    const { stop, asked } = stopCheck([away(), { kind: 'uncommitted', files: ['a.ts'] }])
    expect(await stop()).toMatchObject({ decision: 'block', objection: 'uncommitted' })
    expect(asked()).toBe(2)
  })

  it('lets go in the end, and says why', async () => {
    const { stop, asked } = stopCheck([away()])
    expect(await stop()).toMatchObject({ decision: 'allow', note: expect.stringContaining('The remote answers 502.') })
    expect(asked()).toBe(3)
  })

  it('asks no forge again that said when to come back', async () => {
    const { stop, asked } = stopCheck([away({ retry_at: '2026-01-01T00:00:00Z' })])
    expect(await stop()).toMatchObject({ decision: 'allow' })
    expect(asked()).toBe(1)
  })
})

describe('the stop check and what waits for the agent', () => {
  it('hands it over where nothing else objects', async () => {
    const { stop, taken } = stopCheck([undefined])
    expect(await stop()).toMatchObject({ decision: 'block', objection: 'messages', reason: 'A message.' })
    expect(taken()).toBe(1)
  })

  it('leaves it where it is once the agent was let go because the check took too long', async () => {
    let release = () => {}
    const hold = new Promise<void>((resolve) => (release = resolve))
    const { stop, taken, asked } = stopCheck([undefined], { timeout: 0.05, hold })
    expect(await stop()).toMatchObject({ decision: 'allow', note: expect.stringContaining('took longer than 0.05 s') })
    release()
    await waitFor('the check to come to its end', () => asked() === 1)
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(taken()).toBe(0)
  })
})

describe('the reason of the stop check', () => {
  const name = `a\u001b]52;c;aGk=\u0007\u202e\u0000${'ghp_'}${'a1B2'.repeat(9)}.ts`
  it.each([
    { kind: 'uncommitted', files: [name] },
    { kind: 'rebase_in_progress', files: [name], operation: 'rebase' },
    { kind: 'rebase_conflict', base: name, files: [name], tries: 1 },
    { kind: 'rebase_given_up', base: name, files: [name], tries: 3 },
    { kind: 'diverged', branch: name, remote: name },
  ])('holds nothing of a name that a terminal obeys, and no secret: $kind', async (objection) => {
    const answer = await stopCheck([objection as never]).stop()
    expect(answer).toMatchObject({ decision: 'block', reason: expect.stringContaining('a[redacted].ts') })
    // oxlint-disable-next-line no-control-regex -- that none is left is what this shows
    expect(JSON.stringify(answer)).not.toMatch(/[\u0000-\u001f\u202e]|\\u00|ghp_/)
  })

  it('nor what a fault says', async () => {
    expect(await stopCheck([new ExomonadError('GIT_FAILED', `no ${name}`)]).stop()).toMatchObject({ note: expect.stringContaining('no a[redacted].ts') })
  })
})
