import { describe, expect, it } from 'vitest'
import { aloneOf } from '../../../../src/core/radar/alone.ts'
import { believersOf } from '../../../../src/core/radar/told.ts'
import { asBranchName, newAgentId, type Sha } from '../../../../src/domain/ids.ts'
import type { Delivery } from '../../../../src/domain/records.ts'
import { makeAgent } from '../make-agent.ts'

describe('who needs no look', () => {
  const [here, moved] = ['a'.repeat(40), 'b'.repeat(40)] as Sha[]
  const main = asBranchName('main')
  const parentId = newAgentId()
  const child = (name: string) =>
    makeAgent({ name, kind: 'worker', parentId, baseBranch: main, forkPoint: here! })
  const [one, two] = [child('one'), child('two')]
  const alone = (members: (typeof one)[], tip: Sha, told: (typeof one.id)[] = []) => [
    ...aloneOf(members, {
      agents: members,
      tips: new Map([[main, tip]]),
      told: new Set(told),
    }),
  ]
  it('is an only child whose base is where it was, of whom nothing was told', () => {
    expect(alone([one], here!)).toEqual([one.id])
    expect(alone([one], moved!)).toEqual([])
    expect(alone([one], here!, [one.id])).toEqual([])
    expect(alone([one, two], here!)).toEqual([])
  })
})

describe('who takes a conflict for real', () => {
  const news = (...all: [to: string, kind: string, state: string][]) =>
    all.map(([recipient, kind, state], index) => ({
      ...{ recipient, kind, state, eventSeq: index },
    })) as Delivery[]
  const [foretold, cleared] = ['conflict.foretold', 'conflict.cleared']
  it('is whom the news of it reached last, and not whoever heard since that it is over', () => {
    expect([
      ...believersOf(
        news(
          ['never', foretold, 'withdrawn'],
          ['waits', foretold, 'queued'],
          ['read', foretold, 'acked'],
          ['settled', foretold, 'acked'],
          ['settled', cleared, 'sent'],
          ['settled', foretold, 'withdrawn'],
          ['half', foretold, 'acked'],
          ['half', cleared, 'withdrawn'],
          ['half', foretold, 'queued'],
        ),
      ),
    ]).toEqual(['read', 'half'])
  })
})
