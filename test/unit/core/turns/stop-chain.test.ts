import { describe, expect, it } from 'vitest'
import { createStopChain } from '../../../../src/core/turns/stop-chain.ts'
import type { StopBlocker } from '../../../../src/core/turns/stop-check.ts'
import { ExomonadError } from '../../../../src/domain/errors.ts'
import { configSchema } from '../../../../src/config/schema.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import type { PullRequestSnapshot } from '../../../../src/adapters/forge/forge.ts'
import type { ForgeAway } from '../../../../src/core/pulls/forge-health.ts'
import { asBranchName } from '../../../../src/domain/ids.ts'
import { pull, review, sha } from '../../pull-watch/pull.ts'
import { waitFor } from '../../../helpers/wait-for.ts'
import { createTextGate } from '../../../../src/sanitize/text-gate.ts'
import { makeAgent } from '../make-agent.ts'
import { settingsOf } from '../../../helpers/settings.ts'

type StopChainDeps = Parameters<typeof createStopChain>[0]

interface StopOptions {
  timeout?: number
  hold?: Promise<void>
  kind?: 'local' | 'github'
  /** The forge is known to be away. */
  away?: ForgeAway
  /** It is found to be, while the check waits. */
  silence?: Promise<ForgeAway>
  pulls?: readonly PullRequestSnapshot[]
  commits?: number
}

/**
 * A stop check whose branch is clean, and whose sync with the base returns these, one after the
 * other.
 */
