import { describe, expect, it } from 'vitest'
import {
  endGroup,
  isStillIn,
  leftInGroup,
} from '../../../packages/subagents/src/processes/end-group.ts'
import { endProcesses } from '../../../src/processes/end-processes.ts'
import type { ProcessTable } from '../../../packages/subagents/src/processes/process-table.ts'
import type { ProcessRecord } from '../../../packages/subagents/src/processes/list-processes.ts'

/**
 * Numbers of processes are given again. Whoever has one of ours by now must never get a signal that
 * was meant for ours.
 */

const make = (pid: number, more: Partial<ProcessRecord> = {}): ProcessRecord => ({
  pid,
  parent: 1,
  group: pid,
  session: pid,
  foreground: null,
  zombie: false,
  started: 'ours',
  ...more,
})
const theirs = (pid: number, more: Partial<ProcessRecord> = {}): ProcessRecord =>
  make(pid, { started: 'theirs', ...more })

/**
 * A table of processes that is another one at each look; the last stays, but for those that were
 * killed. Returns who got which signal, by pid and start.
 */
function scripted(...looks: readonly (readonly ProcessRecord[])[]) {
  let look = 0
  let now: readonly ProcessRecord[] = looks[0] ?? []
  const got: string[] = []
  const table: ProcessTable = {
    list: async () => {
      now = (looks[Math.min(look++, looks.length - 1)] ?? []).filter(
        ({ pid, started }) => !got.includes(`SIGKILL ${String(pid)} ${started}`),
      )
      return now
    },
    signal: (pid, name) => {
      const to = now.filter((record) => (pid < 0 ? record.group === -pid : record.pid === pid))
      if (name !== 0)
        for (const record of to) got.push(`${name} ${String(record.pid)} ${record.started}`)
      return to.length > 0
    },
  }
  return { table, got }
}
const nobody = Promise.resolve<readonly number[]>([])
const ofOthers = (got: readonly string[]) => got.filter((signal) => signal.endsWith('theirs'))

describe('ending a program with all it started', () => {
  it('asks, and kills what does not go', async () => {
    const family = [
      make(10),
      make(11, { parent: 10, session: 10, group: 10 }),
      make(12, { parent: 11 }),
      theirs(20),
    ]
    const { table, got } = scripted(family)
    await endProcesses([10], nobody, { grace: 30 }, table)
    expect(new Set(got)).toEqual(
      new Set(
        ['SIGHUP', 'SIGCONT', 'SIGKILL'].flatMap((name) =>
          [10, 11, 12].map((pid) => `${name} ${String(pid)} ours`),
        ),
      ),
    )
  })

  it('leaves alone whoever has the number of the leader by now, and all that is theirs', async () => {
    const others = [theirs(10), theirs(11, { parent: 10, session: 10, group: 10 })]
    for (const looks of [
      [[make(10)], others],
      [[make(10)], [make(10)], others],
      [[make(10)], [], others],
      [[make(10), make(12, { parent: 10 })], [make(12)], [...others, make(12)], others],
    ]) {
      const { table, got } = scripted(...looks)
      await endProcesses([10], nobody, { grace: 30 }, table)
      expect(ofOthers(got)).toEqual([])
    }
  })

  it('leaves alone a session or group that has a dead leader’s number only again', async () => {
    // The leader had ended when it was first looked for, and what it left as well; a later one left
    // somebody in a group of that number.
    const { table, got } = scripted(
      [make(30)],
      [make(30), theirs(31, { session: 10, group: 10 })],
      [theirs(31, { session: 10, group: 10 })],
    )
    await endProcesses([10, 30], nobody, { grace: 30 }, table)
    expect(ofOthers(got)).toEqual([])
    expect(got).toContain('SIGHUP 30 ours')
  })

  it('finds what a dead leader left in its session, and what that starts', async () => {
    const left = make(11, { session: 10, group: 10 })
    const child = make(12, { parent: 11, session: 10, group: 10 })
    const { table, got } = scripted([left], [left, child])
    await endProcesses([10], nobody, { grace: 0 }, table)
    expect(got).toEqual(expect.arrayContaining(['SIGHUP 11 ours', 'SIGHUP 12 ours']))
  })

  it('signals neither itself’s parent nor the first process', async () => {
    const { table, got } = scripted([theirs(1), theirs(0)])
    await endProcesses([1, 0], Promise.resolve([1]), { grace: 0 }, table)
    expect(got).toEqual([])
  })
})

describe('ending a process group', () => {
  it('asks all of it, and kills what does not go', async () => {
    const group = [make(10), make(11, { group: 10 })]
    const { table, got } = scripted(group)
    await endGroup(10, 0, table)
    expect(got).toEqual(
      expect.arrayContaining([
        'SIGTERM 10 ours',
        'SIGTERM 11 ours',
        'SIGKILL 10 ours',
        'SIGKILL 11 ours',
      ]),
    )
  })

  it('leaves alone a group that got the number once all of ours had gone', async () => {
    const others = [theirs(10), theirs(12, { group: 10 })]
    for (const looks of [
      [[make(10)], others],
      [[make(10), make(11, { group: 10 })], [make(11, { group: 10 })], others],
    ]) {
      for (const grace of [0, 50]) {
        const { table, got } = scripted(...looks)
        await endGroup(10, grace, table)
        expect(ofOthers(got)).toEqual([])
      }
    }
  })

  it('is a group of ours only while somebody is in it who was when its leader ended', async () => {
    const members = await leftInGroup(10, scripted([make(11, { group: 10 }), theirs(20)]).table)
    expect(await isStillIn(10, members, scripted([make(11, { group: 10 })]).table)).toBe(true)
    expect(await isStillIn(10, members, scripted([theirs(11, { group: 10 })]).table)).toBe(false)
    expect(await isStillIn(10, members, scripted([make(11, { group: 30 })]).table)).toBe(false)
    expect(await isStillIn(10, new Set(), scripted([theirs(12, { group: 10 })]).table)).toBe(false)
    // A zombie holds nothing any more.
    expect(await leftInGroup(10, scripted([make(10, { zombie: true })]).table)).toEqual(new Set())
  })
})
