import { spawn } from 'node:child_process'
import process from 'node:process'
import type { Writable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  listByPs,
  listProcesses,
  parseStat,
  type ProcessRecord,
} from '../../../../../packages/subagents/src/processes/list-processes.ts'
import { withDescendants } from '../../../../../src/processes/processes.ts'
import { hasTool } from '../../../../helpers/terminals/require-tool.ts'
import { waitFor } from '../../../../helpers/wait-for.ts'

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
  it('recognizes zombies, and nothing of what is no such line', () => {
    expect(parseStat(`42 (cat) Z ${rest}`)?.zombie).toBe(true)
    expect(parseStat('')).toBeUndefined()
  })
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

  it('that have ended and wait for their parent are distinguished', async () => {
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
