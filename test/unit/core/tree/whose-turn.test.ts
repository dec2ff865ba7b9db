import { describe, expect, it } from 'vitest'
import { whoseTurn, type TurnFacts } from '../../../../src/core/tree/whose-turn.ts'
import type { Agent } from '../../../../src/domain/records.ts'
import { pull } from '../../surfaces/text/sample-tree.ts'
import { makeAgent } from '../make-agent.ts'

const NOTHING: TurnFacts = { question: false, pull: null, items: 0 }
const root = makeAgent({ name: 'root', kind: 'root', parentId: null, paneId: '%0' as never })
const lead = makeAgent({ name: 'lead', kind: 'subtree', parentId: root.id, paneId: '%1' as never })

function turn(
  facts: Partial<TurnFacts>,
  agent: Partial<Agent> = {},
  above: Partial<Agent> = {},
  top: Partial<Agent> = {},
): string | null {
  const own = makeAgent({ parentId: lead.id, kind: 'worker', state: 'running', ...agent })
  const all: Agent[] = [{ ...root, ...top }, { ...lead, ...above }, own]
  const who = whoseTurn(new Map(all.map((one) => [one.id, one])), own, { ...NOTHING, ...facts })
  return all.find(({ id }) => id === who)?.name ?? who
}

describe('whose turn it is', () => {
  it.each<[string, Partial<TurnFacts>, Partial<Agent>, string | null]>([
    ['at work', {}, {}, null],
    ['idle', {}, { state: 'idle' }, null],
    ['has an item', { items: 1 }, {}, 'human'],
    ['has one, and asks', { items: 1, question: true }, {}, 'human'],
    ['asks', { question: true }, {}, 'lead'],
    ['at a prompt', {}, { state: 'waiting', stateReason: 'permission to run x' }, null],
    ['in a wait of its own', {}, { state: 'waiting', stateReason: 'wait' }, null],
    ['nobody knows what it does', {}, { state: 'unknown' }, null],
    ['crashed', {}, { state: 'failed' }, 'lead'],
    ['gave up', {}, { state: 'idle', outcome: { success: false } }, 'lead'],
    ['a task that failed', {}, { state: 'failed', kind: 'process' }, null],
    ['filed', { pull: pull(1) }, { state: 'idle' }, 'lead'],
    ['filed, and works on', { pull: pull(1) }, { state: 'running' }, null],
    ['a draft', { pull: pull(1, { draft: true }) }, { state: 'idle' }, null],
    ['a conflict', { pull: pull(1, { mergeable: 'conflicting' }) }, { state: 'idle' }, null],
    ['red', { pull: pull(1, { checks: 'failed' }) }, { state: 'idle' }, null],
    ['checks run', { pull: pull(1, { checks: 'pending' }) }, { state: 'idle' }, null],
    ['changes asked', { pull: pull(1, { review: 'changes_requested' }) }, { state: 'idle' }, null],
    ['merged', { pull: pull(1, { state: 'merged' }) }, { state: 'idle' }, null],
  ])('%s', (_, facts, agent, who) => {
    expect(turn(facts, agent)).toBe(who)
  })

  it('is the next one above where the lead is over or has no program, at last nobody’s: that is an item', () => {
    const asks = { question: true }
    expect(turn(asks, {}, { state: 'killed' })).toBe('root')
    expect(turn(asks, {}, { stateReason: 'stopped' })).toBe('root')
    expect(turn(asks, {}, { state: 'killed' }, { paneId: null })).toBeNull()
    expect(turn(asks, { parentId: null })).toBeNull()
  })
})
