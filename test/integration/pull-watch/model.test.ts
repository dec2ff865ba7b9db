import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Comment } from '../../../src/adapters/forge/forge.ts'
import { ExomonadError } from '../../../src/domain/errors.ts'
import { polledTree, ROOT } from '../../helpers/polled-tree.ts'
import { OWNER, pull, review } from '../../unit/pull-watch/pull.ts'

const away = new ExomonadError('FORGE_UNAVAILABLE', 'no route')

/** What may happen to a pull request, the forge, the clock and the daemon. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'comment' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'hint' as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      seconds: fc.integer({ min: 0, max: 400 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'away' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'unreadable' as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'back' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('jump' as const),
      seconds: fc.integer({ min: -200_000, max: 200_000 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'restart' as const }) },
)

it('whatever fails, jumps or restarts in between: each word is delivered once, in order, and each outage ends as often as it begins', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const tree = await polledTree()
      try {
        const comments: Comment[] = []
        // Reviewed, so that nobody is late for that.
        const truth = () =>
          pull({
            reviews: [review({ state: 'approved' })],
            reviewDecision: 'approved',
            comments: [...comments],
          })
        tree.forge.truth.set(3, truth())
        tree.poller.start()
        await tree.pass(1)
        let readable = true
        for (const { kind, ...more } of steps) {
          if (kind === 'comment')
            comments.push({
              id: `i${comments.length}`,
              author: 'forge:jane',
              authorName: 'jane',
              body: 'Look',
              at: tree.time.clock(),
              trusted: true,
            })
          if (kind === 'away') tree.forge.failure = away
          if (kind === 'unreadable') readable = false
          if (kind === 'back') {
            tree.forge.failure = undefined
            readable = true
          }
          tree.forge.truth.set(3, readable ? truth() : 'a part was missing')
          if (kind === 'hint') tree.forge.hint(3)
          if (kind === 'jump' && 'seconds' in more) tree.time.jump(more.seconds * 1000)
          if (kind === 'pass' && 'seconds' in more) await tree.pass(more.seconds)
          if (kind === 'restart') {
            await tree.reopen()
            tree.poller.start()
            await tree.pass(0)
          }
        }
        tree.forge.failure = undefined
        tree.forge.truth.set(3, truth())
        await tree.pass(700)
        const events = await tree.events()
        const ids = comments.map(({ id }) => id)
        expect(
          events
            .filter(({ type }) => type === 'pr.comment')
            .map(({ payload }) => payload['comment_id']),
        ).toEqual(ids)
        expect(
          (await tree.delivered(OWNER)).filter((text) => text.startsWith('[COMMENT]')),
        ).toHaveLength(ids.length)
        expect(
          (await tree.delivered(ROOT)).filter((text) => text.startsWith('[PR READY]')),
        ).toHaveLength(1)
        expect((await tree.store.snapshots.get('pull:3'))?.['snapshot']).toEqual(truth())
        const health = events.map(({ type }) => type).filter((type) => type.startsWith('forge.'))
        expect(health).toEqual(
          health.map((_, index) => (index % 2 === 0 ? 'forge.trouble' : 'forge.recovered')),
        )
        expect(health.length % 2).toBe(0)
        expect(await tree.store.snapshots.get('forge:health')).toBeUndefined()
      } finally {
        await tree.close()
      }
    }),
    // One that hangs is named; it would take as long to be made smaller.
    { numRuns: 25, endOnFailure: true, timeout: 60_000 },
  )
})
