import { describe, expect, it } from 'vitest'
import type { PullRequestSnapshot } from '../../../../../src/adapters/forge/forge.ts'
import type {
  CancelledMerge,
  MergeKind,
  ScheduledMerge,
} from '../../../../../src/adapters/forge/scheduled.ts'
import { createMergeFollowUp } from '../../../../../src/core/pulls/merge/follow-up.ts'
import { ExomonadError } from '../../../../../src/domain/errors.ts'
import type { ErrorCode } from '../../../../../src/domain/error-codes.ts'
import { silentLog } from '../../../../../src/runtime/log.ts'
import { at, pull, sha } from '../../../pull-watch/pull.ts'

/** What a look at a pull request is followed by that the forge was to merge by itself (20.18). */

const AUTO: ScheduledMerge = { kind: 'auto', by: 'forge:robot', since: 100 }
const QUEUED: ScheduledMerge = {
  kind: 'queue',
  by: 'forge:robot',
  since: 100,
  position: 1,
  state: 'checking',
  checks: null,
  checksState: 'unknown',
}

function world({
  before,
  scheduled,
  said = {},
  merge = { kind: 'not_merged' },
  refusal,
  rebased,
}: {
  /** A head that exomonad itself made of the one that was asked for. */
  rebased?: string
  refusal?: ErrorCode
  before?: PullRequestSnapshot
  /** As the journal has it. */
  scheduled?: MergeKind
  said?: Partial<Record<MergeKind, CancelledMerge>>
  merge?: object
}) {
  const done: string[] = []
  const time = { now: 1_000_000 }
  const data = {
    number: 3,
    url: 'local://pull/3',
    head: 'main.auth',
    base: 'main',
    expectedHead: sha('a'),
    forge: 'R',
    by: 'human',
    retargeted: [],
    scheduled,
    scheduledAt: 100,
  }
  const open =
    scheduled === undefined
      ? []
      : [{ id: 'j', kind: 'merge', step: 'scheduled', state: 'open', data }]
  const deps = {
    store: {
      journal: {
        open: async () => open,
        finish: async (id: string, state: string) =>
          void (done.push(`${id} ${state}`), open.splice(0)),
      },
      snapshots: {
        get: async (key: string) =>
          key === 'pull:3' && before !== undefined
            ? { snapshot: before }
            : key.startsWith('rebases:') && rebased !== undefined
              ? { moves: [{ from: sha('a'), to: rebased }] }
              : undefined,
      },
      agents: { list: async () => [] },
    },
    git: {},
    forge: {
      kind: 'github',
      identity: async () => 'R',
      settleMerge: async () => merge,
      scheduled: {
        cancel: async () => {
          if (refusal !== undefined) throw new ExomonadError(refusal, 'no')
          done.push('cancel')
        },
        cancelled: async (_: number, kind: MergeKind) => (
          done.push(`asked ${kind}`),
          said[kind] ?? null
        ),
      },
    },
    clock: () => time.now,
    log: silentLog(),
    onJournalStep: () => {},
  }
  const followUp = createMergeFollowUp(deps as unknown as Parameters<typeof createMergeFollowUp>[0])
  return { done, time, look: (found: PullRequestSnapshot) => followUp(found, async () => false) }
}
const removal = (more: Partial<CancelledMerge> = {}): CancelledMerge => ({
  kind: 'queue',
  reason: 'ann took it out',
  at: 200,
  failed: [],
  ...more,
})

