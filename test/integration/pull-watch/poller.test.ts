import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type {
  Forge,
  PullRequestSnapshot,
  SnapshotResult,
} from '../../../src/adapters/forge/forge.ts'
import { openSqliteStore } from '../../../src/adapters/store/sqlite/open.ts'
import type { Store } from '../../../src/adapters/store/store.ts'
import type { StoredEvent } from '../../../src/domain/records.ts'
import { configSchema, type Config } from '../../../src/config/schema.ts'
import { createPoller, type Poller } from '../../../src/pull-watch/poller.ts'
import { createPublisher, type PublisherWithDeliveries } from '../../../src/delivery/publisher.ts'
import { createRenderer } from '../../../src/delivery/render/render.ts'
import { asBranchName, asPaneId, newDeliveryId, type AgentId } from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { LACKS } from '../../helpers/polled-tree.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'
import { makeAgent } from '../../unit/core/make-agent.ts'
import { at, OWNER, pull, review, sha } from '../../unit/pull-watch/pull.ts'

const ROOT = '00000000-0000-7000-8000-000000000001' as AgentId

describe('poller', () => {
  let folder: string
  let store: Store
  let publisher: PublisherWithDeliveries
  let poller: Poller
  let config: Config
  let shift: number
  /** The forge’s truth: what it returns for each number; a string is a failed read. */
  let truth: Map<number, PullRequestSnapshot | string>
  let looks: number[][]
  let checksAsked: number[]
  let unreachable: boolean
  /** While set, answers that are ready by then wait for it. */
  let held: Promise<void> | undefined
  let hintListener: (number: number) => void
  const clock = (): number => 10_000_000 + Math.floor(performance.now()) + shift

  const forge = (): Forge =>
    ({
      kind: 'local',
      remote: 'origin',
      identity: async () => 'local',
      budget: () => null,
      find: async () => {
        if (unreachable) throw new Error('no network')
        return [...truth]
          .filter(([, found]) => typeof found === 'string' || found.state === 'open')
          .map(([number]) => number)
      },
      snapshots: async (numbers: readonly number[]) => {
        looks.push([...numbers])
        const answer = numbers.map((number): SnapshotResult => {
          const found = truth.get(number)
          if (found === undefined) return { number, missing: true }
          return typeof found === 'string'
            ? { number, unknown: found }
            : { number, snapshot: { ...found, number } }
        })
        await held
        return answer
      },
      ensureChecks: async (number: number) => void checksAsked.push(number),
      onHint: (listener: (number: number) => void) => {
        hintListener = listener
        return () => {}
      },
    }) as unknown as Forge

  const newPoller = (): Poller =>
    createPoller({
      forge: forge(),
      store,
      publisher,
      config: () => config,
      clock,
      log: silentLog(),
    })

  beforeEach(async () => {
    shift = 0
    truth = new Map()
    looks = []
    checksAsked = []
    unreachable = false
    held = undefined
    folder = await mkdtemp(join(tmpdir(), 'exomonad-poller-'))
    store = await openSqliteStore({ file: join(folder, 'store.db'), log: silentLog() })
    const shippedFolder = fileURLToPath(new URL('../../../templates', import.meta.url))
    const renderer = createRenderer({
      shippedFolder,
      overrideFolder: () => Promise.resolve(null),
      log: silentLog(),
    })
    publisher = createPublisher({ store, renderer, clock, log: silentLog(), newDeliveryId })
    config = configSchema.parse({ forge: { stalled_rounds: 2 } })
    for (const [id, name, parentId] of [
      [ROOT, 'main', null],
      [OWNER, 'main.auth', ROOT],
    ] as const) {
      await store.agents.insert(
        makeAgent({
          ...{
            id,
            name,
            kind: parentId === null ? 'root' : 'worker',
            parentId,
            depth: 0,
            branch: asBranchName(name),
            baseBranch: null,
            worktree: '/w',
          },
          ...{ paneId: asPaneId('%1'), pid: 1, stateSource: 'hook', tokenHash: id },
        }),
      )
    }
    poller = newPoller()
  })
  afterEach(async () => {
    await poller.stop()
    await store.close()
    await rm(folder, { recursive: true })
  })

  const events = async (): Promise<StoredEvent[]> =>
    (await store.events.list({})).filter(
      ({ type }) => !type.startsWith('delivery.') && type !== LACKS,
    )
  const types = async (): Promise<string[]> => (await events()).map(({ type }) => type)
  const delivered = async (recipient: AgentId): Promise<string[]> =>
    (await store.outbox.list({ recipient }))
      .filter(({ reach, kind }) => reach !== 'log' && kind !== 'pr.opened' && kind !== LACKS)
      .map(({ kind }) => kind)

  it(
    verifies('R004-16', 'turns what changed into events and messages for the right agents, once'),
    async () => {
      truth.set(3, pull())
      await poller.poll()
      truth.set(3, pull({ reviews: [review()], reviewDecision: 'changes_requested' }))
      await poller.poll()
      await poller.poll()
      expect(await types()).toEqual(['pr.opened', 'pr.ready', 'pr.review'])
      expect(await delivered(ROOT)).toEqual(['pr.ready'])
      expect(await delivered(OWNER)).toEqual(['pr.review'])
      expect((await store.snapshots.get('pull:3'))?.['snapshot']).toMatchObject({
        number: 3,
        reviewDecision: 'changes_requested',
      })
    },
  )

  it('says nothing twice after a restart', async () => {
    truth.set(3, pull())
    await poller.poll()
    await poller.stop()
    poller = newPoller()
    await poller.poll()
    expect(await types()).toEqual(['pr.opened', 'pr.ready'])
  })

  it('sees a merge of one that is no longer in the list of open ones', async () => {
    truth.set(3, pull())
    await poller.poll()
    truth.set(3, pull({ state: 'merged', mergedBy: 'forge:jane', mergeSha: sha('d') }))
    await poller.poll()
    expect((await events()).at(-1)).toMatchObject({
      type: 'pr.merged',
      payload: { external: true },
    })
    expect(await delivered(OWNER)).toEqual(['pr.merged'])
  })

  it('takes a merge for its own where it was decided on here', async () => {
    truth.set(3, pull())
    await poller.poll()
    const { number, title, url } = pull()
    const payload = { number, title, url, head: 'main.auth', base: 'main', strategy: 'squash' }
    await publisher.publish({ type: 'merge.started', agentId: OWNER, actor: ROOT, payload })
    truth.set(3, pull({ state: 'merged', mergedBy: 'forge:bot', mergeSha: sha('d') }))
    await poller.poll()
    expect((await events()).at(-1)).toMatchObject({
      type: 'pr.merged',
      actor: ROOT,
      payload: { external: false },
    })
    expect(await delivered(ROOT)).not.toContain('pr.merged')
  })

  it('concludes nothing from a read that failed, and reads again by itself', async () => {
    truth.set(3, pull())
    await poller.poll()
    truth.set(3, 'rate limit')
    poller.start()
    await waitFor('the failed read', () => looks.length >= 2)
    truth.set(3, pull({ state: 'closed' }))
    await waitFor('the second', async () => (await types()).includes('pr.closed'))
    expect(await types()).toEqual(['pr.opened', 'pr.ready', 'pr.closed'])
  })

  it('keeps what it knows while the forge can’t be reached', async () => {
    truth.set(3, pull())
    await poller.poll()
    unreachable = true
    await poller.poll()
    unreachable = false
    await poller.poll()
    expect(await types()).toEqual(['pr.opened', 'pr.ready'])
  })

  it('looks at once on a hint, and once for many', async () => {
    truth.set(3, pull())
    poller.start()
    await waitFor('the first look', async () => (await types()).length === 2)
    looks.length = 0
    truth.set(3, pull(at('c')))
    for (let n = 0; n < 20; n++) hintListener(3)
    await waitFor('the push', async () => (await types()).includes('pr.pushed'))
    expect(looks).toEqual([[3]])
  })

  it('looks again where it is asked to while an answer is on its way, which may be older', async () => {
    truth.set(3, pull())
    await poller.poll()
    const answered = Promise.withResolvers<void>()
    held = answered.promise
    const before = poller.poll([3])
    await waitFor('the look', () => looks.length === 2)
    truth.set(3, pull(at('c')))
    const after = poller.poll([3])
    answered.resolve()
    await Promise.all([before, after])
    expect((await types()).at(-2)).toBe('pr.pushed')

    const hinted = Promise.withResolvers<void>()
    held = hinted.promise
    poller.start()
    await waitFor('the next look', () => looks.length === 4)
    truth.set(3, pull({ ...at('d'), reviews: [review({ state: 'approved', commit: sha('d') })] }))
    hintListener(3)
    hinted.resolve()
    await waitFor(
      'the hint to be followed',
      async () => (await types()).filter((type) => type === 'pr.pushed').length === 2,
      { limit: 20_000 },
    )
  })

  it('makes one look of all that is asked for while another is under way', async () => {
    for (const number of [3, 4]) truth.set(number, pull())
    const answered = Promise.withResolvers<void>()
    held = answered.promise
    const first = poller.poll([3])
    await waitFor('the look', () => looks.length === 1)
    const later = [poller.poll([3]), poller.poll([4]), poller.poll([3]), poller.poll()]
    answered.resolve()
    await Promise.all([first, ...later])
    expect(looks).toHaveLength(2)
    expect(looks[1]).toEqual([3, 4])
  })

  it('finds the agent by its branch where the forge names none', async () => {
    truth.set(3, pull({ agentId: null }))
    await poller.poll()
    expect((await events())[0]).toMatchObject({ type: 'pr.opened', agentId: OWNER })
    expect(await delivered(ROOT)).toEqual(['pr.ready'])
  })

  it('asks for checks once for each head that has none', async () => {
    truth.set(3, pull())
    await poller.poll()
    await poller.poll()
    truth.set(3, pull(at('c')))
    await poller.poll()
    expect(checksAsked).toEqual([3, 3])
  })

  it('reports a moved base once, however many pull requests have it', async () => {
    truth.set(3, pull())
    truth.set(4, pull())
    await poller.poll()
    for (const number of [3, 4])
      truth.set(number, pull({ base: { branch: asBranchName('main'), sha: sha('e') } }))
    await poller.poll()
    const moved = (await events()).filter(({ type }) => type === 'base.moved')
    expect(moved).toMatchObject([
      { agentId: ROOT, payload: { branch: 'main', old: sha('b'), new: sha('e') } },
    ])
  })

  it('counts failures in a row, and says that it does not get green', async () => {
    const failed = (digit: string): PullRequestSnapshot =>
      pull({
        ...at(digit),
        checksRequired: true,
        checksState: 'failed',
        checks: [
          { name: 'test', status: 'failed', required: true, run: '1', url: null, logTail: 'no' },
        ],
      })
    for (const digit of ['a', 'c', 'd']) {
      truth.set(3, failed(digit))
      await poller.poll()
    }
    const times = (await events())
      .filter(({ type }) => type === 'ci.failed')
      .map(({ payload }) => payload['times'])
    expect(times).toEqual([1, 2, 3])
    expect((await events()).filter(({ type }) => type === 'pr.stalled')).toMatchObject([
      { payload: { reason: '2 rounds of review or checks, and not green' } },
    ])
    expect((await delivered(ROOT)).filter((kind) => kind === 'ci.failed')).toHaveLength(2)
  })

  it('notifies the parent when no review came in time, sooner after fixes, also across a restart', async () => {
    truth.set(3, pull())
    await poller.poll()
    await poller.stop()
    shift += 16 * 60_000
    poller = newPoller()
    poller.start()
    await waitFor('the timeout', async () => (await types()).includes('review.timeout'))
    truth.set(3, pull({ ...at('c'), reviews: [review()] }))
    await poller.poll()
    await poller.stop()
    shift += 6 * 60_000
    poller = newPoller()
    poller.start()
    await waitFor(
      'the second',
      async () => (await types()).filter((type) => type === 'review.timeout').length === 2,
    )
    expect(await delivered(ROOT)).toContain('review.timeout')
  })

  it('keeps silent about a review that came, and of what is merged', async () => {
    truth.set(3, pull())
    truth.set(4, pull())
    await poller.poll()
    truth.set(3, pull({ reviews: [review({ state: 'approved' })], reviewDecision: 'approved' }))
    truth.set(4, pull({ state: 'merged', mergedBy: 'human' }))
    await poller.poll()
    shift += 20 * 60_000
    poller.start()
    await waitFor('a look', () => looks.length === 3)
    await poller.poll()
    expect(await types()).not.toContain('review.timeout')
    expect(await types()).not.toContain('pr.stalled')
    shift += 20 * 60_000
    await poller.stop()
    poller = newPoller()
    poller.start()
    await waitFor('half an hour without progress, of the open one', async () =>
      (await types()).includes('pr.stalled'),
    )
    expect((await events()).filter(({ type }) => type === 'pr.stalled')).toMatchObject([
      { payload: { number: 3 } },
    ])
  })

  it('stores events and snapshot together or not at all', async () => {
    truth.set(3, pull())
    const put = store.transaction
    let broken = true
    const failing: Store = {
      ...store,
      transaction: (work) =>
        put((tx) =>
          work({
            ...tx,
            snapshots: {
              ...tx.snapshots,
              put: (key, value) =>
                broken && key === 'pull:3'
                  ? Promise.reject(new Error('disk full'))
                  : tx.snapshots.put(key, value),
            },
          }),
        ),
    }
    const careful = createPoller({
      forge: forge(),
      store: failing,
      publisher,
      config: () => config,
      clock,
      log: silentLog(),
    })
    await careful.poll()
    expect(await types()).toEqual([])
    expect(await delivered(ROOT)).toEqual([])
    broken = false
    await careful.poll()
    expect(await types()).toEqual(['pr.opened', 'pr.ready'])
    await careful.stop()
  })
})
