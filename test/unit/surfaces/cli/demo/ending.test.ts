import { describe, expect, it } from 'vitest'
import { createEnding } from '../../../../../src/surfaces/cli/demo/ending.ts'
import { readStory } from '../../../../../src/surfaces/cli/demo/story.ts'
import type { WireEvent } from '../../../../../src/surfaces/client.ts'

let seq = 0
const event = (
  type: string,
  agentId: string,
  payload: Record<string, unknown> = {},
  actor = agentId,
): WireEvent => ({
  seq: ++seq,
  type,
  at: seq,
  agentId,
  actor,
  why: null,
  payload,
})

describe('the end of a demo', () => {
  it('comes when the root has said so and idles, not before', () => {
    const ending = createEnding('root')
    expect(ending(event('agent.idle', 'root'))).toBe(null)
    expect(ending(event('note', 'worker', { name: 'w', message: 'Finished: my part' }))).toBe(null)
    expect(ending(event('agent.idle', 'root'))).toBe(null)
    expect(ending(event('note', 'root', { name: 'root', message: 'Finished: all' }))).toBe(null)
    expect(ending(event('agent.idle', 'worker'))).toBe(null)
    expect(ending(event('agent.idle', 'root'))).toEqual({ kind: 'finished' })
  })

  it('comes with a reason where an agent is stuck or fails', () => {
    expect(
      createEnding('root')(event('note', 'w', { name: 'w', message: 'Stuck: no rule' })),
    ).toEqual({ kind: 'stuck', reason: 'w says: Stuck: no rule' })
    expect(
      createEnding('root')(event('agent.failed', 'w', { name: 'w', reason: 'exit code 1' })),
    ).toEqual({ kind: 'stuck', reason: 'w failed: exit code 1' })
  })
})

describe('the story of a demo', () => {
  it('has no chapter happened without events, and takes order into account', () => {
    expect(readStory([], 'root', 'main').chapters.filter(({ happened }) => happened)).toEqual([])
    const passed = event('ci.passed', 'a', { number: 1 })
    const failed = event('ci.failed', 'a', { number: 1 })
    const checks = (events: WireEvent[]): boolean | undefined =>
      readStory(events, 'root', 'main').chapters.find(({ title }) =>
        title.startsWith('checks failed'),
      )?.happened
    expect(checks([passed, failed])).toBe(false)
    expect(checks([failed, event('ci.passed', 'b', { number: 2 })])).toBe(false)
    expect(checks([failed, event('ci.passed', 'a', { number: 1 })])).toBe(true)
  })

  it('takes what came of it where a daemon that was killed could not report it', () => {
    const happened = (events: WireEvent[], title: string): boolean | undefined =>
      readStory(events, 'root', 'main').chapters.find((chapter) => chapter.title.includes(title))
        ?.happened
    const conflict = event('rebase.conflict', 'a', {}, 'daemon')
    expect(happened([conflict, event('rebase.done', 'a', {}, 'daemon')], 'was resolved')).toBe(
      false,
    )
    expect(happened([event('rebase.done', 'a', {}, 'a')], 'was resolved')).toBe(true)
    const spawned = event('agent.spawned', 's', { kind: 'subtree', branch: 'main.s' })
    const merged = event('pr.merged', 'a', { base: 'main.s' })
    const pushed = event('pr.pushed', 'b', { base: 'main.s' })
    expect(happened([spawned, merged, pushed], 'rebased the other')).toBe(false)
    expect(
      happened(
        [event('daemon.started', 'd'), spawned, merged, event('daemon.started', 'd'), pushed],
        'rebased the other',
      ),
    ).toBe(true)
  })

  it('has a conflict foretold where neither of the two had filed, and neither met it', () => {
    const happened = (events: WireEvent[]): boolean | undefined =>
      readStory(
        events.map((one, index) => ({ ...one, seq: index + 1 })),
        'root',
        'main',
      ).chapters.find(({ title }) => title.startsWith('a conflict was foretold'))?.happened
    const foretold = event('conflict.foretold', 'a', { partner_id: 'b', pair: 'a-b' })
    const cleared = event('conflict.cleared', 'a', { pair: 'a-b' })
    const filed = event('pr.opened', 'b')
    expect(happened([foretold, cleared, filed])).toBe(true)
    expect(happened([foretold, filed, cleared])).toBe(true)
    expect(happened([foretold, filed])).toBe(false)
    expect(happened([filed, foretold, cleared])).toBe(false)
    expect(happened([foretold, filed, event('rebase.conflict', 'b'), cleared])).toBe(false)
    const toBase = event('conflict.foretold', 'a', { partner_id: null, pair: 'a-b' })
    expect(happened([toBase, cleared, filed])).toBe(false)
  })

  it('counts messages that failed or can’t be determined', () => {
    expect(
      readStory(
        [
          event('delivery.failed', 'a'),
          event('delivery.undecided', 'b'),
          event('delivery.acked', 'c'),
        ],
        'root',
        'main',
      ).failedDeliveries,
    ).toBe(2)
  })
})
