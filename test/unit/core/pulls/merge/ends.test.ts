import { expect, it } from 'vitest'
import { createMergeEnd } from '../../../../../src/core/pulls/merge/ends.ts'
import type { MergedPull } from '../../../../../src/core/pulls/pull-documents.ts'
import { pull, sha } from '../../../pull-watch/pull.ts'

/** Waiting for a merge that the forge makes by itself (20.18). */

const GOING = { merged: false, state: 'queued', next: 'It waits.' } as MergedPull

function world(known?: object) {
  const listeners = new Set<(event: object) => void>()
  const deps = {
    store: { snapshots: { get: async () => known && { snapshot: known } } },
    publisher: {
      onEvent: (listener: (event: object) => void) => (
        listeners.add(listener),
        () => listeners.delete(listener)
      ),
    },
  }
  const end = createMergeEnd(deps as unknown as Parameters<typeof createMergeEnd>[0], pull())
  const publish = (type: string, payload: object) =>
    listeners.forEach((listener) =>
      listener({ type, payload: { number: 3, url: 'local://pull/3', ...payload } }),
    )
  const outcome = (signal?: AbortSignal) =>
    end.outcome(
      GOING,
      async (merge, error) => ({ ...GOING, merged: true, sha: merge, pull_error: error ?? 'none' }),
      { signal },
    )
  return { publish, outcome, listeners, leave: end.leave }
}

it('ends with what came, also before it was waited for, and listens no longer (20.18)', async () => {
  const { publish, outcome, listeners } = world()
  publish('pr.merged', { number: 4, sha: sha('e') })
  publish('pr.scheduled', {})
  publish('pr.merged', { sha: sha('d'), local_error: 'main is not checked out' })
  expect(await outcome()).toMatchObject({
    merged: true,
    sha: sha('d'),
    pull_error: 'main is not checked out',
  })
  expect(listeners.size).toBe(0)
})

it('is an error with the reason where nothing comes of it (20.18)', async () => {
  for (const [type, payload, words] of [
    ['pr.unscheduled', { reason: 'ann took it out' }, '#3 was not merged: ann took it out.'],
    [
      'pr.unscheduled',
      { reason: null },
      '#3 was not merged: the forge does not say why (local://pull/3).',
    ],
    ['pr.closed', {}, '#3 was not merged: it was closed.'],
  ] as const) {
    const { publish, outcome } = world()
    publish(type, payload)
    await expect(outcome()).rejects.toMatchObject({ code: 'PR_NOT_MERGEABLE', message: words })
  }
})

it('says what was said where the caller goes away, and knows of one that was merged before anybody listened (20.18)', async () => {
  const gone = new AbortController()
  const { outcome, listeners } = world()
  const coming = outcome(gone.signal)
  gone.abort()
  expect(await coming).toBe(GOING)
  expect(await world().outcome(AbortSignal.abort())).toBe(GOING)
  expect(listeners.size).toBe(0)
  expect(await world(pull({ state: 'merged', mergeSha: sha('c') })).outcome()).toMatchObject({
    merged: true,
    sha: sha('c'),
  })
  const left = world()
  left.leave()
  expect(left.listeners.size).toBe(0)
})
