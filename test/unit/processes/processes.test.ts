import process from 'node:process'
import { describe, expect, it } from 'vitest'
import type { ProcessRecord } from '../../../packages/subagents/src/processes/list-processes.ts'
import { environmentsBy, withDescendants } from '../../../src/processes/processes.ts'

describe('what belongs to a program', () => {
  const make = (pid: number, parent: number, session: number, group = pid): ProcessRecord => ({
    pid,
    parent,
    session,
    group,
    foreground: null,
    zombie: false,
    started: '1',
  })
  it('is its session, its group, and all descendants, also in sessions of their own, and nobody else', () => {
    const all = [
      make(1, 0, 1),
      make(10, 1, 10),
      make(11, 10, 10),
      make(12, 1, 10),
      make(13, 11, 13),
      make(14, 13, 14),
      make(20, 1, 20),
      make(21, 20, 20),
      make(15, 1, 99, 10),
    ]
    expect(
      withDescendants(all, new Set([10]))
        .map(({ pid }) => pid)
        .toSorted((a, b) => a - b),
    ).toEqual([10, 11, 12, 13, 14, 15])
  })
})

describe('what was started with a mark', () => {
  it.runIf(process.platform === 'linux')(
    'is found also where it shows nothing at first, because it is just becoming another program',
    async () => {
      let looks = 0
      const found = await environmentsBy(async (pid) =>
        pid === process.pid && (looks += 1) > 2 ? 'A=1\0EXOMONAD_AGENT_ID=x\0' : '',
      )
      expect(found.filter(({ entries }) => entries.length > 0)).toEqual([
        { pid: process.pid, entries: ['EXOMONAD_AGENT_ID=x'] },
      ])
    },
  )
})
