import { spawn } from 'node:child_process'
import process from 'node:process'
import type { Writable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  listByPs,
  listProcesses,
  parseStat,
  type ProcessRecord,
} from '../../../packages/subagents/src/processes/list-processes.ts'
import { environmentsBy, withDescendants } from '../../../src/processes/processes.ts'
import { hasTool } from '../../helpers/terminals/require-tool.ts'
import { waitFor } from '../../helpers/wait-for.ts'

describe('/proc/<pid>/stat', () => {
  const rest = '1 2 3 34816 4 4194560 1 1 1 1 1 1 1 1 20 0 1 0 98765 1 1'
  it.each(['cat', 'a b', 'x) S 9 9 9', '(('])(
    'is read whatever the program is called: %s',
    (name) => {
      expect(parseStat(`42 (${name}) S ${rest}\n`)).toEqual({
        pid: 42,
        parent: 1,
        group: 2,
        session: 3,
        foreground: 4,
        zombie: false,
        started: '98765',
      })
    },
  )
  it('tells zombies, and nothing of what is no such line', () => {
    expect(parseStat(`42 (cat) Z ${rest}`)?.zombie).toBe(true)
    expect(parseStat('')).toBeUndefined()
  })
})

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

describe.runIf(hasTool('ps'))('processes of a system without /proc', () => {
  it('are those that ps lists, with their parents, groups and starts, which stay the same', async () => {
    const child = spawn('sleep', ['600'], { stdio: 'ignore', detached: true })
    onTestFinished(() => void child.kill('SIGKILL'))
    const pid = child.pid ?? 0
    const find = async (list: () => Promise<ProcessRecord[]>) =>
      (await list()).find((record) => record.pid === pid)
    const found = await find(listByPs)
    expect(found).toMatchObject({
      pid,
      parent: process.pid,
      group: pid,
      session: pid,
      zombie: false,
    })
    expect(found?.started).not.toBe('')
    expect((await find(listByPs))?.started).toBe(found?.started)
    expect(
      withDescendants(await listByPs(), new Set([process.pid])).map((record) => record.pid),
    ).toContain(pid)
    if (process.platform === 'linux') {
      const { started: _, foreground: __, ...same } = (await find(listProcesses))!
      expect(found).toMatchObject(same)
    }
  })

  it('that have ended and wait for their parent are told apart', async () => {
    // The shell becomes a program that collects nobody, and only then its child ends.
    const script = 'cat <&3 & echo $!; exec 3<&-; exec sh -c "echo there; exec sleep 600"'
    const child = spawn('sh', ['-c', script], {
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
      detached: true,
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let said = ''
    child.stdout?.on('data', (text: Buffer) => (said += text.toString()))
    await waitFor('the other program', () => said.includes('there'))
    ;(child.stdio[3] as Writable).end()
    const [line] = said.split('\n')
    await waitFor(
      'it to be a zombie',
      async () => (await listByPs()).find((record) => record.pid === Number(line))?.zombie,
    )
  })
})