function stopCheck(
  answers: readonly (ExomonadError | StopBlocker | undefined)[],
  { timeout, hold, kind = 'local', away, silence, pulls = [], commits = 0 }: StopOptions = {},
) {
  let taken = 0
  const gone = new AbortController()
  const overs: (() => boolean)[] = []
  let followed = 0
  let polled = 0
  const agent = makeAgent({ ownsWorktree: true })
  let asked = 0
  const deps = {
    store: {
      agents: { list: async () => [agent], get: async () => agent, update: async () => {} },
      questions: { open: async () => [] },
      snapshots: {
        list: async () =>
          new Map(pulls.map((snapshot) => [`pull:${snapshot.number}`, { snapshot }])),
      },
    },
    git: {
      status: async () => ({
        operation: null,
        dirty: [],
        conflicted: [],
        branch: agent.branch,
        head: agent.forkPoint,
      }),
      resolve: async () => sha('a'),
      countCommits: async () => commits,
    },
    forge: { kind, remote: 'origin' },
    polling: { poll: async () => void polled++ },
    clock: () => Date.UTC(2026, 0, 5, 12, 3, 10),
    forgeWatch: { away: async () => away, silence: () => silence ?? new Promise<never>(() => {}) },
    outbox: {
      withdraw: async () => {},
      takeForHook: async () => {
        taken += 1
        return pulls.length > 0 || kind === 'github' ? null : 'A message.'
      },
    },
    publisher: { publish: async () => {} },
    settings: settingsOf(() =>
      configSchema.parse(timeout === undefined ? {} : { stop: { timeout } }),
    ),
    followBase: async () => {
      followed++
      return agent
    },
    sync: {
      run: async (_stop: unknown, _caller: unknown, over: () => boolean) => {
        overs.push(over)
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
  return {
    stop: () => check({ kind: 'agent', agent }, { signal: gone.signal }),
    leave: () => gone.abort(),
    asked: () => asked,
    taken: () => taken,
    overs,
    followed: () => followed,
    polled: () => polled,
  }
}

const away = (facts: Record<string, unknown> = {}) =>
  new ExomonadError('FORGE_UNAVAILABLE', 'The remote answers 502.', facts)

describe('the stop check, while the forge fails', () => {
  it('asks again, so that nobody is let go with work that a single failure hid', async () => {
    const { stop, asked } = stopCheck([away(), { kind: 'uncommitted', files: ['a.ts'] }])
    expect(await stop()).toMatchObject({ decision: 'block', objection: 'uncommitted' })
    expect(asked()).toBe(2)
  })

  it('lets go in the end, and says why', async () => {
    const { stop, asked } = stopCheck([away()])
    expect(await stop()).toMatchObject({
      decision: 'allow',
      note: expect.stringContaining('The remote answers 502.'),
    })
    expect(asked()).toBe(3)
  })

  it('asks no forge again that said when to come back', async () => {
    const { stop, asked } = stopCheck([away({ retry_at: '2026-01-01T00:00:00Z' })])
    expect(await stop()).toMatchObject({ decision: 'allow' })
    expect(asked()).toBe(1)
  })
})

describe('the stop check, while GitHub is away (20.13)', () => {
  const known: ForgeAway = {
    since: Date.UTC(2026, 0, 5, 12, 0, 1),
    reason: 'it refuses the connection',
  }
  const SINCE = 'GitHub can’t be used since 12:00:01 UTC (it refuses the connection)'
  const requested = pull({
    reviews: [review()],
    reviewDecision: 'changes_requested',
    head: { branch: asBranchName('main.worker'), sha: sha('a') },
  })

  it('asks nothing where that is known, and says since when, and what is left to do', async () => {
    const { stop, asked, followed } = stopCheck([{ kind: 'uncommitted', files: ['a.ts'] }], {
      kind: 'github',
      away: known,
      commits: 2,
    })
    expect(await stop()).toEqual({
      decision: 'allow',
      note: `${SINCE}: what is known of it decided, and your branch was not brought up to date. 2 commits without a pull request: file_pr works once it is back.`,
    })
    expect([asked(), followed()]).toEqual([0, 0])
  })

  it('holds an agent to what is stored: a change request that nothing answered, not one that a commit may have', async () => {
    const held = stopCheck([], { kind: 'github', away: known, pulls: [requested] })
    expect(await held.stop()).toMatchObject({
      decision: 'block',
      objection: 'changes_requested',
      reason: expect.stringContaining(SINCE),
    })
    const later = { ...requested, head: { ...requested.head, sha: sha('c') } }
    const answered = stopCheck([], { kind: 'github', away: known, pulls: [later] })
    expect(await answered.stop()).toMatchObject({ decision: 'allow' })
    expect([held.polled(), answered.polled()]).toEqual([0, 0])
  })

  it('gives up what waits for it once it is found not to answer, and does nothing more in that agent’s worktree', async () => {
    let release = () => {}
    const hold = new Promise<void>((resolve) => (release = resolve))
    const silence = Promise.withResolvers<ForgeAway>()
    const { stop, overs } = stopCheck([undefined], {
      kind: 'github',
      hold,
      silence: silence.promise,
    })
    const answer = stop()
    await waitFor('it to ask', () => overs.length === 1)
    silence.resolve(known)
    expect(await answer).toMatchObject({ decision: 'allow', note: expect.stringContaining(SINCE) })
    expect(overs.map((over) => over())).toEqual([true])
    release()
  })

  it.each(['FORGE_UNAVAILABLE', 'FORGE_DENIED'] as const)(
    'decides by what is stored where it fails each time (%s)',
    async (code) => {
      const { stop } = stopCheck([new ExomonadError(code, 'It answers 502.')], {
        kind: 'github',
        pulls: [requested],
      })
      expect(await stop()).toMatchObject({
        decision: 'block',
        objection: 'changes_requested',
        reason: expect.stringContaining(
          'GitHub can’t be used since 12:03:10 UTC (It answers 502.)',
        ),
      })
    },
  )

  it('lets other faults be what they are', async () => {
    const { stop } = stopCheck([new ExomonadError('GIT_FAILED', 'No such commit.')], {
      kind: 'github',
      pulls: [requested],
    })
    expect(await stop()).toEqual({
      decision: 'allow',
      note: 'the stop check failed: No such commit.',
    })
  })
})

describe('the stop check and what waits for the agent', () => {
  it('hands it over where nothing else objects', async () => {
    const { stop, taken } = stopCheck([undefined])
    expect(await stop()).toMatchObject({
      decision: 'block',
      objection: 'messages',
      reason: 'A message.',
    })
    expect(taken()).toBe(1)
  })

  it('leaves it where it is once the agent was let go because the check took too long', async () => {
    let release = () => {}
    const hold = new Promise<void>((resolve) => (release = resolve))
    const { stop, taken, asked } = stopCheck([undefined], { timeout: 0.05, hold })
    expect(await stop()).toMatchObject({
      decision: 'allow',
      note: expect.stringContaining('took longer than 0.05 s'),
    })
    release()
    await waitFor('the check to come to its end', () => asked() === 1)
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(taken()).toBe(0)
  })

  it('leaves it where it is once whoever asked has gone', async () => {
    let release = () => {}
    const hold = new Promise<void>((resolve) => (release = resolve))
    const { stop, leave, taken, overs } = stopCheck([undefined], { hold })
    const stopped = stop()
    await waitFor('the check to be under way', () => overs.length === 1)
    leave()
    release()
    expect(await stopped).toEqual({ decision: 'allow' })
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
    expect(answer).toMatchObject({
      decision: 'block',
      reason: expect.stringContaining('a[redacted].ts'),
    })
    // oxlint-disable-next-line no-control-regex -- that none is left is what this shows
    expect(JSON.stringify(answer)).not.toMatch(/[\u0000-\u001f\u202e]|\\u00|ghp_/)
  })

  it('nor what a fault says', async () => {
    expect(await stopCheck([new ExomonadError('GIT_FAILED', `no ${name}`)]).stop()).toMatchObject({
      note: expect.stringContaining('no a[redacted].ts'),
    })
  })
})
