import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { configSchema } from '../../../src/config/schema.ts'
import { asBranchName, type Sha } from '../../../src/domain/ids.ts'
import { polledTree, ROOT, type PolledTree } from '../../helpers/polled-tree.ts'
import { verifies } from '../../requirements.ts'
import { OWNER, pull, review } from '../../unit/pull-watch/pull.ts'

const reviewed = { reviews: [review({ state: 'approved' })], reviewDecision: 'approved' as const }
const onBranch = (branch: string) => ({
  head: { branch: asBranchName(branch), sha: 'c'.repeat(40) as Sha },
  agentId: null,
})

describe('how often pull requests are looked at', () => {
  let tree: PolledTree
  beforeEach(async () => {
    tree = await polledTree()
  })
  afterEach(() => tree.close())
  const looksAt = (number: number): number =>
    tree.forge.looks.filter((numbers) => numbers.includes(number)).length

  it(
    verifies(
      'R004-16',
      'is every 30 s with a review or checks pending, else every 5 minutes, many in one call',
    ),
    async () => {
      await tree.addAgent('main.db')
      await tree.addAgent('main.ui')
      tree.forge.truth.set(3, pull())
      tree.forge.truth.set(
        4,
        pull({
          ...onBranch('main.db'),
          ...reviewed,
          reviews: [review({ commit: 'c'.repeat(40) as Sha })],
        }),
      )
      tree.forge.truth.set(5, pull({ ...onBranch('main.ui'), checksState: 'pending' }))
      tree.poller.start()
      await tree.pass(0)
      expect(tree.forge.looks).toEqual([[3, 4, 5]])
      await tree.pass(3_600)
      expect([looksAt(3), looksAt(4), looksAt(5)]).toEqual([121, 13, 121])
      expect(tree.forge.looks).toHaveLength(121)
      // Somebody looked at it: nothing is pending any more.
      tree.forge.truth.set(3, pull(reviewed))
      tree.forge.truth.delete(5)
      await tree.pass(90)
      tree.forge.looks.length = 0
      await tree.pass(3_600)
      // What was out of step at first falls into it.
      for (const number of [3, 4]) expect([12, 13]).toContain(looksAt(number))
      expect(tree.forge.looks.length).toBeLessThan(15)
    },
  )

  it(
    verifies(
      'R004-16',
      'is stretched where the forge’s limits are short, and is nothing until a limit is reset',
    ),
    async () => {
      tree.forge.truth.set(3, pull())
      tree.forge.budget = { points: null, requests: null, blockedUntil: null, slowdown: 4 }
      tree.poller.start()
      await tree.pass(600)
      expect(looksAt(3)).toBe(6)
      tree.forge.budget = {
        points: null,
        requests: null,
        blockedUntil: tree.time.clock() + 1_200_000,
        slowdown: 1,
      }
      await tree.pass(1_199)
      for (let n = 0; n < 3; n++) tree.forge.hint(3)
      await tree.poller.poll([3])
      expect(looksAt(3)).toBe(6)
      tree.forge.budget = { points: null, requests: null, blockedUntil: null, slowdown: 1 }
      await tree.pass(2)
      expect(looksAt(3)).toBe(7)
      expect((await tree.delivered('human')).join()).toContain(
        "GitHub can't be used: Its rate limit is used up",
      )
    },
  )

  it('follows changed settings', async () => {
    tree.forge.truth.set(3, pull())
    tree.poller.start()
    await tree.pass(300)
    expect(looksAt(3)).toBe(11)
    tree.config = configSchema.parse({ forge: { poll_active: 10 } })
    await tree.pass(300)
    expect(looksAt(3)).toBeGreaterThan(38)
  })

  describe('of agents that have none as far as is known (20.10)', () => {
    const ten = Array.from({ length: 10 }, (_, index) => `main.w${index}`)
    const searched = async (seconds: number): Promise<number> => {
      tree.forge.searches.length = 0
      await tree.pass(seconds)
      return tree.forge.searches.length
    }

    it('finds ten that were filed past exomonad within a minute, in one call each time, and then asks seldom', async () => {
      for (const name of ten) await tree.addAgent(name)
      tree.poller.start()
      await tree.pass(437)
      ten.forEach((name, index) => tree.forge.truth.set(index + 10, pull(onBranch(name))))
      await tree.pass(60)
      expect((await tree.types()).filter((type) => type === 'pr.opened')).toHaveLength(10)
      // One agent has none still: once a minute or a little more often; of a root without a base,
      // and of those that are over, only with the idle.
      expect(await searched(3_600)).toBeLessThanOrEqual(73)
      expect(new Set(tree.forge.searches.map((heads) => heads.join()))).toEqual(
        new Set(['main.auth', 'main,main.auth']),
      )
      await tree.store.agents.update(OWNER, { state: 'completed' })
      expect(await searched(3_600)).toBeLessThanOrEqual(13)
    })

    it('finds that of an agent that was spawned in between', async () => {
      await tree.store.agents.update(OWNER, { state: 'completed' })
      tree.poller.start()
      await tree.pass(10)
      await tree.addAgent('main.late')
      tree.forge.truth.set(4, pull(onBranch('main.late')))
      await tree.pass(60)
      expect(await tree.types()).toContain('pr.opened')
    })

    it('asks seldom for what an agent that rests after its merge may file, also after a restart, and soon once it works again', async () => {
      tree.forge.truth.set(3, pull())
      tree.poller.start()
      await tree.pass(10)
      tree.forge.truth.set(3, pull({ state: 'merged', mergedBy: 'forge:jane' }))
      await tree.store.agents.update(OWNER, { state: 'idle' })
      await tree.pass(300)
      expect(await searched(1_500)).toBeLessThanOrEqual(6)
      await tree.reopen()
      tree.poller.start()
      await tree.pass(10)
      expect(await searched(1_500)).toBeLessThanOrEqual(6)
      await tree.store.agents.update(OWNER, { state: 'running' })
      expect(await searched(1_500)).toBeGreaterThanOrEqual(25)
    })

    it('is slower where the forge’s limits are short, and not sooner than all else where that is configured to be more often', async () => {
      tree.forge.budget = { points: null, requests: null, blockedUntil: null, slowdown: 4 }
      tree.poller.start()
      await tree.pass(10)
      expect(await searched(2_000)).toBeLessThanOrEqual(11)
      tree.forge.budget = null
      tree.config = configSchema.parse({ forge: { poll_idle: 10 } })
      expect(await searched(600)).toBeGreaterThanOrEqual(50)
    })

    it('is not needed of the local forge', async () => {
      await tree.close()
      tree = await polledTree({ kind: 'local' })
      tree.poller.start()
      await tree.pass(10)
      expect(await searched(3_600)).toBeLessThanOrEqual(13)
    })
  })

  it('is at once on a hint, for one that is not known too, and once for many', async () => {
    tree.poller.start()
    await tree.pass(1)
    tree.forge.truth.set(3, pull())
    for (let n = 0; n < 20; n++) tree.forge.hint(3)
    await tree.pass(1)
    expect(tree.forge.looks).toEqual([[3]])
    expect(await tree.types()).toEqual(['pr.opened', 'pr.ready'])
    tree.poller.hintAt({ branches: ['elsewhere'], shas: [] })
    await tree.pass(1)
    expect(looksAt(3)).toBe(1)
    tree.poller.hintAt({ branches: [], shas: [pull().head.sha] })
    await tree.pass(1)
    tree.poller.hintAt({ branches: ['main'], shas: [] })
    await tree.pass(1)
    expect(looksAt(3)).toBe(3)
  })

  it('reads one that can’t be read again after 1, 2, 4 … s, at last as often as active ones, and leaves the others alone', async () => {
    await tree.addAgent('main.db')
    tree.forge.truth.set(3, pull(reviewed))
    tree.forge.truth.set(4, pull({ ...onBranch('main.db') }))
    tree.poller.start()
    await tree.pass(1)
    tree.forge.truth.set(4, 'half of the answer was missing')
    tree.forge.hint(4)
    await tree.pass(1)
    const before = looksAt(4)
    await tree.pass(32)
    expect(looksAt(4) - before).toBe(5)
    await tree.pass(120)
    expect(looksAt(4) - before).toBe(9)
    expect(looksAt(3)).toBe(1)
    expect(await tree.types()).not.toContain('forge.trouble')
  })

  it('reads mergeability that GitHub is still working out soon again, and says nothing until it is known', async () => {
    tree.forge.truth.set(3, pull({ mergeable: 'unknown', ...reviewed }))
    tree.poller.start()
    await tree.pass(2)
    expect(await tree.types()).not.toContain('pr.ready')
    tree.forge.truth.set(3, pull(reviewed))
    await tree.pass(4)
    expect(await tree.types()).toContain('pr.ready')
  })

  it('goes on when the clock is set back a day, and does not take a day that is jumped over for a day’s silence', async () => {
    tree.forge.truth.set(3, pull())
    tree.poller.start()
    await tree.pass(60)
    for (const jump of [-86_400_000, 86_400_000]) {
      tree.time.jump(jump)
      const before = looksAt(3)
      await tree.pass(120)
      expect(looksAt(3) - before).toBeGreaterThanOrEqual(4)
      expect(await tree.types()).toEqual(['pr.opened', 'pr.ready'])
    }
    await tree.pass(9 * 60)
    expect(await tree.types()).toEqual(['pr.opened', 'pr.ready'])
    await tree.pass(2 * 60)
    expect(await tree.types()).toEqual(['pr.opened', 'pr.ready', 'review.timeout'])
    expect((await tree.delivered(ROOT)).at(-1)).toContain('got no review within 15 minutes')
  })

  it('holds a night in which the machine slept against nobody, once it has looked', async () => {
    tree.forge.truth.set(3, pull())
    tree.poller.start()
    await tree.pass(600)
    tree.time.jump(8 * 3_600_000)
    tree.forge.truth.set(3, pull({ reviews: [review({ state: 'commented' })] }))
    await tree.pass(31)
    expect(await tree.types()).toEqual(['pr.opened', 'pr.ready', 'pr.review'])
    await tree.pass(29 * 60)
    expect(await tree.types()).not.toContain('pr.stalled')
    await tree.pass(2 * 60)
    expect(await tree.types()).toContain('pr.stalled')
    expect(await tree.delivered(OWNER)).toHaveLength(1)
  })

  it('starts with a clock that was set back while the daemon was down', async () => {
    tree.forge.truth.set(3, pull())
    tree.poller.start()
    await tree.pass(60)
    tree.time.jump(-86_400_000)
    await tree.reopen()
    tree.poller.start()
    await tree.pass(16 * 60)
    expect(await tree.types()).toContain('review.timeout')
  })
})