describe('a look at a pull request (20.18)', () => {
  it('asks nothing where nobody ever scheduled its merge, and nothing more of one that still is', async () => {
    for (const found of [pull(), pull({ scheduled: AUTO })]) {
      const { look, done } = world({ before: pull() })
      expect(await look(found)).toEqual({ pull: found })
      expect(done).toEqual([])
    }
  })

  it('gives the reason of one that is not scheduled any more, and ends what the journal has of it', async () => {
    const { look, done } = world({
      before: pull({ scheduled: QUEUED }),
      scheduled: 'queue',
      said: { queue: removal() },
    })
    expect(await look(pull())).toEqual({ pull: pull(), cancelled: removal() })
    expect(done).toEqual(['asked queue', 'j undone'])
  })

  it('takes no earlier removal for this one', async () => {
    const { look, done } = world({
      before: pull({ scheduled: QUEUED }),
      scheduled: 'queue',
      said: { queue: removal({ at: 99 }) },
    })
    expect(await look(pull())).toEqual({ pull: pull({ scheduled: QUEUED }) })
    expect(done).not.toContain('j undone')
  })

  it('waits a moment for the forge to say why, which may be about to merge it, and then reports without', async () => {
    const { look, time } = world({ before: pull({ scheduled: QUEUED }) })
    for (const later of [0, 30_000, 29_999]) {
      time.now += later
      expect(await look(pull()), String(later)).toEqual({ pull: pull({ scheduled: QUEUED }) })
    }
    time.now += 1
    expect(await look(pull(at('d')))).toMatchObject({
      cancelled: { kind: 'queue', reason: 'new commits were pushed to it' },
    })
    expect(await look(pull())).toEqual({ pull: pull({ scheduled: QUEUED }) })
  })

  it('says of new commits that took it out of the queue what it says of those it cancels for', async () => {
    const { look, done } = world({
      before: pull({ scheduled: QUEUED }),
      scheduled: 'queue',
      said: { queue: removal({ reason: null }) },
    })
    expect(await look(pull(at('d')))).toMatchObject({
      cancelled: { reason: 'new commits were pushed to it, which nobody has looked at' },
    })
    expect(done).toContain('j undone')
  })

  it('calls no rebase of exomonad’s own unseen, and gives no reason that it does not know', async () => {
    const queued = {
      before: pull({ scheduled: QUEUED }),
      scheduled: 'queue',
      said: { queue: removal({ reason: null }) },
    } as const
    expect(await world({ ...queued, rebased: sha('d') }).look(pull(at('d')))).toMatchObject({
      cancelled: { reason: 'new commits were pushed to it' },
    })
    expect(await world(queued).look(pull())).toMatchObject({ cancelled: { reason: null } })
  })

  it('reports one that was scheduled here and cancelled between two looks, by way of the queue too, and leaves one that is not seen yet', async () => {
    const none = world({ before: pull(), scheduled: 'auto' })
    expect(await none.look(pull())).toEqual({ pull: pull() })
    expect(none.done).toEqual(['asked auto', 'asked queue'])
    const { look, done } = world({
      before: pull(),
      scheduled: 'auto',
      said: { auto: removal({ kind: 'auto', at: 50 }), queue: removal() },
    })
    expect(await look(pull())).toEqual({ pull: pull(), cancelled: removal() })
    expect(done).toContain('j undone')
  })

  it('cancels what was asked for here with another head, and leaves a person’s alone', async () => {
    const { look, done } = world({ before: pull({ scheduled: AUTO }), scheduled: 'auto' })
    expect(await look(pull({ ...at('d'), scheduled: AUTO }))).toEqual({
      pull: pull(at('d')),
      cancelled: {
        kind: 'auto',
        reason: 'new commits were pushed to it, which nobody has looked at',
        at: 1_000,
        failed: [],
      },
    })
    expect(done).toEqual(['cancel', 'j undone'])
    const other = pull({ ...at('d'), scheduled: AUTO })
    const denied = world({
      before: pull({ scheduled: AUTO }),
      scheduled: 'auto',
      refusal: 'FORGE_DENIED',
    })
    expect(await denied.look(other)).toEqual({ pull: other })
    const away = world({
      before: pull({ scheduled: AUTO }),
      scheduled: 'auto',
      refusal: 'FORGE_UNAVAILABLE',
    })
    await expect(away.look(other)).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' })
    const theirs = world({ before: pull({ scheduled: AUTO }) })
    const found = pull({ ...at('d'), scheduled: AUTO })
    expect(await theirs.look(found)).toEqual({ pull: found })
    expect(theirs.done).toEqual([])
  })

  it('ends what the journal has of one that was closed; of a merge that can’t be settled now it is looked at again', async () => {
    const closed = world({ scheduled: 'auto', before: pull({ scheduled: AUTO }) })
    expect(await closed.look(pull({ state: 'closed' }))).toEqual({
      pull: pull({ state: 'closed' }),
    })
    expect(closed.done).toEqual(['j undone'])
    const { look } = world({ scheduled: 'auto', merge: { kind: 'unknown', reason: 'away' } })
    await expect(look(pull({ state: 'merged' }))).rejects.toMatchObject({
      code: 'FORGE_UNAVAILABLE',
    })
  })
})
