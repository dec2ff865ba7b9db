import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { knownForgeHealth } from '../../../src/core/pulls/forge-health.ts'
import { ExomonadError } from '../../../src/domain/errors.ts'
import { asBranchName } from '../../../src/domain/ids.ts'
import { polledTree, ROOT, type PolledTree } from '../../helpers/polled-tree.ts'
import { at, OWNER, pull, review, sha } from '../../unit/pull-watch/pull.ts'

const away = (facts: Record<string, unknown> = {}) =>
  new ExomonadError('FORGE_UNAVAILABLE', 'api.github.com can’t be reached: no route.', facts)
const denied = () => new ExomonadError('FORGE_DENIED', 'GitHub refuses the token: it was revoked.')

describe('a forge that can’t be used', () => {
  let tree: PolledTree
  beforeEach(async () => {
    tree = await polledTree()
    tree.forge.truth.set(3, pull())
    tree.poller.start()
    await tree.pass(10)
  })
  afterEach(() => tree.close())
  const healthEvents = async () =>
    (await tree.events()).filter(({ type }) => type.startsWith('forge.'))

  it('forgets none that was asked for meanwhile: it is read once the forge is back, before any search', async () => {
    await tree.addAgent('main.other', { parentId: ROOT })
    tree.forge.failure = away()
    tree.forge.truth.set(
      7,
      pull({ number: 7, head: { branch: asBranchName('main.other'), sha: sha('c') } }),
    )
    await tree.poller.poll([7])
    tree.forge.hint(7)
    await tree.pass(30)
    expect(tree.forge.looks.flat()).not.toContain(7)
    const searches = tree.forge.searches.length
    tree.forge.failure = undefined
    await tree.pass(120)
    expect(tree.forge.looks.flat()).toContain(7)
    expect(
      (await tree.events()).filter(
        ({ type, payload }) => type === 'pr.opened' && payload['number'] === 7,
      ),
    ).toHaveLength(1)
    expect(tree.forge.searches.length - searches).toBeLessThanOrEqual(1)
  })

  it('for an hour is reported once, and once when it is back; what happened meanwhile is reported then', async () => {
    tree.forge.failure = away()
    await tree.pass(3_600)
    expect(await healthEvents()).toMatchObject([
      {
        type: 'forge.trouble',
        agentId: null,
        payload: {
          forge: 'GitHub',
          code: 'FORGE_UNAVAILABLE',
          reason: away().message,
          retry_at: null,
        },
      },
    ])
    expect(await knownForgeHealth(tree.store)).toMatchObject({
      code: 'FORGE_UNAVAILABLE',
      reason: away().message,
      retryAt: null,
    })
    // Nothing is concluded from what was known an hour ago.
    expect(await tree.types()).not.toContain('review.timeout')
    expect(await tree.types()).not.toContain('pr.stalled')
    tree.forge.failure = undefined
    tree.forge.truth.set(
      3,
      pull({
        ...at('c'),
        reviews: [review({ state: 'approved', commit: sha('c') })],
        reviewDecision: 'approved',
      }),
    )
    await tree.pass(300)
    const types = await tree.types()
    expect(types.filter((type) => type.startsWith('forge.'))).toEqual([
      'forge.trouble',
      'forge.recovered',
    ])
    expect(types).toEqual(expect.arrayContaining(['pr.pushed', 'pr.review']))
    expect(types).not.toContain('review.timeout')
    const minutes = (await healthEvents()).at(-1)?.payload['minutes']
    expect(minutes).toBeGreaterThanOrEqual(59)
    expect(minutes).toBeLessThanOrEqual(66)
    expect(await knownForgeHealth(tree.store)).toBeUndefined()
    expect(await tree.delivered('human')).toHaveLength(2)
    expect(await tree.delivered(OWNER)).toHaveLength(1)
  })

  it('makes nobody late: deadlines go on where they were, also where the daemon is restarted meanwhile', async () => {
    tree.forge.failure = away()
    await tree.pass(1_800)
    await tree.reopen()
    tree.poller.start()
    await tree.pass(1_800)
    tree.forge.failure = undefined
    await tree.pass(300 + 9 * 60)
    expect(await tree.types()).toEqual([
      'pr.opened',
      'pr.ready',
      'forge.trouble',
      'forge.recovered',
    ])
    await tree.pass(6 * 60)
    expect((await tree.types()).slice(4)).toEqual(['review.timeout'])
  })

  it('for a moment is nobody’s business', async () => {
    tree.forge.failure = away()
    await tree.pass(40)
    tree.forge.failure = undefined
    await tree.pass(60)
    tree.forge.truth.set(3, pull(at('c')))
    await tree.pass(60)
    expect(await healthEvents()).toEqual([])
    expect(await tree.types()).toContain('pr.pushed')
  })

  it('is tried less and less often, at last every 5 minutes', async () => {
    tree.forge.failure = away()
    await tree.pass(21)
    const before = tree.forge.attempts
    await tree.pass(3_600)
    expect(tree.forge.attempts - before).toBeGreaterThan(10)
    expect(tree.forge.attempts - before).toBeLessThan(20)
  })

  it('is not tried before it said, also with hints; somebody who asks is answered', async () => {
    const retryAt = tree.time.clock() + 1_800_000
    tree.forge.failure = away({ retry_at: retryAt })
    await tree.pass(60)
    expect(await healthEvents()).toMatchObject([
      { payload: { retry_at: new Date(retryAt).toISOString() } },
    ])
    tree.forge.failure = undefined
    tree.forge.looks.length = 0
    for (let minute = 0; minute < 20; minute++) {
      tree.forge.hint(3)
      await tree.pass(60)
    }
    expect(tree.forge.looks).toEqual([])
    await tree.poller.poll([3])
    expect(tree.forge.looks).toEqual([[3]])
    expect(await tree.types()).toContain('forge.recovered')
  })

  it('by its limits is reported as back when they are reset, although nothing is due', async () => {
    tree.forge.truth.set(
      3,
      pull({ reviews: [review({ state: 'approved' })], reviewDecision: 'approved' }),
    )
    await tree.pass(60)
    tree.forge.budget = {
      points: null,
      requests: null,
      blockedUntil: tree.time.clock() + 600_000,
      slowdown: 1,
    }
    await tree.pass(599)
    expect(await knownForgeHealth(tree.store)).toMatchObject({
      retryAt: tree.forge.budget.blockedUntil,
    })
    tree.forge.budget = null
    await tree.pass(40)
    expect((await healthEvents()).map(({ type }) => type)).toEqual([
      'forge.trouble',
      'forge.recovered',
    ])
  })

  it('because the token was revoked is reported at once, also in the middle of an outage', async () => {
    tree.forge.failure = denied()
    await tree.pass(31)
    expect(await healthEvents()).toMatchObject([
      { payload: { code: 'FORGE_DENIED', reason: denied().message } },
    ])
    tree.forge.failure = undefined
    await tree.pass(60)
    tree.forge.failure = away()
    await tree.pass(600)
    tree.forge.failure = denied()
    await tree.pass(600)
    tree.forge.failure = away()
    await tree.pass(600)
    tree.forge.failure = undefined
    await tree.pass(300)
    expect((await healthEvents()).map(({ type, payload }) => payload['code'] ?? type)).toEqual([
      'FORGE_DENIED',
      'forge.recovered',
      'FORGE_UNAVAILABLE',
      'FORGE_DENIED',
      'forge.recovered',
    ])
  })

  it('is reported neither again nor not at all where the daemon is restarted meanwhile', async () => {
    tree.forge.failure = away()
    await tree.pass(100)
    await tree.reopen()
    tree.poller.start()
    await tree.pass(100)
    expect(await healthEvents()).toHaveLength(1)
    tree.forge.failure = undefined
    await tree.reopen()
    tree.poller.start()
    await tree.pass(1)
    expect((await healthEvents()).map(({ type }) => type)).toEqual([
      'forge.trouble',
      'forge.recovered',
    ])
  })

  it('when the daemon starts is waited for, and then all is seen', async () => {
    tree.forge.failure = away()
    await tree.reopen()
    tree.poller.start()
    await tree.pass(400)
    tree.forge.failure = undefined
    tree.forge.truth.set(3, pull({ state: 'merged', mergedBy: 'forge:jane', mergeSha: sha('d') }))
    await tree.pass(300)
    expect((await tree.events()).at(-1)).toMatchObject({
      type: 'pr.merged',
      payload: { external: true },
    })
    expect((await tree.delivered(ROOT)).at(-1)).toContain('was merged outside exomonad by jane')
  })
})
